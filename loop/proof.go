package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// maxRestarts is how often a round begins again because its tree has become another.
const maxRestarts = 2

// layProof makes the proof exactly a tree; an interruption does not stop it.
func (s *Session) layProof(ctx context.Context, tree mulligan.Tree) error {
	if err := s.Proof.Lay(context.WithoutCancel(ctx), tree); err != nil {
		return fmt.Errorf("laying out the proof: %w", err)
	}
	return nil
}

// failedSetup returns the verdict of a check on work whose own setup fails, or the error if it is another.
func failedSetup(check string, err error) (mulligan.Verdict, error) {
	failed, ok := errors.AsType[*mulligan.SetupError](err)
	if !ok {
		return mulligan.Verdict{}, err
	}
	return mulligan.Verdict{
		Status: mulligan.Fail, Gate: check, Summary: fmt.Sprintf("the setup %q fails: %s", failed.Command, failed.Summary),
		Finding: &mulligan.Finding{Command: failed.Command, Text: "The setup reads what the work has changed, and fails in a clone of it:\n" + failed.Output},
	}, nil
}

// runGate has a gate examine the work in the proof. One that does not end within its limit fails; one that is
// interrupted is run again as if it had not begun.
func (s *Session) runGate(ctx context.Context, r round, gate mulligan.Gate, index, try int) (v mulligan.Verdict, err error) {
	st, check := &s.state, r.step.Checks[index]
	started := mulligan.GateStarted{Index: index, Gate: check.Name, Try: try + 1}
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
		if v, err = failedSetup(check.Name, err); err != nil {
			return v, err
		}
		return v, s.record(mulligan.GateEnded{Index: index, Try: started.Try, Verdict: v})
	}
	v, err = s.examineTimed(ctx, r, gate, check.Name, w)
	if err != nil || s.isStopped(ctx) {
		return v, err
	}
	v = s.compareToBaseline(r, golden.tell(v))
	if v.Status == mulligan.Pass && try > 0 {
		v = markFlaky(v, st.FailedRuns(check.Name))
	}
	if v, err = s.tellLacks(ctx, v); err != nil {
		return v, err
	}
	ended := mulligan.GateEnded{Index: index, Try: started.Try, Verdict: v}
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
func (s *Session) settleProof(ctx context.Context, r round, laid mulligan.Tree, ended *mulligan.GateEnded) error {
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
	changed, _, err := s.Store.Changed(ctx, laid, now, maxCompared)
	if err != nil {
		return fmt.Errorf("looking at what check %q left: %w", ended.Verdict.Gate, err)
	}
	changed = slices.DeleteFunc(changed, func(line string) bool { return strings.HasPrefix(line, "A ") })
	ended.Undone = clipList(changed)
	if len(changed) == 0 || check.Keep || slices.Contains(s.state.UndoneBy, ended.Verdict.Gate) {
		return nil
	}
	return s.record(mulligan.Noted{Text: fmt.Sprintf("check %q changed files of the work, and they were put back: %s; what a check writes is not committed (keep: true makes it part of the work)",
		ended.Verdict.Gate, strings.Join(clipList(changed), ", "))})
}

// maxCompared is how many paths that a check has written are looked at.
const maxCompared = 1000

// keepProof makes what a check has written the work, and has the round begin again. A check that still writes after that
// has been done often enough fails, and one that writes what may not be written is broken.
func (s *Session) keepProof(ctx context.Context, r round, laid, now mulligan.Tree, ended *mulligan.GateEnded) error {
	st := &s.state
	if s.FindViolations != nil {
		changes, err := s.Store.Changes(ctx, laid, now)
		if err != nil {
			return fmt.Errorf("comparing what was written: %w", err)
		}
		if found := s.FindViolations(s.writeCase(), changes); len(found) > 0 {
			ended.Verdict.Status = mulligan.Broken
			ended.Verdict.Summary = fmt.Sprintf("it keeps what it writes, and wrote what file_access of step %s does not allow: %s", s.currentStepName(), strings.Join(listViolations(found), ", "))
			return nil
		}
	}
	paths, all, err := s.Store.Changed(ctx, laid, now, maxListed)
	if err != nil {
		return fmt.Errorf("looking at what check %q left: %w", ended.Verdict.Gate, err)
	}
	paths = addMore(paths, all-len(paths))
	if ended.Verdict.Status == mulligan.Pass && st.Examination.Restarts >= maxRestarts {
		ended.Verdict = failUnstable(ended.Verdict, paths)
		return nil
	}
	if err := s.restoreTree(ctx, now, "%s-kept", r.label); err != nil {
		return fmt.Errorf("bringing what check %q wrote to the workspace: %w", ended.Verdict.Gate, err)
	}
	ended.Tree, ended.Kept = now, paths
	what := "they are part of the work"
	if ended.Verdict.Status == mulligan.Pass {
		what += ", and the checks begin again"
	}
	return s.record(mulligan.Noted{Text: fmt.Sprintf("check %q wrote files: %s; %s", ended.Verdict.Gate, strings.Join(paths, ", "), what)})
}

