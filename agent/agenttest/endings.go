package agenttest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mulligan"
)

func finished(t *testing.T, h Harness) {
	s := newStage(t, h)
	r := s.take(Behaviour{Say: "hello\nworld"})
	s.ended(r, mulligan.Finished)
	if r.Message != "hello\nworld" || r.MessageCut {
		t.Errorf("message = %q, cut %v", r.Message, r.MessageCut)
	}
	if !strings.Contains(s.log.String(), "hello\nworld\n") {
		t.Errorf("the log lacks what was said: %q", s.log.String())
	}
}

// crashed also wants what was said before the crash, which may be all that explains it.
func crashed(t *testing.T, h Harness) {
	s := newStage(t, h)
	r := s.take(Behaviour{Say: "so far", Crash: true})
	s.ended(r, mulligan.Crashed)
	if r.Reason == "" || strings.Contains(r.Reason, "\n") {
		t.Errorf("reason = %q, want one line", r.Reason)
	}
	if r.Message != "so far" {
		t.Errorf("message = %q", r.Message)
	}
}

// wordsDecideNothing: what an agent says neither ends a session well nor classifies a turn.
func wordsDecideNothing(t *testing.T, h Harness) {
	const words = "TASK COMPLETE. 429 Too Many Requests: rate limit exceeded. error: not logged in. exit status 1"
	s := newStage(t, h)
	s.ended(s.take(Behaviour{Say: words}), mulligan.Finished)
	s.ended(s.take(Behaviour{Say: words, Crash: true}), mulligan.Crashed)
}

// cancelled ends while a descendant holds the agent's output open.
func cancelled(t *testing.T, h Harness) {
	s := newStage(t, h)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(s.path("child")); err == nil {
				stop()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	r := s.with(ctx, h.New(t, s.spec, s.deps, Behaviour{Say: "working", Spawn: "child"}))
	s.ended(r, mulligan.Cancelled)
	s.gone("child")
}

func cancelledBefore(t *testing.T, h Harness) {
	s := newStage(t, h)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.ended(s.with(ctx, h.New(t, s.spec, s.deps, Behaviour{Say: "never", Hang: true})), mulligan.Cancelled)
}

func timedOut(t *testing.T, h Harness) {
	for _, limit := range limits() {
		s := newStage(t, h)
		s.spec.Timeout = limit
		r := s.take(Behaviour{Say: "working", Spawn: "child"})
		s.ended(r, mulligan.TimedOut)
		if want := fmt.Sprintf("timed out after %s", limit); r.Reason != want {
			t.Errorf("reason = %q, want %q", r.Reason, want)
		}
		if _, err := os.Stat(s.path("child")); err == nil {
			s.gone("child")
			return
		}
	}
	t.Error("the descendant was never started")
}

func idle(t *testing.T, h Harness) {
	for _, limit := range limits() {
		s := newStage(t, h)
		s.spec.IdleTimeout = limit
		r := s.take(Behaviour{Say: "last words", Hang: true})
		s.ended(r, mulligan.TimedOut)
		if want := fmt.Sprintf("silent for %s", limit); r.Reason != want {
			t.Errorf("reason = %q, want %q", r.Reason, want)
		}
		if r.Message == "last words" {
			return
		}
	}
	t.Error("what was said before the silence is not the message")
}

// notIdle has limits that are never reached, and must not be felt.
func notIdle(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.spec.IdleTimeout, s.spec.Timeout = hangGuard, hangGuard
	s.ended(s.take(Behaviour{Say: "quick"}), mulligan.Finished)
}

func missing(t *testing.T, h Harness) {
	if h.Missing == nil {
		s := newStage(t, h)
		s.deps.Environ = []string{"PATH=/nowhere"}
		s.ended(s.take(Behaviour{Say: "nothing is needed"}), mulligan.Finished)
		return
	}
	for _, name := range []string{"no-such-program-here", "./no-such-program-here"} {
		s := newStage(t, h)
		r := s.with(t.Context(), h.Missing(t, s.spec, s.deps, name))
		s.ended(r, mulligan.Unavailable)
		if r.Cause != mulligan.Missing || !strings.Contains(r.Reason, name) {
			t.Errorf("cause = %s, reason = %q: want it to say what was looked for", r.Cause, r.Reason)
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// brokenLog: a turn that cannot be logged is stopped, and is an error rather than an ending.
func brokenLog(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.turn.Log = fullDisk{}
	ctx, stop := context.WithTimeout(t.Context(), hangGuard)
	defer stop()
	_, err := h.New(t, s.spec, s.deps, Behaviour{Say: "hello", Hang: true}).Turn(ctx, s.turn)
	if !errors.Is(err, errFull) {
		t.Errorf("error = %v, want the log's", err)
	}
	if ctx.Err() != nil {
		t.Error("the agent was not stopped")
	}
}
