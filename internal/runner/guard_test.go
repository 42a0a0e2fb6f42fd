package runner

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/protocol"
	"mulligan/internal/redact"
	"mulligan/journal/memory"
	"mulligan/loop"
)

// newHandler returns the handler of a session that nobody runs.
func newHandler(t *testing.T) *requestHandler {
	t.Helper()
	env := &environ.Env{Dir: t.TempDir(), Secrets: redact.New(nil)}
	plan := &mulligan.Plan{Guard: &mulligan.Guard{MaxAttempts: 5}, Steps: []mulligan.Step{{Name: "one"}}}
	s := &loop.Session{Journal: &memory.Journal{}, Clock: env.SessionClock()}
	if err := s.Start("20261116-120000-abcd", plan, mulligan.Place{Dir: env.Dir}); err != nil {
		t.Fatal(err)
	}
	return &requestHandler{job: &job{Runner: &Runner{Config: Config{Env: env}}, session: s}, claims: newClaimDesk()}
}

// A hook that has gone before the session looks at its event is an error, and nothing worse.
func TestGuardEventOfOneThatHasGone(t *testing.T) {
	h := newHandler(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	input := json.RawMessage(`{"tool_name":"TodoWrite","tool_input":{"todos":[{"content":"A","status":"completed"}]}}`)
	if _, denied, err := h.guardEvent(ctx, protocol.HookArgs{Event: "PreToolUse", Input: input}); denied || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", denied, err)
	}
}

// G3: claims side by side wait for each other's validation no longer than an agent's program waits for the
// hook: that one would be taken for allowed.
func TestClaimsWaitInTurn(t *testing.T) {
	h := newHandler(t)
	h.claims.validating <- struct{}{} // another is being validated, and takes its time
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	claim := mulligan.GuardClaim{ID: "x", Items: []mulligan.ClaimedItem{{Key: "a", Status: mulligan.ItemValidating}}}
	rulings, _ := h.validateInTurn(ctx, claim, claimEvidence{})
	if len(rulings) != 1 || rulings[0].OK || !rulings[0].Broken || !strings.Contains(rulings[0].Reason, "other claims") {
		t.Errorf("%+v", rulings)
	}
}
