package jetstream_test

import (
	"context"
	"fmt"
	"bytes"
	"path/filepath"
	"os"
	"testing"

	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

func TestZZ(t *testing.T) {
	if os.Getenv("ZZDIR") == "" { t.Skip() }
	for _, hit := range []int{0, 10, 19} {
	for _, idx := range []bool{true, false} {
		dir := t.TempDir()
		s, err := jetstream.Open(context.Background(), jetstream.Options{Dir: dir})
		if err != nil { t.Fatal(err) }
		other := "20261101-000000-othr"
		for i := range int64(20) {
			s.Append(t.Context(), benchSession, i, journaltest.Events(benchSession, i, 1), journaltest.Summary(benchSession, i+1))
			s.Append(t.Context(), other, i, journaltest.Events(other, i, 1), journaltest.Summary(other, i+1))
		}
		s.Close()
		blk, _ := filepath.Glob(dir+"/jetstream/*/streams/*/msgs/*.blk")
		data, _ := os.ReadFile(blk[0])
		at := bytes.Index(data, []byte(fmt.Sprintf("event %d of %s", hit+1, benchSession)))
		fmt.Println(len(blk), at)
		data[at] = 'X'
		os.WriteFile(blk[0], data, 0o600)
		if !idx {
			os.Remove(filepath.Dir(blk[0])+"/index.db")
		}
		s, err = jetstream.Open(context.Background(), jetstream.Options{Dir: dir})
		if err != nil { t.Fatal(err) }
		got, err := journaltest.Collect(s.Read(t.Context(), benchSession, 1))
		got2, err2 := journaltest.Collect(s.Read(t.Context(), other, 1))
		sums, err3 := s.Sessions(t.Context())
		fmt.Println("HIT", hit, "index", idx, len(got), err, len(got2), err2, len(sums), err3)
		err = s.Append(t.Context(), benchSession, 20, journaltest.Events(benchSession, 20, 1), journaltest.Summary(benchSession, 21))
		fmt.Println("   append", err)
		s.Close()
	}
	}
}