// ranToItsEnd reports whether a check gave its verdict by itself: one that was stopped may have left
// files half written.
func ranToItsEnd(v mulligan.Verdict) bool {
	return v.Status == mulligan.Pass || v.Status == mulligan.Fail && !v.OutOfTime && v.Finding != nil && !v.Finding.CutShort
}

// failUnstable returns the verdict of a check that passes, but never leaves the files alone.
func failUnstable(v mulligan.Verdict, paths []string) mulligan.Verdict {
	summary := fmt.Sprintf("unstable: it still writes files after the checks began again %s", text.Times(maxRestarts))
	return failWith(v, summary, summary+": "+strings.Join(paths, ", "))
}

// failWith returns a verdict as a failed one, with a text before its evidence.
func failWith(v mulligan.Verdict, summary, body string) mulligan.Verdict {
	f := mulligan.Finding{Command: v.Gate}
	if v.Finding != nil {
		f = *v.Finding
	}
	f.Text = body + "\n" + f.Text
	v.Status, v.Summary, v.Finding = mulligan.Fail, summary, &f
	return v
}

// tellLacks adds to the evidence of a check that failed what the workspace has and the commit does not, where that is new
// since the session's start: the check ran without it.
func (s *Session) tellLacks(ctx context.Context, v mulligan.Verdict) (mulligan.Verdict, error) {
	if v.Status != mulligan.Fail || v.Finding == nil {
		return v, nil
	}
	lines, err := s.listLacks(ctx)
	if err != nil {
		return v, err
	}
	if len(lines) == 0 {
		return v, nil
	}
	f := *v.Finding
	f.Text = strings.TrimRight(f.Text, "\n") + "\n\nThe check ran on a checkout of the commit, without these files of the workspace:\n- " + strings.Join(clipList(lines), "\n- ")
	v.Finding = &f
	return v, nil
}

// listLacks lists what the workspace has and the commit does not, with why, where that is new since the session's start.
func (s *Session) listLacks(ctx context.Context) ([]string, error) {
	all, err := s.Workspace.Lacks(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("looking at what no commit has: %w", err)
	}
	var lines []string
	for _, l := range all {
		if !slices.ContainsFunc(s.state.Lacks, func(had mulligan.Lack) bool { return had.Path == l.Path }) {
			lines = append(lines, fmt.Sprintf("the commit does not have %s: %s", text.QuotePath(l.Path), text.Clip(text.OneLine(l.Why), 200)))
		}
	}
	return lines, nil
}

// A freshCheck is a check that is run again in a proof made anew, and what it would be a failure of.
type freshCheck struct {
	step    mulligan.Step
	attempt int // at the step, whose work it verifies
	index   int
}

