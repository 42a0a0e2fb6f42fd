package durable_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"mulligan/internal/durable"
)

// wantFile fails unless the file has the content and is alone in its folder.
func wantFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("the folder has %v, %v", all, err)
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "folders", "file")
	for _, text := range []string{"one", "two, which is longer", "3"} {
		if err := durable.WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, text)
	}
	if err := durable.ReplaceFile(path, []byte("four")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "four")
}

// TestWriteFails: a writer that fails leaves the older file, and no temporary one.
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := durable.WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := durable.Write(path, func(w io.Writer) error {
		_, err := w.Write([]byte("half of the ne"))
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	wantFile(t, path, "old")
}

func TestReplaceFileNeedsItsFolder(t *testing.T) {
	if err := durable.ReplaceFile(filepath.Join(t.TempDir(), "none", "file"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestUpdate: the mode is the given one, and an objection leaves the older file alone.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, mode := range []os.FileMode{0o640, 0o600} {
		if err := durable.Update(path, []byte("new"), mode, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%v, %v", info, err)
		}
	}
	objection := errors.New("not now")
	if err := durable.Update(path, []byte("newer"), 0o600, func() error { return objection }); !errors.Is(err, objection) {
		t.Error(err)
	}
	wantFile(t, path, "new")
}
