package mulligan

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// keep commits what the gates saw and closes the step. In a loop it commits what the iteration
// left, whatever the gates said of it, and only a claim that passed them closes the step.
func (s *Session) keep(ctx context.Context) error {
	st := &s.state
	commit, err := s.committed(ctx, st.Tree)
	if err != nil {
		return fmt.Errorf("committing step %q: %w", s.step().Name, err)
	}
	a := st.attempt()
	if st.Plan.Loop != nil && (a.Status != Pass || st.Claim == nil) {
		return s.say(IterationKept{Iteration: st.Iteration, Tree: st.Tree, Commit: commit, Checks: s.checked()})
	}
	by := s.passed()
	return s.say(StepVerified{Step: s.step().Name, Attempt: a.Number, Tree: st.Tree, Commit: commit, By: by, Accepted: len(by) == 0 || len(a.Waived) > 0, Waived: a.Waived})
}

// committed commits a tree, where the plan wants that and something has changed.
func (s *Session) committed(ctx context.Context, tree Tree) (commit string, err error) {
	st := &s.state
	if !st.Plan.Git.Commit || tree.ID == "" {
		return "", nil
	}
	if st.Plan.Loop != nil && st.Committing == nil && tree == (Tree{ID: st.Kept.ID, Head: st.Head}) {
		return "", nil // an iteration that changed nothing
	}
	if st.Committing == nil {
		c := Commit{Tree: tree, Parent: st.Head, Message: s.message(), Time: s.Clock.Now().UTC().Truncate(1e9), Sign: st.Plan.Git.Sign}
		if err := s.say(StepCommitting{Step: s.step().Name, Commit: c}); err != nil {
			return "", err
		}
	}
	if err := s.flush(ctx); err != nil {
		return "", err
	}
	id, err := s.Workspace.Commit(context.WithoutCancel(ctx), *st.Committing)
	if err != nil || id == st.Committing.Parent {
		return "", err
	}
	return id, nil
}

// passed are the gates that the attempt has passed, each once.
func (s *Session) passed() []string {
	var by []string
	for _, h := range s.state.Plan.AgentHooks.Of(EventStop) {
		if slices.Contains(s.state.Content, h.Name) {
			by = append(by, "Stop hook "+h.Name)
		}
	}
	for i, c := range s.step().Checks {
		if i < s.state.Gate && !(c.Final && s.state.Claim == nil) {
			by = append(by, c.Name)
		}
	}
	return by
}

// checked says what the checks say of the tree that an iteration left.
func (s *Session) checked() string {
	a := s.state.attempt()
	switch {
	case a.Status == "" || a.Last() == nil && len(s.step().Checks) > 0 && s.state.Gate == 0:
		return "not run"
	case a.Status != Pass:
		return "failed"
	case len(s.passed()) == 0:
		return "none"
	}
	return "passed"
}

// message is the commit's, with trailers that say which session made it and what verified it.
func (s *Session) message() string {
	st := &s.state
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nMulligan-Session: %s\n", s.subject(), st.ID)
	switch {
	case st.Ending != nil:
		b.WriteString("Mulligan-Delivery: final\n")
	case st.Plan.Loop != nil:
		fmt.Fprintf(&b, "Mulligan-Step: %s\nMulligan-Iteration: %d\nMulligan-Checks: %s\n", s.step().Name, st.Iteration, s.checked())
	default:
		fmt.Fprintf(&b, "Mulligan-Step: %s\nMulligan-Attempt: %d\n", s.step().Name, st.attempt().Number)
	}
	b.WriteString(s.verifiedBy())
	return b.String()
}

// verifiedBy are the trailers of the gates that passed on what is committed.
func (s *Session) verifiedBy() string {
	var b strings.Builder
	by := s.passed()
	if e := s.state.Ending; e != nil {
		by = nil
		for _, v := range e.Verdicts {
			if v.Status == Pass && !slices.Contains(by, v.Gate) {
				by = append(by, v.Gate)
			}
		}
	}
	if s.state.Plan.Loop != nil && s.state.Ending == nil && s.checked() != "passed" {
		return ""
	}
	for _, gate := range by {
		fmt.Fprintf(&b, "Mulligan-Verified-By: %s\n", oneLine(gate))
	}
	if a := s.state.attempt(); a != nil && s.state.Ending == nil {
		for _, note := range a.Waived {
			fmt.Fprintf(&b, "Mulligan-Accepted: %s\n", oneLine(note))
		}
	}
	if len(by) == 0 {
		b.WriteString("Mulligan-Accepted: nothing checked this step\n")
	}
	return b.String()
}

// subject is the commit's first line. What an agent said of its iteration says more than the
// spec's title, which all iterations share.
func (s *Session) subject() string {
	st := &s.state
	if st.Ending != nil {
		return s.deliverySubject()
	}
	summary := st.Plan.Task.Title()
	if n := len(st.Board.Summaries); n > 0 && st.Plan.Loop != nil && st.Board.Summaries[n-1].Iteration == st.Iteration {
		summary = (Task{Text: st.Board.Summaries[n-1].Text, Path: summary}).Title()
	}
	return s.filled(summary)
}

// deliverySubject tells the final delivery's commit from the step's, whatever git.message is.
func (s *Session) deliverySubject() string {
	const what = "final delivery"
	subject := s.filled(what)
	if !strings.Contains(subject, what) {
		subject += " (" + what + ")"
	}
	return subject
}

// filled is git.message with what it stands for.
func (s *Session) filled(summary string) string {
	return strings.TrimSpace(strings.NewReplacer("{{step}}", s.step().Name, "{{summary}}", summary).Replace(s.state.Plan.Git.Message))
}

// Title is the task's first line, without its heading marks.
func (t Task) Title() string {
	for line := range strings.Lines(t.Text) {
		if title := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); title != "" {
			return cut(oneLine(title), 60)
		}
	}
	return t.Path
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
