//go:build unix

package past

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// makePipe puts a named pipe in the place of a file: a reader that opened it would wait for ever.
func makePipe(t *testing.T, path string) {
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
