package regular

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"mulligan/internal/regular/regulartest"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, size int) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, bytes.Repeat([]byte("x"), size), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, size := range []int{0, 9, 10} {
		if data, err := ReadFile(write("small", size), 10); err != nil || len(data) != size {
			t.Errorf("%d bytes: %d, %v", size, len(data), err)
		}
	}
	if err := os.Symlink("small", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadFile(filepath.Join(dir, "link"), 10); err != nil || len(data) != 10 {
		t.Errorf("a link: %d bytes, %v", len(data), err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none"), 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	data, err := ReadFile(write("large", 11), 10)
	if size, ok := errors.AsType[*SizeError](err); !ok || size.Size != 11 || data != nil || err.Error() != "is larger than 10 bytes (11 bytes)" {
		t.Errorf("a large file: %d bytes, %v", len(data), err)
	}
	if err := (&SizeError{Limit: 1 << 20, Size: 3 << 20}).Error(); err != "is larger than 1 MiB (3145728 bytes)" {
		t.Error(err)
	}
}

func TestReadFileRefusesOtherKinds(t *testing.T) {
	dir := t.TempDir()
	_, err := ReadFile(dir, 10)
	if kind, ok := errors.AsType[*KindError](err); !ok || err.Error() != "is a folder, not a file" || !kind.Mode.IsDir() {
		t.Errorf("a folder: %v", err)
	}
	if runtime.GOOS == "windows" {
		t.Skip("no pipes with names, and no devices in folders")
	}
	pipe := filepath.Join(dir, "pipe")
	if err := regulartest.MakeFifo(pipe); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/zero", "/dev/null"} {
		if _, err := ReadFile(path, 10); err == nil || err.Error() != "is not a regular file" {
			t.Errorf("%s: %v", path, err)
		}
	}
}
