package mulligan

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// checksDir returns the folder in which checks run.
func (s *Session) checksDir() string {
	if s.Proof != nil {
		return s.Proof.Dir()
	}
	return s.Workspace.Dir()
}

// layProof makes the proof exactly a tree; an interruption does not stop it.
func (s *Session) layProof(ctx context.Context, tree Tree) error {
	if err := s.Proof.Lay(context.WithoutCancel(ctx), tree); err != nil {
		return fmt.Errorf("laying out the proof: %w", err)
	}
	return nil
}

// runGateInProof has a gate examine the work in the proof. One that does not end within its limit fails; one that is
// interrupted is run again as if it had not begun.
func (s *Session) runGateInProof(ctx context.Context, r round, gate Gate, index, try int) (v Verdict, err error) {
	st, check := &s.state, r.step.Checks[index]
	started := GateStarted{Index: index, Gate: check.Name, Try: try + 1, Before: st.Tree}
	if err := s.record(started); err != nil {
		return v, err
	}
	w := s.newWork(r, index)
	if w.Output, err = s.Records.GateOutput(st.Turn, index, started.Try); err != nil {
		return v, err
	}
	if err := s.flush(ctx); err != nil {
		return v, err
	}
	golden, err := s.layGolden(ctx, r, index, st.Tree)
	if err != nil {
		return v, err
	}
	if err := s.layProof(ctx, golden.laid); err != nil {
		return v, err
	}
	began, late, limit := s.Clock.Now(), false, r.limit()
	err = s.serveDuring(ctx, func(outer context.Context) {
		ctx, cancel := limit(outer)
		defer cancel()
		v = gate.Examine(ctx, w)
		late = ctx.Err() != nil
	})
	if err != nil || s.isStopped(ctx) {
		return v, err
	}
	v = golden.tell(v)
	if late {
		v = Verdict{Status: Fail, Gate: check.Name, Summary: r.late, Finding: v.Finding, OutOfTime: true, Judge: v.Judge}
	}
	v.Duration = s.since(began)
	v = s.compareToBaseline(r, v)
	if v.Status == Pass && try > 0 {
		v = markFlaky(v, st.failedRuns(check.Name))
	}
	ended := GateEnded{Index: index, Try: started.Try, Verdict: v}
	if check.Agent == "" { // a judge writes nothing
		if err := s.settleProof(ctx, r, golden.laid, &ended); err != nil {
			return v, err
		}
	}
	return ended.Verdict, s.record(ended)
}

// settleProof adds to the event what a check has written to files of the work: that is put back before the next one, and
// noted the first time. The writes of a check that keeps them become part of the work instead, if the check came to its
// end by itself.
func (s *Session) settleProof(ctx context.Context, r round, laid Tree, ended *GateEnded) error {
	ctx = context.WithoutCancel(ctx)
	now, err := s.Proof.Read(ctx)
	if err != nil {
		return fmt.Errorf("looking at what check %q left: %w", ended.Verdict.Gate, err)
	}
	if now.ID == laid.ID {
		return nil
	}
	check := r.step.Checks[ended.Index]
	if check.Keep && ranToItsEnd(ended.Verdict) {
		return s.keepProof(ctx, r, laid, now, ended)
	}
	changed, _, err := s.Workspace.Changed(ctx, laid, now, maxCompared)
	if err != nil {
		return fmt.Errorf("looking at what check %q left: %w", ended.Verdict.Gate, err)
	}
	changed = slices.DeleteFunc(changed, func(line string) bool { return strings.HasPrefix(line, "A ") })
	ended.Undone = clipList(changed)
	if len(changed) == 0 || check.Keep || slices.Contains(s.state.UndoneBy, ended.Verdict.Gate) {
		return nil
	}
	return s.record(Noted{Text: fmt.Sprintf("check %q changed files of the work, and they were put back: %s; what a check writes is not committed (keep: true makes it part of the work)",
		ended.Verdict.Gate, strings.Join(clipList(changed), ", "))})
}

// maxCompared is how many paths that a check has written are looked at.
const maxCompared = 1000

// keepProof makes what a check has written the work, and has the round begin again. A check that still writes after that
// has been done often enough fails, and one that writes what may not be written is broken.
func (s *Session) keepProof(ctx context.Context, r round, laid, now Tree, ended *GateEnded) error {
	st := &s.state
	if s.Scope != nil {
		changes, err := s.Workspace.Changes(ctx, laid, now)
		if err != nil {
			return fmt.Errorf("comparing what was written: %w", err)
		}
		if found := s.Scope(s.writeRules(), changes); len(found) > 0 {
			ended.Verdict.Status = Broken
			ended.Verdict.Summary = fmt.Sprintf("it keeps what it writes, and wrote what file_access of step %s does not allow: %s", s.currentStepName(), strings.Join(listViolations(found), ", "))
			return nil
		}
	}
	paths, all, err := s.Workspace.Changed(ctx, laid, now, maxListed)
	if err != nil {
		return fmt.Errorf("looking at what check %q left: %w", ended.Verdict.Gate, err)
	}
	paths = addMore(paths, all-len(paths))
	if ended.Verdict.Status == Pass && st.Examination.Restarts >= maxRestarts {
		ended.Verdict = failUnstable(ended.Verdict, paths)
		return nil
	}
	if err := s.restoreTree(ctx, now, "%s-kept", r.label); err != nil {
		return fmt.Errorf("bringing what check %q wrote to the workspace: %w", ended.Verdict.Gate, err)
	}
	ended.Tree, ended.Kept = now, paths
	what := "they are part of the work"
	if ended.Verdict.Status == Pass {
		what += ", and the checks begin again"
	}
	return s.record(Noted{Text: fmt.Sprintf("check %q wrote files: %s; %s", ended.Verdict.Gate, strings.Join(paths, ", "), what)})
}
