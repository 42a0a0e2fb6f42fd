//go:build !race

package past

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mulligan"
	"mulligan/history"
)

// TestLongWindow: a window may be longer than what the snapshot has one by one.
func TestLongWindow(t *testing.T) {
	b, _ := newBook(t)
	var list []history.Session
	for i := range maxRecent + 100 {
		ended, letter := mulligan.Verified, "v"
		if i < 60 {
			ended, letter = mulligan.GaveUp, "f"
		}
		list = append(list, retried(record(i, ended, letter), "retry"))
	}
	mustAdd(t, b, list[500:]...)
	mustAdd(t, b, list[:500]...)
	for window, failed := range map[int]int{1: 0, maxRecent: 0, maxRecent + 50: 10, maxRecent + 100: 60, 9999: 60} {
		want := mulligan.Past{
			Sessions: min(window, maxRecent+100), Reached: min(window, maxRecent+100), Failed: failed,
			Strategies: []mulligan.StrategyPast{{Name: "retry", Tried: maxRecent + 100}},
		}
		if got := ask(b, "a", window); !reflect.DeepEqual(got, want) {
			t.Errorf("window %d: got %+v, want %+v", window, got, want)
		}
	}
}

// TestOneByOne: sessions that are added as they end make the same snapshot as all at once.
func TestOneByOne(t *testing.T) {
	single, _ := newBook(t)
	whole, _ := newBook(t)
	var list []history.Session
	for i := range maxRecent + 30 {
		list = append(list, retried(record(i, mulligan.GaveUp, "fv"), "retry", "rollback!"))
	}
	mustAdd(t, single, list[:maxRecent-20]...)
	for _, r := range list[maxRecent-20:] {
		mustAdd(t, single, r)
		mustAdd(t, single, r)
	}
	mustAdd(t, whole, list...)
	var files [2][]byte
	for i, b := range []*Book{single, whole} {
		data, err := os.ReadFile(b.volumeOf(root).pipelinePath("default"))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = data
	}
	if string(files[0]) != string(files[1]) {
		t.Errorf("one by one they are\n%.600s\nand at once\n%.600s", files[0], files[1])
	}
}

// TestSegments: records go to the next file when one is full, and all are found.
func TestSegments(t *testing.T) {
	b, _ := newBook(t)
	large := record(1, mulligan.GaveUp, "f")
	large.Reason = strings.Repeat("x", maxSegment)
	mustAdd(t, b, large)
	mustAdd(t, b, record(2, mulligan.GaveUp, "f"))
	mustAdd(t, b, record(3, mulligan.GaveUp, "f"))
	names, err := filepath.Glob(filepath.Join(b.volumeOf(root).dir, "0*.jsonl"))
	if err != nil || len(names) != 2 {
		t.Errorf("%v, %v", names, err)
	}
	refs, err := b.ListAll(context.Background())
	if got := b.Read(context.Background(), refs); err != nil || len(got) != 3 {
		t.Errorf("%d records, %v", len(got), err)
	}
}
