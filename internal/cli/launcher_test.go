//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/protocol"
)

// TestTheLauncherIsTold: a process that refuses before it runs anything tells its launcher why.
func TestTheLauncherIsTold(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd, err := unix.Dup(int(w.Fd())) // the one that the process closes
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	a := &App{Env: &environ.Env{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Dir: t.TempDir(),
		Environ: []string{"XDG_STATE_HOME=" + t.TempDir(), fmt.Sprintf("%s=%d watched", protocol.LauncherVariable, fd)},
	}}
	if code := a.Run(t.Context(), []string{"resume", "--foreground"}); code != mulligan.ExitUsage {
		t.Errorf("exit code %d", code)
	}
	if err := r.SetReadDeadline(time.Now().Add(time.Minute)); err != nil { // a guard, in case it is told nothing
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(text), `"exit":2`) || !strings.Contains(string(text), "no git repository") {
		t.Errorf("it was told %q, %v", text, err)
	}
}
