//go:build unix

package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOddFiles: what is no regular file is refused, and a link stays one.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	a := claude(t)
	pipe, folder, missing, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "folder"), filepath.Join(dir, "missing"), filepath.Join(dir, "link")
	real := filepath.Join(dir, "real.json")
	writeFile(t, real, "{}")
	err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.Mkdir(folder, 0o700), os.Symlink("nowhere", missing), os.Symlink("real.json", link), os.Chmod(real, 0o640))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe: "is not a regular file", folder: "is a folder, not a file", missing: "is a link to a file that does not exist",
		filepath.Join(real, "settings.json"): real + ": is not a folder",
	} {
		if _, err := Install(a, path, "mulligan"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if change, err := Install(a, link, "mulligan"); err != nil || change.Path != real {
		t.Errorf("%+v, %v", change, err)
	}
	info, err := os.Stat(real)
	if to, linked := os.Readlink(link); linked != nil || to != "real.json" || err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v, %v, %v", to, linked, info, err)
	}
	if _, err := Uninstall(a, link); err != nil || readFile(t, real) != "{}" {
		t.Errorf("%v: %q", err, readFile(t, real))
	}
}
