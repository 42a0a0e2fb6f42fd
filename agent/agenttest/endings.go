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

func testFinished(t *testing.T, h Harness) {
	s := newStage(t, h)
	r := s.take(Behaviour{Say: "hello\nworld"})
	s.wantEnding(r, mulligan.Finished)
	if r.Message != "hello\nworld" || r.MessageCut {
		t.Errorf("message = %q, cut %v", r.Message, r.MessageCut)
	}
	if !strings.Contains(s.log.String(), "hello\nworld\n") {
		t.Errorf("the log lacks what was said: %q", s.log.String())
	}
}

// testCrash also wants what was said before the crash, which may be all that explains it.
func testCrash(t *testing.T, h Harness) {
	s := newStage(t, h)
	r := s.take(Behaviour{Say: "so far", Crash: true})
	s.wantEnding(r, mulligan.Crashed)
	if r.Reason == "" || strings.Contains(r.Reason, "\n") {
		t.Errorf("reason = %q, want one line", r.Reason)
	}
	if r.Message != "so far" {
		t.Errorf("message = %q", r.Message)
	}
}

// testWordsDecideNothing checks that the agent's words neither end a session well nor classify a
// turn.
func testWordsDecideNothing(t *testing.T, h Harness) {
	const words = "TASK COMPLETE. 429 Too Many Requests: rate limit exceeded. error: not logged in. exit status 1"
	s := newStage(t, h)
	s.wantEnding(s.take(Behaviour{Say: words}), mulligan.Finished)
	s.wantEnding(s.take(Behaviour{Say: words, Crash: true}), mulligan.Crashed)
}

// testCancel cancels a turn while a descendant holds the agent's output open.
func testCancel(t *testing.T, h Harness) {
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
	r := s.takeTurn(ctx, h.New(t, s.spec, s.deps, Behaviour{Say: "working", Spawn: "child"}))
	s.wantEnding(r, mulligan.Cancelled)
	s.waitUntilGone("child")
}

func testCancelledBefore(t *testing.T, h Harness) {
	s := newStage(t, h)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s.wantEnding(s.takeTurn(ctx, h.New(t, s.spec, s.deps, Behaviour{Say: "never", Hang: true})), mulligan.Cancelled)
}

func testTimeout(t *testing.T, h Harness) {
	for _, limit := range timeLimits {
		s := newStage(t, h)
		s.spec.Timeout = limit
		r := s.take(Behaviour{Say: "working", Spawn: "child"})
		s.wantEnding(r, mulligan.TimedOut)
		if want := fmt.Sprintf("timed out after %s", limit); r.Reason != want {
			t.Errorf("reason = %q, want %q", r.Reason, want)
		}
		if _, err := os.Stat(s.path("child")); err == nil {
			s.waitUntilGone("child")
			return
		}
	}
	t.Error("the descendant was never started")
}

func testIdle(t *testing.T, h Harness) {
	for _, limit := range timeLimits {
		s := newStage(t, h)
		s.spec.IdleTimeout = limit
		r := s.take(Behaviour{Say: "last words", Hang: true})
		s.wantEnding(r, mulligan.TimedOut)
		if want := fmt.Sprintf("silent for %s", limit); r.Reason != want {
			t.Errorf("reason = %q, want %q", r.Reason, want)
		}
		if r.Message == "last words" {
			return
		}
	}
	t.Error("what was said before the silence is not the message")
}

// testNotIdle has limits that are never reached, and must have no effect.
func testNotIdle(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.spec.IdleTimeout, s.spec.Timeout = hangGuard, hangGuard
	s.wantEnding(s.take(Behaviour{Say: "quick"}), mulligan.Finished)
}

func testMissing(t *testing.T, h Harness) {
	if h.Missing == nil {
		s := newStage(t, h)
		s.deps.Environ = []string{"PATH=/nowhere"}
		s.wantEnding(s.take(Behaviour{Say: "nothing is needed"}), mulligan.Finished)
		return
	}
	for _, name := range []string{"no-such-program-here", "./no-such-program-here"} {
		s := newStage(t, h)
		r := s.takeTurn(t.Context(), h.Missing(t, s.spec, s.deps, name))
		s.wantEnding(r, mulligan.Unavailable)
		if r.Cause != mulligan.Missing || !strings.Contains(r.Reason, name) {
			t.Errorf("cause = %s, reason = %q: want it to say what was looked for", r.Cause, r.Reason)
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// testBrokenLog checks that a turn which cannot be logged is stopped, and is an error rather than
// an ending.
func testBrokenLog(t *testing.T, h Harness) {
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
