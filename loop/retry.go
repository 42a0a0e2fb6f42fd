package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// decideRetry has the policy recommend how the step goes on after an attempt that did not pass, asks a
// person where one is there, and holds what was chosen to the limits.
func (s *Session) decideRetry(ctx context.Context) error {
	if last := s.state.CurrentAttempt().Last(); last != nil && last.OutOfTime {
		return s.end(s.stepTimeOutcome()) // the check was cut short: a limit, whatever retries are left
	}
	r, err := s.recommend(ctx, nil)
	if err != nil {
		return err
	}
	d, err := s.settleRetry(ctx, r)
	if err != nil || d.By == "" {
		return err // the session is stopped, or waits for a person
	}
	if err := s.record(d); err != nil || d.Retry {
		return err
	}
	if d.Strategy == mulligan.ChoiceSkip {
		return s.skipStep(ctx, d.Reason)
	}
	return s.failStep(d)
}

// recommend returns what the policy recommends, without the strategies that are ruled out. What a
// person was asked about before a crash stays what they were asked.
func (s *Session) recommend(ctx context.Context, ruled []string) (mulligan.Recommendation, error) {
	st := &s.state
	if st.Recommended != nil && len(ruled) == 0 {
		return *st.Recommended, nil
	}
	c := mulligan.RetryCase{Plan: st.Plan, Step: *s.step(), Attempts: s.stepState().Attempts, Past: s.lookUpPast(ctx), Ruled: ruled}
	if err := s.noteOnce(c.Past.Problem); err != nil {
		return mulligan.Recommendation{}, err
	}
	r, fault := s.callPolicy(c)
	if fault != nil {
		if err := s.noteOnce("the decision about a retry broke, and the step is tried again as it is: " + text.Clip(fault.Error(), maxReason)); err != nil {
			return r, err
		}
	}
	if c.IsSpent() && r.Strategy != mulligan.AbortRecommended {
		r.Strategy, r.Rule, r.Reason = mulligan.AbortRecommended, mulligan.RuleLimit, "no retries are left"
	}
	return r, nil
}

// lookUpPast returns what past sessions tell of the step.
func (s *Session) lookUpPast(ctx context.Context) mulligan.Past {
	st := &s.state
	if s.Pasts == nil {
		return mulligan.Past{}
	}
	q := mulligan.PastQuestion{Root: st.Place.Root, Pipeline: st.Plan.Pipeline, Step: s.step().Name, Session: s.id}
	if st.Plan.Loop != nil {
		q.Pipeline = st.Plan.Name()
	}
	if st.Plan.Retry != nil {
		q.Window = st.Plan.Retry.Window
	}
	return s.Pasts(context.WithoutCancel(ctx), q)
}

// callPolicy asks the policy. A fault of it is answered with a plain retry.
func (s *Session) callPolicy(c mulligan.RetryCase) (r mulligan.Recommendation, fault error) {
	defer func() {
		if fault = newPanicError(recover()); fault != nil {
			r = mulligan.Recommendation{Strategy: mulligan.StrategyRetry, Rule: mulligan.RuleFault, Reason: "the decision broke"}
		}
	}()
	return s.Policy.Recommend(c), nil
}

// noteOnce records a note that the session does not have yet.
func (s *Session) noteOnce(words string) error {
	if words == "" || slices.Contains(s.state.Notes, words) {
		return nil
	}
	return s.record(mulligan.Noted{Text: words})
}

// settleRetry returns what is done: what the policy recommends, or what a person chose. Its By is "" where
// the session has to stop or to wait first.
func (s *Session) settleRetry(ctx context.Context, r mulligan.Recommendation) (mulligan.Decided, error) {
	var ruled []string
	for {
		d := s.newDecision(r, r.Strategy, mulligan.ByPolicy)
		d.Ruled = ruled
		if s.isStuck(r) {
			d.Decision = mulligan.Decision{Reason: fmt.Sprintf("stuck: the same failure came %s in a row, and every strategy was tried", text.Times(r.Same))}
			d.By = mulligan.ByLimit
			return d, nil
		}
		if settled := s.settleAlone(r, &d); settled {
			return d, nil
		}
		q, err := s.askAboutRetry(ctx, r)
		if err != nil || q.By == "" {
			return mulligan.Decided{}, err
		}
		if r.Strategy != mulligan.StrategyRollback || q.By == mulligan.ByPerson {
			return s.applyAnswer(ctx, r, q, ruled)
		}
		if r, ruled, err = s.ruleOutRollback(ctx, ruled); err != nil {
			return mulligan.Decided{}, err
		}
	}
}

