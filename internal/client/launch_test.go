package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"mulligan/internal/environ"
	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
)

// followLines follows a process that a launcher has started and that writes these lines and ends.
func followLines(t *testing.T, watched error, interrupted bool, lines ...protocol.News) (stderr string, err error) {
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
		env: &environ.Env{Stdout: io.Discard, Stderr: &words}, news: r, log: "its.log",
		watch:       func(context.Context, string, int64) (bool, error) { return false, watched },
		interrupted: func() bool { return interrupted },
	}
	err = l.followNews(t.Context())
	return words.String(), err
}

func TestHearingALaunchedProcess(t *testing.T) {
	gone := (&Follower{ID: this}).GoneError()
	code := func(n int) *int { return &n }
	for name, test := range map[string]struct {
		watched     error
		interrupted bool
		lines       []protocol.News
		want        error
		says        string
	}{
		"verified":           {lines: []protocol.News{{Session: this}, {Exit: code(0)}}},
		"not verified":       {lines: []protocol.News{{Session: this}, {Exit: code(3)}}, watched: usererror.Exit(3), want: usererror.Exit(3)},
		"it says why":        {lines: []protocol.News{{Session: this}, {Exit: code(1), Error: "the disk is full"}}, watched: gone, want: usererror.Exit(1), says: "the disk is full"},
		"it was killed":      {lines: []protocol.News{{Session: this}}, watched: gone, want: gone},
		"without a word":     {want: errors.New("the session's process ended without a word; its log is its.log, and `mulligan resume` goes on")},
		"interrupted early":  {interrupted: true, want: context.Canceled},
		"refused":            {lines: []protocol.News{{Exit: code(2), Error: "no"}}, want: usererror.Exit(2), says: "no"},
		"the screen breaks":  {lines: []protocol.News{{Session: this}, {Exit: code(0)}}, watched: io.ErrShortWrite, want: io.ErrShortWrite},
		"interrupted, words": {lines: []protocol.News{{Session: this}, {Exit: code(130)}}, watched: usererror.Exit(130), interrupted: true, want: usererror.Exit(130)},
	} {
		says, err := followLines(t, test.watched, test.interrupted, test.lines...)
		if fmt.Sprint(err) != fmt.Sprint(test.want) || says != test.says {
			t.Errorf("%s: %v, and says %q", name, err, says)
		}
	}
}

// TestHearingWaitsForTheProcess: a launcher that saw a session end badly returns when the session's
// process has let go of the workspace, not before.
func TestHearingWaitsForTheProcess(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	watched, done := make(chan struct{}), make(chan error, 1)
	l := launched{
		env: &environ.Env{Stdout: io.Discard, Stderr: io.Discard}, news: r, interrupted: func() bool { return false },
		watch: func(context.Context, string, int64) (bool, error) { close(watched); return false, usererror.Exit(130) },
	}
	go func() { done <- l.followNews(t.Context()) }()
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
