//go:build unix

package cli

import (
	"bytes"
	"context"
	"encoding/json"
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
	"mulligan/internal/usererror"
)

// hears gives the lines to somebody who has launched a session's process, which then ends.
func hears(t *testing.T, watched error, interrupted bool, lines ...news) (stderr string, err error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, n := range lines {
		line, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(w, "%s\n", line)
	}
	w.Close()
	var words bytes.Buffer
	l := launched{
		app: &App{Env: &environ.Env{Stdout: io.Discard, Stderr: &words}}, lines: r, log: "its.log",
		watch:       func(context.Context, string, int64) (bool, error) { return false, watched },
		interrupted: func() bool { return interrupted },
	}
	err = l.hear(t.Context())
	return words.String(), err
}

func TestHearingALaunchedProcess(t *testing.T) {
	gone := (&follower{id: this}).gone()
	code := func(n int) *int { return &n }
	for name, test := range map[string]struct {
		watched     error
		interrupted bool
		lines       []news
		want        error
		says        string
	}{
		"verified":           {lines: []news{{Session: this}, {Exit: code(0)}}},
		"not verified":       {lines: []news{{Session: this}, {Exit: code(3)}}, watched: usererror.Exit(3), want: usererror.Exit(3)},
		"it says why":        {lines: []news{{Session: this}, {Exit: code(1), Error: "the disk is full"}}, watched: gone, want: usererror.Exit(1), says: "the disk is full"},
		"it was killed":      {lines: []news{{Session: this}}, watched: gone, want: gone},
		"without a word":     {want: errors.New("the session's process ended without a word; its log is its.log, and `mulligan resume` goes on")},
		"interrupted early":  {interrupted: true, want: context.Canceled},
		"refused":            {lines: []news{{Exit: code(2), Error: "no"}}, want: usererror.Exit(2), says: "no"},
		"the screen breaks":  {lines: []news{{Session: this}, {Exit: code(0)}}, watched: io.ErrShortWrite, want: io.ErrShortWrite},
		"interrupted, words": {lines: []news{{Session: this}, {Exit: code(130)}}, watched: usererror.Exit(130), interrupted: true, want: usererror.Exit(130)},
	} {
		says, err := hears(t, test.watched, test.interrupted, test.lines...)
		if fmt.Sprint(err) != fmt.Sprint(test.want) || says != test.says {
			t.Errorf("%s: %v, and says %q", name, err, says)
		}
	}
}

// Whoever saw a session end badly comes back when its process has let go of the workspace, not before.
func TestHearingWaitsForTheProcess(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	watched, done := make(chan struct{}), make(chan error, 1)
	l := launched{
		app: &App{Env: &environ.Env{Stdout: io.Discard, Stderr: io.Discard}}, lines: r, interrupted: func() bool { return false },
		watch: func(context.Context, string, int64) (bool, error) { close(watched); return false, usererror.Exit(130) },
	}
	go func() { done <- l.hear(t.Context()) }()
	fmt.Fprintln(w, `{"session":"`+this+`"}`)
	<-watched
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	w.Close()
	if err := <-done; err != usererror.Exit(130) {
		t.Errorf("it ended with %v", err)
	}
}

// A process that refuses before it runs anything tells its launcher why.
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
		Environ: []string{"XDG_STATE_HOME=" + t.TempDir(), fmt.Sprintf("%s=%d watched", readyEnv, fd)},
	}}
	if code := a.Run(t.Context(), []string{"resume", "--foreground"}); code != mulligan.ExitUsage {
		t.Errorf("exit code %d", code)
	}
	if err := r.SetReadDeadline(time.Now().Add(time.Minute)); err != nil { // a guard, where it is told nothing
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(text), `"exit":2`) || !strings.Contains(string(text), "no git repository") {
		t.Errorf("it was told %q, %v", text, err)
	}
}