// settleAlone reports whether the recommendation is taken without a person's word.
func (s *Session) settleAlone(r mulligan.Recommendation, d *mulligan.Decided) bool {
	_, reached := s.attemptLimit()
	switch {
	case r.Rule == mulligan.RuleLimit:
		d.By = mulligan.ByLimit
	case r.Plain(), r.Rule == mulligan.RuleNever, reached && r.Strategy != mulligan.StrategyRollback:
	case r.Strategy == mulligan.StrategyRollback && s.state.Plan.Retry != nil && s.state.Plan.Retry.YesRollback:
		d.By = mulligan.ByPerson
	case r.Strategy == mulligan.StrategyRollback:
		return false
	default:
		return !s.waitsForPerson() && !s.canAsk()
	}
	return true
}

// ruleOutRollback returns what is recommended where nobody has agreed to a rollback.
func (s *Session) ruleOutRollback(ctx context.Context, ruled []string) (mulligan.Recommendation, []string, error) {
	ruled = append(slices.Clone(ruled), mulligan.StrategyRollback)
	r, err := s.recommend(ctx, ruled)
	if r.Strategy == mulligan.StrategyRollback { // a policy that insists
		r.Strategy, r.Rule, r.Reason = mulligan.StrategyRetry, mulligan.RulePlain, "nobody has agreed to a rollback"
	}
	return r, ruled, err
}

// isStuck reports whether the same failure has come so often that the session ends.
func (s *Session) isStuck(r mulligan.Recommendation) bool {
	most := s.state.Plan.Limits.SameFailure
	return most > 0 && r.Same >= most && r.Exhausted && r.Strategy != mulligan.AbortRecommended
}

// canAsk reports whether a person may answer: one watches, or the session waits for ever.
func (s *Session) canAsk() bool {
	return s.state.Plan.People.Ask || s.Attended != nil && s.Attended()
}

// waitsForPerson reports whether nothing but the plain retry is done without a person's word.
func (s *Session) waitsForPerson() bool { return s.state.Plan.Retry != nil && s.state.Plan.Retry.Wait }

// newDecision returns a decision for a strategy, or to stop.
func (s *Session) newDecision(r mulligan.Recommendation, strategy, by string) mulligan.Decided {
	d := mulligan.Decided{Decision: mulligan.Decision{Retry: true, Strategy: strategy, Reason: r.Reason}, By: by, Recommended: &r}
	switch strategy {
	case mulligan.AbortRecommended, mulligan.ChoiceAbort:
		d.Retry, d.Strategy = false, ""
	case mulligan.ChoiceSkip:
		d.Retry = false
	default:
		d.Fresh = s.state.Plan.BeginsFresh(strategy)
	}
	return d
}

// askAboutRetry puts the recommendation to a person. The question's By is "" where the session has to
// stop or to wait. Where nobody can be asked about a rollback, the answer is no.
func (s *Session) askAboutRetry(ctx context.Context, r mulligan.Recommendation) (mulligan.Question, error) {
	if !s.canAsk() && !s.waitsForPerson() {
		return mulligan.Question{Answer: mulligan.ChoiceNo, By: mulligan.ByDefault}, nil
	}
	if err := s.recordRecommendation(r); err != nil {
		return mulligan.Question{}, err
	}
	q := mulligan.Question{Asker: mulligan.AskerStrategy, Turn: s.state.Turn, Options: []string{mulligan.ChoiceYes, mulligan.ChoiceNo, mulligan.ChoiceAbort}, Default: mulligan.ChoiceYes}
	q.Text = fmt.Sprintf("Recommended strategy: %s. Retry with this approach? (y/n/abort) Step %s: %s.", r.Strategy, s.step().Name, r.Reason)
	switch r.Strategy {
	case mulligan.StrategyRollback:
		q.Default = mulligan.ChoiceNo
	case mulligan.AbortRecommended:
		q.Options, q.Default = s.otherChoices(), mulligan.ChoiceAbort
		q.Text = fmt.Sprintf("Step %s failed after %s. What now? (%s)", s.step().Name, text.Count(r.Used-1, "retry"), strings.Join(q.Options, "/"))
	}
	return s.askOrWait(ctx, q)
}