// proveFresh runs the checks of the session's verified steps once more in a proof that has nothing but the work and what
// the setup makes, if passing this round verifies the session. Where that is the state in which they ran already, it runs
// none. What an earlier process began it continues. It returns the verdict of the one that does not pass, or nil.
func (s *Session) proveFresh(ctx context.Context, r round) (*mulligan.Verdict, error) {
	if !s.completesSession(r) {
		return nil, nil
	}
	e := s.state.Examination
	for _, fresh := range []bool{true, false} {
		if checks := s.checksToProve(r, fresh); e.Fresh > 0 && len(checks) == e.Fresh {
			return s.runFreshChecks(ctx, r, checks, e.Gate-len(r.step.Checks), e.Try+1)
		}
	}
	fresh := false
	if e.Fresh == 0 && !s.tookOver { // else the earlier process may have made the proof anew after checks had run in it
		var err error
		if fresh, err = s.Proof.IsFresh(context.WithoutCancel(ctx)); err != nil {
			return nil, fmt.Errorf("looking at the proof: %w", err)
		}
	}
	checks := s.checksToProve(r, fresh)
	if len(checks) == 0 {
		return nil, nil
	}
	if why := s.explainWarm(); why != "" {
		return nil, s.record(mulligan.Noted{Text: "the checks passed, and were not run again in a proof made anew (" + why + "): `mulligan verify " + s.id + "` does that", Warm: true})
	}
	if !fresh {
		if err := s.flush(ctx); err != nil {
			return nil, err
		}
		if err := s.Proof.LayFresh(context.WithoutCancel(ctx), s.state.Tree); err != nil {
			return s.failFreshSetup(r, checks[0], err)
		}
	}
	return s.runFreshChecks(ctx, r, checks, 0, 1)
}

// runFreshChecks runs checks in a proof made anew, from one of them on, of which the given run is the next. It returns the
// verdict of the one that does not pass, or nil.
func (s *Session) runFreshChecks(ctx context.Context, r round, checks []freshCheck, from, try int) (*mulligan.Verdict, error) {
	for i := from; i < len(checks); i++ {
		v, err := s.runFreshCheck(ctx, r, checks, i, try)
		if err != nil || s.isStopped(ctx) || v.Status != mulligan.Pass {
			return &v, err
		}
		try = 1
	}
	return nil, nil
}

// failFreshSetup is what becomes of a proof that could not be made anew: where the work's own setup fails, the attempt has
// failed.
func (s *Session) failFreshSetup(r round, c freshCheck, err error) (*mulligan.Verdict, error) {
	v, err := failedSetup(c.step.Checks[c.index].Name, err)
	if err != nil {
		return nil, fmt.Errorf("making the proof anew: %w", err)
	}
	index := len(r.step.Checks)
	if err := s.record(mulligan.GateStarted{Index: index, Gate: v.Gate, Try: 1, Fresh: true, Of: 1}); err != nil {
		return &v, err
	}
	return &v, s.record(mulligan.GateEnded{Index: index, Try: 1, Verdict: v, Fresh: true})
}

// completesSession reports whether a session is verified if a round passes.
func (s *Session) completesSession(r round) bool {
	st := &s.state
	switch {
	case st.Final != nil:
		return st.Final.Outcome.Good() && st.Tree.ID != st.Final.Before.ID
	case st.Plan.Loop != nil:
		return st.Claim != nil
	case st.StopHooks.Base == mulligan.ForRecovery:
		return false
	}
	for i, step := range st.Steps {
		if i != st.Step && !step.Done() {
			return false
		}
	}
	return len(r.step.Checks) > 0 || len(st.Steps) > 1
}

// checksToProve returns the checks that have not passed on the work in a proof that has nothing else. fresh reports whether
// those of this round have run in one.
func (s *Session) checksToProve(r round, fresh bool) []freshCheck {
	var checks []freshCheck
	add := func(step mulligan.Step, attempt int) {
		for i, c := range step.Checks {
			if !c.Inverted && c.Agent == "" {
				checks = append(checks, freshCheck{step, attempt, i})
			}
		}
	}
	st := &s.state
	if st.Final == nil && st.Plan.Loop == nil {
		for i, step := range st.Plan.Steps {
			if i != st.Step && st.Steps[i].Done() && (!fresh || st.Steps[i].Tree.ID != st.Tree.ID) {
				add(step, st.Steps[i].Used())
			}
		}
	}
	if !fresh {
		add(r.step, r.attempt)
	}
	return checks
}

