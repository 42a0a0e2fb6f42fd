package journal_test

import (
	"fmt"
	"sync"
	"testing"

	"mulligan/journal"
	"mulligan/journal/journaltest"
)

// A reader finds no index while the first sessions are sealed, and does not write one
// over what is being sealed.
func TestReadersWhileSealing(t *testing.T) {
	const rounds, sessions = 10, 3
	for range rounds {
		dir := t.TempDir()
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 2 {
			readers.Go(func() {
				for reading := true; reading; {
					select {
					case <-stop:
						reading = false
					default:
					}
					if _, err := journal.NewArchive(dir).All(); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		a := journal.NewArchive(dir)
		for i := range sessions {
			id := fmt.Sprintf("20261115-21460%d-x7q2", i)
			if _, err := a.Seal(journaltest.Summary(id, 3), func() (string, journal.Source) { return "frame", journal.Source{} }, sequence(journaltest.Events(id, 0, 3), nil)); err != nil {
				t.Fatal(err)
			}
		}
		close(stop)
		readers.Wait()
		if all, err := journal.NewArchive(dir).All(); err != nil || len(all) != sessions {
			t.Fatalf("%d of %d sealed sessions are listed, %v", len(all), sessions, err)
		}
	}
}
