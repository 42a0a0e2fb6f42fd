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
	for i, test := range []struct {
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
		{1001, 1001, false},
		{5000, 1, false},
		{5000, 1, false},
		{5000, 5000, false},
		{5000, 5000, false},
		{123456, 777, false},
	} {
		path := filepath.Join(t.TempDir(), "out")
		b, err := OpenBounded(path, []int{os.O_TRUNC, os.O_APPEND}[i%2], limit)
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
			checkOnDisk(t, fmt.Sprintf("%+v", test), path, text[:len(text)-len(rest)], limit)
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

// checkOnDisk checks that the file has a beginning of the output so far, at least half of the limit, and that it and
// those beside it are no larger than the limit.
func checkOnDisk(t *testing.T, about, path, text string, limit int) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text, string(got)) || len(got) < min(limit/2, len(text)) {
		t.Fatalf("%s: after %d bytes the file has %d others", about, len(text), len(got))
	}
	size := len(got)
	for n := range 2 {
		if info, err := os.Stat(fmt.Sprintf("%s.end-%d", path, n+1)); err == nil {
			size += int(info.Size())
		}
	}
	if size > limit {
		t.Fatalf("%s: after %d bytes %d are on the disk", about, len(text), size)
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
	case !strings.HasSuffix(text, tail) || len(tail) != 250+(len(text)-501)%250+1:
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

// A log that is larger than the start of one, because its process was killed, keeps all of it and gets an end.
func TestBoundedFileAppendsToLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	old := strings.Repeat("a", 990)
	if err := os.WriteFile(path, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := OpenBounded(path, os.O_APPEND, 1000)
	if err != nil {
		t.Fatal(err)
	}
	text := numbered(5000)
	if _, err := b.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != old {
		t.Errorf("%d bytes before it is closed: it would grow each time its process is killed", len(got))
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	if !strings.HasPrefix(string(got), old+"\n[mulligan: 4500 bytes are cut") || !strings.HasSuffix(string(got), "\n"+text[4500:]) {
		t.Errorf("%d bytes: %.100q", len(got), got[min(len(got), len(old)):])
	}
}

// An end that cannot be moved (a full disk) leaves a file that has a beginning of the output.
func TestBoundedFileThatCannotBeSplit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	b, err := OpenBounded(path, os.O_TRUNC, 1000)
	if err != nil {
		t.Fatal(err)
	}
	text := numbered(1500)
	if err := os.Mkdir(path+".end-1", 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Write([]byte(text)); n != 1000 || err == nil {
		t.Errorf("wrote %d: %v", n, err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != text[:1000] {
		t.Errorf("the file has %d bytes", len(got))
	}
}
