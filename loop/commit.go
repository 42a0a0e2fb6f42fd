package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// commitAttempt commits what the gates saw and closes the step. In a loop it commits what the
// iteration left, whatever the gates said of it, and only a claim that passed them closes the step.
func (s *Session) commitAttempt(ctx context.Context) error {
	st := &s.state
	commit, err := s.commitTree(ctx, st.Tree, s.attemptMessage)
	if err != nil {
		return fmt.Errorf("committing step %q: %w", s.step().Name, err)
	}
	a := st.CurrentAttempt()
	if st.Plan.Loop != nil && (a.Status != mulligan.Pass || st.Claim == nil) {
		return s.record(mulligan.IterationKept{Iteration: st.Iteration, Tree: st.Tree, Commit: commit, Checks: s.checksStatus()})
	}
	by := s.passedGates()
	return s.record(mulligan.StepVerified{Step: s.step().Name, Attempt: a.Number, Tree: st.Tree, Commit: commit, By: by, Accepted: len(by) == 0 || len(a.Waived) > 0, Waived: a.Waived})
}

// commitTree commits a tree, where the plan wants that and something has changed. It returns "" if
// there was nothing to commit.
func (s *Session) commitTree(ctx context.Context, tree mulligan.Tree, message func(body string) string) (commit string, err error) {
	st := &s.state
	if !st.Plan.Git.Commit || tree.ID == "" {
		return "", nil
	}
	if st.Plan.Loop != nil && st.Committing == nil && tree == (mulligan.Tree{ID: st.CommittedTree.ID, Head: st.Head}) {
		return "", nil // an iteration that changed nothing
	}
	if st.Committing == nil {
		c := mulligan.Commit{Tree: tree, Parent: st.Head, Message: message(s.touchedBody(ctx, tree)), Time: s.Clock.Now().UTC().Truncate(1e9), Sign: st.Plan.Git.Sign}
		if err := s.record(mulligan.StepCommitting{Step: s.step().Name, Commit: c}); err != nil {
			return "", err
		}
	}
	if err := s.flush(ctx); err != nil {
		return "", err
	}
	id, err := s.Store.Commit(context.WithoutCancel(ctx), *st.Committing)
	if err != nil || id == st.Committing.Parent && id == st.Head {
		return "", err
	}
	return id, nil
}

// passedGates returns the gates that the attempt has passed, each once.
func (s *Session) passedGates() []string {
	var by []string
	for _, h := range s.state.Plan.AgentHooks.Of(mulligan.EventStop) {
		if slices.Contains(s.state.StopHooks.AllowedBy, h.Name) {
			by = append(by, "Stop hook "+h.Name)
		}
	}
	for i, c := range s.step().Checks {
		if i < s.state.Examination.Gate && !(c.Final && s.state.Claim == nil) {
			by = append(by, c.Name)
		}
	}
	return by
}

// checksStatus returns what the checks say of the tree that an iteration left: passed, failed, none,
// or "not run".
func (s *Session) checksStatus() string {
	a := s.state.CurrentAttempt()
	switch {
	case a.Status == "", a.Status != mulligan.Pass && a.Last() == nil && len(s.step().Checks) > 0:
		return "not run"
	case a.Status != mulligan.Pass:
		return "failed"
	case len(s.passedGates()) == 0:
		return "none"
	}
	return "passed"
}

// touchedBody returns the part of a commit's body that tells what it touches since the last, with an empty
// line behind it, or "".
func (s *Session) touchedBody(ctx context.Context, tree mulligan.Tree) string {
	t, err := s.listTouched(ctx, s.state.CommittedTree, tree)
	switch {
	case err != nil:
		return err.Error() + "\n\n"
	case t == nil || t.Files == 0:
		return ""
	}
	return describeTouched(*t) + "\n"
}

// attemptMessage returns the message of an attempt's commit, with trailers that name the session and
// what verified the commit.
func (s *Session) attemptMessage(body string) string {
	st := &s.state
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%sMulligan-Session: %s\nMulligan-Step: %s\n", s.attemptSubject(), body, s.id, s.step().Name)
	if st.Plan.Loop == nil {
		fmt.Fprintf(&b, "Mulligan-Attempt: %d\n", st.CurrentAttempt().Number)
	} else {
		checks := s.checksStatus()
		fmt.Fprintf(&b, "Mulligan-Iteration: %d\nMulligan-Checks: %s\n", st.Iteration, checks)
		if checks != "passed" {
			return b.String()
		}
	}
	writeTrailers(&b, s.passedGates(), st.CurrentAttempt().Waived, "step")
	writeCaveats(&b, mulligan.NewEvidence(s.passedGates(), st.CurrentAttempt().Verdicts))
	return b.String()
}

// deliveryMessage returns the message of the final delivery's commit. Its subject tells it from the
// step's, whatever git.message is set to.
func (s *Session) deliveryMessage(body string) string {
	const what = "final delivery"
	subject := s.fillSubject(what)
	if !strings.Contains(subject, what) {
		subject += " (" + what + ")"
	}
	var passed []string
	for _, v := range s.state.Final.Verdicts {
		if v.Status == mulligan.Pass && !slices.Contains(passed, v.Gate) {
			passed = append(passed, v.Gate)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%sMulligan-Session: %s\nMulligan-Delivery: final\n", subject, body, s.id)
	writeTrailers(&b, passed, nil, "delivery")
	return b.String()
}

// writeTrailers writes the trailers of the gates that passed on what is committed, and of what was
// waived. What is committed is a step's work, or a delivery's.
func writeTrailers(b *strings.Builder, passed, waived []string, of string) {
	for _, gate := range passed {
		fmt.Fprintf(b, "Mulligan-Verified-By: %s\n", text.OneLine(gate))
	}
	for _, note := range waived {
		fmt.Fprintf(b, "Mulligan-Accepted: %s\n", text.OneLine(note))
	}
	if len(passed) == 0 {
		fmt.Fprintf(b, "Mulligan-Accepted: nothing checked this %s\n", of)
	}
}

// writeCaveats writes the trailers of gates that passed, but not as plainly as the others.
func writeCaveats(b *strings.Builder, gates []mulligan.GateEvidence) {
	for _, e := range gates {
		gate := text.OneLine(e.Gate)
		if e.Flaky > 0 {
			fmt.Fprintf(b, "Mulligan-Flaky: %s (failed %s before it passed)\n", gate, text.Times(e.Flaky))
		}
		if e.Baseline != nil && len(e.Baseline.Old) > 0 {
			fmt.Fprintf(b, "Mulligan-Baseline: %s (%s before)\n", gate, mulligan.WereThere(len(e.Baseline.Old)))
		}
	}
}

// attemptSubject returns a commit's first line. What an agent said of its iteration tells more than
// the spec's title, which all iterations share.
func (s *Session) attemptSubject() string {
	st := &s.state
	summary := st.Plan.Task.Title()
	if n := len(st.Board.Summaries); n > 0 && st.Plan.Loop != nil && st.Board.Summaries[n-1].Iteration == st.Iteration {
		summary = (mulligan.Task{Text: st.Board.Summaries[n-1].Text, Path: summary}).Title()
	}
	return s.fillSubject(summary)
}

// fillSubject fills git.message in.
func (s *Session) fillSubject(summary string) string {
	return strings.TrimSpace(strings.NewReplacer("{{step}}", s.step().Name, "{{summary}}", summary).Replace(s.state.Plan.Git.Message))
}
