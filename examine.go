package mulligan

import (
	"context"
	"fmt"
	"strings"
)

// examine runs the gates in order, from the one that comes next. The first that does not
// pass ends the round; a broken one is run once more and then stops the session.
func (s *Session) examine(ctx context.Context) error {
	if err := s.backToTurn(ctx); err != nil {
		return err
	}
	gates, err := s.Gates(*s.step())
	if err != nil {
		return err
	}
	for s.state.Gate < len(gates) {
		v, err := s.ask(ctx, gates[s.state.Gate])
		if err != nil || ctx.Err() != nil {
			return err
		}
		switch v.Status {
		case Pass:
		case Fail:
			return s.say(AttemptEnded{Step: s.step().Name, Attempt: s.state.attempt().Number, Status: Fail, Reason: v.Gate + ": " + v.Summary, Counted: true})
		default:
			if s.state.GateTry >= 2 {
				return s.end(Outcome{Ended: GateBroken, Reason: fmt.Sprintf("check %q could not tell: %s", v.Gate, v.Summary), Evidence: &v})
			}
		}
	}
	return s.say(AttemptEnded{Step: s.step().Name, Attempt: s.state.attempt().Number, Status: Pass, Counted: true})
}

// backToTurn makes the tree what the gate in flight found, where an earlier process ran that:
// it may have been cut short, and a person may have been here since. What the gates see is
// what is committed.
func (s *Session) backToTurn(ctx context.Context) error {
	st := &s.state
	if s.mine == st.Turn {
		return nil
	}
	to := st.Tree
	if st.Examined != nil {
		to = *st.Examined
	} else {
		st.Gate, st.GateTry = 0, 0 // stopped between two gates: what the first one wrote is not known
	}
	label := fmt.Sprintf("%s/%d-before-checks", st.ID, st.Iteration)
	if err := s.Workspace.Restore(context.WithoutCancel(ctx), to, label); err != nil {
		return fmt.Errorf("putting the workspace back to what turn %d left: %w", st.Turn, err)
	}
	s.mine = st.Turn
	return nil
}

// found is the workspace as the next gate finds it.
func (s *Session) found(ctx context.Context) (Tree, error) {
	st := &s.state
	if st.Gate == 0 && st.GateTry == 0 {
		return st.Tree, nil
	}
	tree, err := s.Workspace.Snapshot(context.WithoutCancel(ctx), fmt.Sprintf("%s/%d-checks", st.ID, st.Iteration))
	if err != nil {
		return Tree{}, fmt.Errorf("looking at what the checks left: %w", err)
	}
	return tree, nil
}

// ask runs one gate.
func (s *Session) ask(ctx context.Context, gate Gate) (Verdict, error) {
	st := &s.state
	index, try := st.Gate, st.GateTry+1
	check := s.step().Checks[index]
	before, err := s.found(ctx)
	if err != nil {
		return Verdict{}, err
	}
	if err := s.say(GateStarted{Index: index, Gate: check.Name, Try: try, Before: before}); err != nil {
		return Verdict{}, err
	}
	output, err := s.Records.GateOutput(st.Turn, index, try)
	if err != nil {
		return Verdict{}, err
	}
	if err := s.flush(ctx); err != nil {
		return Verdict{}, err
	}
	within, cancel := s.withinStep(ctx)
	defer cancel()
	began := s.Clock.Now()
	v := gate.Examine(within, Work{
		Session: st.ID, Step: s.step().Name, Attempt: st.attempt().Number, Iteration: st.Iteration,
		Dir: s.Workspace.Dir(), Output: output, Live: s.Records.Live(),
	})
	if ctx.Err() != nil {
		return v, nil // an interrupted check is run again as if it had not begun
	}
	if within.Err() != nil {
		v = Verdict{Status: Fail, Gate: check.Name, Summary: s.stepTimeReason(), Finding: v.Finding}
	}
	v.Duration = s.since(began)
	return v, s.say(GateEnded{Index: index, Try: try, Verdict: v})
}

// keep commits what the gates saw and closes the step.
func (s *Session) keep(ctx context.Context) error {
	st := &s.state
	var by []string
	for _, c := range s.step().Checks {
		by = append(by, c.Name)
	}
	commit := ""
	if st.Plan.Git.Commit {
		if st.Committing == nil {
			if err := s.say(StepCommitting{Step: s.step().Name, Commit: s.commit(by)}); err != nil {
				return err
			}
		}
		if err := s.flush(ctx); err != nil {
			return err
		}
		id, err := s.Workspace.Commit(context.WithoutCancel(ctx), *st.Committing)
		if err != nil {
			return fmt.Errorf("committing step %q: %w", s.step().Name, err)
		}
		if id != st.Committing.Parent {
			commit = id
		}
	}
	return s.say(StepVerified{Step: s.step().Name, Attempt: st.attempt().Number, Tree: st.Tree, Commit: commit, By: by, Accepted: len(by) == 0})
}

func (s *Session) commit(by []string) Commit {
	st := &s.state
	return Commit{Tree: st.Tree, Parent: st.Head, Message: s.message(by), Time: s.Clock.Now().UTC().Truncate(1e9), Sign: st.Plan.Git.Sign}
}

// message is the commit's, with trailers that say which session made it and what verified it.
func (s *Session) message(by []string) string {
	st := &s.state
	subject := strings.NewReplacer("{{step}}", s.step().Name, "{{summary}}", st.Plan.Task.Title()).Replace(st.Plan.Git.Message)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nMulligan-Session: %s\nMulligan-Step: %s\nMulligan-Attempt: %d\n",
		strings.TrimSpace(subject), st.ID, s.step().Name, st.attempt().Number)
	for _, gate := range by {
		fmt.Fprintf(&b, "Mulligan-Verified-By: %s\n", oneLine(gate))
	}
	if len(by) == 0 {
		b.WriteString("Mulligan-Accepted: nothing checked this step\n")
	}
	return b.String()
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
