package past

import (
	"context"
	"path/filepath"
	"testing"

	"mulligan"
	"mulligan/history"
)

// fullBook returns a book with as many sessions as it keeps.
func fullBook(b *testing.B) *Book {
	book := New(filepath.Join(b.TempDir(), "history"), nil)
	var list []history.Session
	for i := range maxRecords {
		list = append(list, retried(record(i, mulligan.GaveUp, "vvf-"), "retry", "fresh-start!"))
	}
	if err := book.Add(context.Background(), list...); err != nil {
		b.Fatal(err)
	}
	return book
}

func BenchmarkPast(b *testing.B) {
	book := fullBook(b)
	for b.Loop() {
		if got := ask(book, "a", 10); got.Sessions != 10 {
			b.Fatalf("%+v", got)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	book := fullBook(b)
	n := 10_000
	for b.Loop() {
		n++
		if err := book.Add(context.Background(), record(n, mulligan.GaveUp, "vvf-")); err != nil {
			b.Fatal(err)
		}
	}
}
