package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBoundedFile(t *testing.T) {
	const limit = 1000
	for _, test := range []struct {
		size, piece int
		whole       bool
	}{
		{0, 1, true},
		{10, 3, true},
		{499, 100, true},
		{500, 500, true},
		{501, 7, true},
		{1000, 1000, true},
		{1000, 1, true},
		{1001, 1, false},
		{5000, 1, false},
		{5000, 5000, false},
		{123456, 777, false},
	} {
		path := filepath.Join(t.TempDir(), "out")
		b, err := OpenBounded(path, os.O_TRUNC, limit)
		if err != nil {
			t.Fatal(err)
		}
		text := numbered(test.size)
		for rest := text; len(rest) > 0; {
			n := min(test.piece, len(rest))
			if wrote, err := b.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatalf("%+v: wrote %d of %d: %v", test, wrote, n, err)
			}
			rest = rest[n:]
		}
		cut := b.Cut()
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkBounded(t, fmt.Sprintf("%+v", test), text, string(got), cut, test.whole)
		if files, _ := filepath.Glob(path + "*"); len(files) != 1 {
			t.Errorf("%+v: %q are left", test, files)
		}
	}
}

// checkBounded checks what a file of at most 1000 bytes has of a text.
func checkBounded(t *testing.T, about, text, got string, cut int64, whole bool) {
	t.Helper()
	if whole {
		if got != text || cut != 0 {
			t.Errorf("%s: %d bytes of %d, %d cut", about, len(got), len(text), cut)
		}
		return
	}
	head, rest, _ := strings.Cut(got, "\n[mulligan: ")
	said, tail, _ := strings.Cut(rest, "(limits.output_mib)]\n")
	switch {
	case !strings.HasPrefix(text, head) || len(head) != 500:
		t.Errorf("%s: the start has %d bytes", about, len(head))
	case !strings.HasSuffix(text, tail) || len(tail) < 250 || len(tail) > 500:
		t.Errorf("%s: the end has %d bytes: %.40q", about, len(tail), tail)
	case cut != int64(len(text)-len(head)-len(tail)) || !strings.HasPrefix(said, fmt.Sprintf("%d bytes are cut", cut)):
		t.Errorf("%s: %d cut, and it says %q", about, cut, said)
	}
}

// numbered returns a text of that size in which every part is different.
func numbered(size int) string {
	var b bytes.Buffer
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "%d ", i)
	}
	return b.String()[:size]
}

// A turn that is given again appends to its log; what a killed process left beside it is gone.
func TestBoundedFileAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(path, []byte(strings.Repeat("a", 450)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".end-1", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBounded(path, os.O_APPEND, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Write([]byte(strings.Repeat("b", 100))); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != strings.Repeat("a", 450)+strings.Repeat("b", 100) {
		t.Errorf("%d bytes", len(got))
	}
	if files, _ := filepath.Glob(path + "*"); len(files) != 1 {
		t.Errorf("%q are left", files)
	}
}