// explainWarm returns why checks are not run again in a proof made anew, or "" if they are.
func (s *Session) explainWarm() string {
	p := s.state.Plan
	if p.Verify == mulligan.VerifyWarm {
		return "verify: warm"
	}
	took := s.SetupTook
	for _, v := range s.state.RoundVerdicts() {
		took += v.Duration
	}
	if p.Verify != mulligan.VerifyFresh && p.VerifyWithin > 0 && took > p.VerifyWithin {
		return fmt.Sprintf("setup and checks took %s, which is longer than verify_within", took.Round(time.Second))
	}
	return ""
}

// runFreshCheck runs one of some checks in a proof made anew, again if it is flaky, or could not tell the first time. What
// fails there passed before with something that no commit has.
func (s *Session) runFreshCheck(ctx context.Context, r round, checks []freshCheck, i, try int) (v mulligan.Verdict, err error) {
	c := checks[i]
	gates, err := s.Gates(c.step)
	if err != nil {
		return v, err
	}
	check := c.step.Checks[c.index]
	for ; ; try++ {
		started := mulligan.GateStarted{Index: len(r.step.Checks) + i, Gate: check.Name, Try: try, Fresh: true, Of: len(checks)}
		if v, err = s.tryFreshCheck(ctx, r, c, gates[c.index], started); err != nil || s.isStopped(ctx) {
			return v, err
		}
		if v.Status == mulligan.Pass || v.Status == mulligan.Broken && try >= 2 || v.Status == mulligan.Fail && !mayRepeat(check, v, try) {
			return v, nil
		}
	}
}

// tryFreshCheck is runFreshCheck, once.
func (s *Session) tryFreshCheck(ctx context.Context, r round, c freshCheck, gate mulligan.Gate, started mulligan.GateStarted) (v mulligan.Verdict, err error) {
	check, index, try := c.step.Checks[c.index], started.Index, started.Try
	if err := s.record(started); err != nil {
		return v, err
	}
	w := s.newWork(round{step: c.step, attempt: c.attempt}, c.index)
	if w.Output, err = s.Records.GateOutput(s.state.Turn, index, try); err != nil {
		return v, err
	}
	if err := s.flush(ctx); err != nil {
		return v, err
	}
	golden, err := s.layGolden(ctx, round{step: c.step}, c.index, s.state.Tree)
	if err != nil {
		return v, err
	}
	if err := s.layProof(ctx, golden.laid); err != nil {
		if v, err = failedSetup(check.Name, err); err != nil {
			return v, err
		}
		return v, s.record(mulligan.GateEnded{Index: index, Try: try, Verdict: v, Fresh: true})
	}
	v, err = s.examineTimed(ctx, r, gate, check.Name, w)
	if err != nil || s.isStopped(ctx) {
		return v, err
	}
	v = s.compareToBaseline(round{step: c.step, attempt: c.attempt}, golden.tell(v))
	if v.Status == mulligan.Fail {
		v = failWith(v, "passes only with files that a clone does not have: "+v.Summary,
			"The check passed in a checkout that earlier runs had left files in, and fails in a new one: it passes only with files that a clone does not have.")
	}
	return v, s.record(mulligan.GateEnded{Index: index, Try: try, Verdict: v, Fresh: true})
}

// examineTimed has a gate examine the work within the time of its round.
func (s *Session) examineTimed(ctx context.Context, r round, gate mulligan.Gate, name string, w mulligan.Work) (v mulligan.Verdict, err error) {
	began, late, limit := s.Clock.Now(), false, r.limit()
	err = s.serveDuring(ctx, func(outer context.Context) {
		ctx, cancel := limit(outer)
		defer cancel()
		v = gate.Examine(ctx, w)
		late = ctx.Err() != nil
	})
	if late && !s.isStopped(ctx) {
		v = mulligan.Verdict{Status: mulligan.Fail, Gate: name, Summary: r.late, Finding: v.Finding, OutOfTime: true, Judge: v.Judge}
	}
	v.Duration = s.since(began)
	return v, err
}

// maxListed is how many paths of a check's writes are named.
const maxListed = 20

// clipList returns the first paths of a list, and how many more there are.
func clipList(paths []string) []string {
	n := min(len(paths), maxListed)
	return addMore(paths[:n:n], len(paths)-n)
}

func addMore(paths []string, more int) []string {
	if more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return paths
}
