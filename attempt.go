package mulligan

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// choose finds the next step that is not done, or ends the session well.
func (s *Session) choose(ctx context.Context) error {
	for i, step := range s.state.Steps {
		if !step.Done() {
			return s.say(StepStarted{Step: step.Name, Index: i})
		}
	}
	o := s.success()
	if s.state.Plan.Task.Folder != "" {
		// The next task begins on this tree, also where another process runs it: that one
		// has to tell what was left here from what a person has done since.
		tree, err := s.Workspace.Snapshot(context.WithoutCancel(ctx), s.state.ID+"/end")
		if err != nil {
			return fmt.Errorf("taking a snapshot of what the session leaves: %w", err)
		}
		o.Left = tree
	}
	return s.end(o)
}

func (s *Session) success() Outcome {
	var unchecked []string
	for _, step := range s.state.Steps {
		if step.Status == StatusAccepted {
			unchecked = append(unchecked, fmt.Sprintf("%q", step.Name))
		}
	}
	if len(unchecked) == 0 {
		return Outcome{Ended: Verified}
	}
	return Outcome{Ended: Accepted, Reason: "nothing checked " + strings.Join(unchecked, ", ")}
}

// prepare takes the snapshot and begins the next attempt, where the limits allow one.
func (s *Session) prepare(ctx context.Context) error {
	if o, reached := s.limit(); reached {
		return s.end(o)
	}
	if wait := failureWait(s.state.FailedRow); wait > 0 {
		if err := s.pause(ctx, Waited{For: wait, Reason: fmt.Sprintf("the agent failed %d in a row", s.state.FailedRow)}); err != nil || ctx.Err() != nil {
			return err
		}
	}
	st := &s.state
	number := 1
	if a := st.attempt(); a != nil {
		number = a.Number
		if a.Status != "" {
			number++
		}
	}
	tree, err := s.Workspace.Snapshot(context.WithoutCancel(ctx), fmt.Sprintf("%s/%d", st.ID, st.Iteration+1))
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	prompt, conversation := s.prompt()
	strategy := st.Decision.Strategy
	if err := s.say(AttemptStarted{Step: s.step().Name, Attempt: number, Iteration: st.Iteration + 1, Strategy: strategy, Snapshot: tree}); err != nil {
		return err
	}
	s.mine = st.Turn + 1
	return s.say(TurnStarted{
		Turn: s.mine, Agent: s.step().Agent, Prompt: prompt, Conversation: conversation,
		Before: tree, Log: s.Records.TurnLog(s.mine),
	})
}

// prompt is what the agent is told next, and the conversation that it is told in. In a
// conversation that goes on the feedback is enough; elsewhere the step's prompt comes first.
func (s *Session) prompt() (text, conversation string) {
	st := &s.state
	first := s.Prompter.StepPrompt(st.Plan, st.Step)
	feedback := s.feedback()
	if feedback == "" {
		return first, ""
	}
	if st.Conversation == "" || st.Decision.Fresh {
		return first + "\n\n" + feedback, ""
	}
	return feedback, st.Conversation
}

// feedback is the evidence of the last attempt that was examined, "" before there is one.
func (s *Session) feedback() string {
	var examined []*AttemptState
	attempts := s.current().Attempts
	for i := range attempts {
		if attempts[i].Status != "" {
			examined = append(examined, &attempts[i])
		}
	}
	switch n := len(examined); n {
	case 0:
		return ""
	case 1:
		return s.Prompter.Feedback(*s.step(), *examined[0], nil)
	default:
		return s.Prompter.Feedback(*s.step(), *examined[n-1], examined[n-2])
	}
}

// limit says whether the session may not begin another attempt.
func (s *Session) limit() (Outcome, bool) {
	st, l := &s.state, s.state.Plan.Limits
	switch {
	case l.FailedIterations > 0 && st.FailedRow >= l.FailedIterations:
		why := fmt.Sprintf("the agent failed %d times in a row: %s", st.FailedRow, st.attempt().Reason)
		return Outcome{Ended: AgentUnavailable, Reason: why}, true
	case l.Turns > 0 && st.Turn-st.TurnsBefore >= l.Turns:
		return s.limited(fmt.Sprintf("the limit of %d turns is reached", l.Turns)), true
	case l.Duration > 0 && st.Worked-st.WorkedBefore >= l.Duration:
		return s.limited(fmt.Sprintf("the limit of %s is reached", l.Duration)), true
	case s.step().Timeout > 0 && s.current().Worked >= s.step().Timeout:
		return s.limited(s.stepTimeReason()), true
	}
	return Outcome{}, false
}

func (s *Session) limited(why string) Outcome {
	o := Outcome{Ended: LimitReached, Reason: why}
	if a := s.state.attempt(); a != nil {
		if v := a.Last(); v != nil && v.Status != Pass {
			o.Evidence = v
		}
	}
	return o
}

func (s *Session) stepTimeReason() string {
	return fmt.Sprintf("step %q took longer than its timeout of %s", s.step().Name, s.step().Timeout)
}

// failureWait grows with the failures in a row: 1 s, 2 s, 4 s … a minute at most.
func failureWait(row int) time.Duration {
	if row == 0 {
		return 0
	}
	return min(time.Second<<min(row-1, 6), time.Minute)
}

func (s *Session) pause(ctx context.Context, w Waited) error {
	if err := s.say(w); err != nil {
		return err
	}
	if err := s.flush(ctx); err != nil {
		return err
	}
	s.Clock.Sleep(ctx, w.For)
	return nil
}

// decide asks the policy after an attempt that did not pass, and holds it to the budget.
func (s *Session) decide() error {
	step, used := s.step(), s.current().Used()
	if v := s.state.attempt().Last(); v != nil && v.Summary == s.stepTimeReason() {
		return s.end(s.limited(v.Summary)) // the check was cut short: a limit, whatever retries are left
	}
	d, by := s.Policy.Decide(*step, s.current().Attempts), "policy"
	if d.Retry && used > step.Retry {
		d, by = Decision{Reason: "no retries are left"}, "limit"
	}
	if err := s.say(Decided{Decision: d, By: by}); err != nil || d.Retry {
		return err
	}
	a := s.state.attempt()
	reason := fmt.Sprintf("step %q failed after %d retries", step.Name, used-1)
	if err := s.say(StepFailed{Step: step.Name, Reason: reason, Verdict: a.Last()}); err != nil {
		return err
	}
	return s.end(Outcome{Ended: GaveUp, Reason: reason, Evidence: a.Last()})
}