// recordRecommendation records what a person is about to be asked, once.
func (s *Session) recordRecommendation(r mulligan.Recommendation) error {
	if was := s.state.Recommended; was != nil && was.Strategy == r.Strategy && was.Used == r.Used {
		return nil
	}
	return s.record(mulligan.RetryRecommended{Step: s.step().Name, Attempt: s.state.CurrentAttempt().Number, Recommendation: r})
}

// otherChoices returns what a person can choose instead of a recommendation. A loop has no next step to
// skip to.
func (s *Session) otherChoices() []string {
	if s.state.Plan.Loop != nil {
		return []string{mulligan.StrategyRetry, mulligan.ChoiceAbort}
	}
	return []string{mulligan.StrategyRetry, mulligan.ChoiceSkip, mulligan.ChoiceAbort}
}

// applyAnswer returns what was answered as a decision. After a person's no they are asked what else.
func (s *Session) applyAnswer(ctx context.Context, r mulligan.Recommendation, q mulligan.Question, ruled []string) (mulligan.Decided, error) {
	if q.Answer == mulligan.ChoiceNo {
		options := s.otherChoices()
		var err error
		q, err = s.askOrWait(ctx, mulligan.Question{
			Text:  fmt.Sprintf("Step %s: not %s. What instead? (%s)", s.step().Name, r.Strategy, strings.Join(options, "/")),
			Asker: mulligan.AskerStrategy, Turn: s.state.Turn, Options: options, Default: mulligan.StrategyRetry,
		})
		if err != nil || q.By == "" {
			return mulligan.Decided{}, err
		}
	}
	strategy := q.Answer
	if strategy == mulligan.ChoiceYes {
		strategy = r.Strategy
	}
	d := s.newDecision(r, strategy, q.By)
	d.Ruled = ruled
	if q.By == mulligan.ByPerson && strategy != r.Strategy {
		d.Reason = "a person chose " + strategy
	}
	return d, nil
}

// askOrWait asks a person. Where nobody answers, the default is taken, or the session waits.
func (s *Session) askOrWait(ctx context.Context, q mulligan.Question) (mulligan.Question, error) {
	if !s.waitsForPerson() {
		q, err := s.askPerson(ctx, q)
		if s.isStopped(ctx) && q.By == "" {
			return mulligan.Question{}, err
		}
		return q, err
	}
	i, _, err := s.awaitPerson(ctx, q)
	if err != nil || s.isStopped(ctx) {
		return mulligan.Question{}, err
	}
	if q = s.state.Questions[i]; q.By == "" {
		return q, s.end(mulligan.Outcome{Ended: mulligan.Waiting, Reason: fmt.Sprintf("question %d waits for an answer: %s", q.ID, q.Text)})
	}
	return q, nil
}

// failStep gives the step up.
func (s *Session) failStep(d mulligan.Decided) error {
	st, r := &s.state, d.Recommended
	last := st.CurrentAttempt().Last()
	reason := fmt.Sprintf("step %q failed after %s", s.step().Name, text.Count(s.stepState().Used()-1, "retry"))
	switch {
	case d.By == mulligan.ByPerson:
		reason += ": a person chose to stop"
	case d.By == mulligan.ByLimit && r.Rule != mulligan.RuleLimit:
		reason = d.Reason
	case r.Rule == mulligan.RuleNever:
		reason = fmt.Sprintf("step %q failed, and is never tried again (never_retry)", s.step().Name)
	}
	if err := s.record(mulligan.StepFailed{Step: s.step().Name, Reason: reason, Verdict: last}); err != nil {
		return err
	}
	return s.end(mulligan.Outcome{Ended: mulligan.GaveUp, Reason: reason, Evidence: last})
}

// skipStep puts the step's changes back and goes on to the next step. What was there is kept as a snapshot.
func (s *Session) skipStep(ctx context.Context, reason string) error {
	st := &s.state
	to := st.VerifiedTree()
	if err := s.flush(ctx); err != nil {
		return err
	}
	if err := s.restoreTree(ctx, to, "%d-skipped", st.Iteration); err != nil {
		return fmt.Errorf("putting the changes of step %q back: %w", s.step().Name, err)
	}
	return s.record(mulligan.StepSkipped{Step: s.step().Name, Reason: reason, Tree: to, Verdict: st.CurrentAttempt().Last()})
}
