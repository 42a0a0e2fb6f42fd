package mulligan

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// choose finds the next step that is not done, or ends the session well. Before the first one
// come the session_start hooks.
func (s *Session) choose(ctx context.Context) error {
	if s.state.Phase == Starting {
		if err := s.greet(ctx); err != nil || s.stopped(ctx) || s.state.Ending != nil || s.state.Outcome != nil {
			return err
		}
		if err := s.runHooks(ctx, SessionStart, true); err != nil || s.stopped(ctx) {
			return err
		}
	}
	for i, step := range s.state.Steps {
		if !step.Done() {
			return s.say(StepStarted{Step: step.Name, Index: i})
		}
	}
	o := s.success()
	if err := s.leave(ctx, &o); err != nil {
		return err
	}
	return s.end(o)
}

// leave notes the tree that a folder's task leaves. The next task begins on it, also where
// another process runs that: it has to tell what was left here from what a person has done since.
func (s *Session) leave(ctx context.Context, o *Outcome) error {
	if s.state.Plan.Task.Folder == "" || !o.Good() {
		return nil
	}
	tree, err := s.snapshot(ctx, "end")
	if err != nil {
		return fmt.Errorf("taking a snapshot of what the session leaves: %w", err)
	}
	o.Left = tree
	return nil
}

func (s *Session) success() Outcome {
	var unchecked, reasons, waived []string
	for _, step := range s.state.Steps {
		if step.Status != StatusAccepted {
			continue
		}
		if len(step.By) == 0 {
			unchecked = append(unchecked, fmt.Sprintf("%q", step.Name))
		}
		waived = append(waived, step.Waived...)
	}
	if len(unchecked) > 0 {
		reasons = append(reasons, "nothing checked "+strings.Join(unchecked, ", "))
	}
	if reasons = append(reasons, waived...); len(reasons) == 0 {
		return Outcome{Ended: Verified}
	}
	return Outcome{Ended: Accepted, Reason: strings.Join(reasons, "; "), Notes: waived}
}

// prepare takes the snapshot and says that the next attempt begins, where the limits allow one.
func (s *Session) prepare(ctx context.Context) error {
	if s.state.Pausing != "" {
		return s.end(Outcome{Ended: Waiting, Reason: "paused " + s.state.Pausing})
	}
	if o, reached := s.limit(); reached {
		return s.end(o)
	}
	if wait := failureWait(s.state.FailedRow); wait > 0 {
		if err := s.pause(ctx, Waited{For: wait, Reason: fmt.Sprintf("the agent failed %d in a row", s.state.FailedRow)}); err != nil || s.stopped(ctx) {
			return err
		}
	}
	tree, err := s.snapshot(ctx, "%d", s.state.Iteration+1)
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	st := &s.state
	return s.say(AttemptStarted{
		Step: s.step().Name, Attempt: s.number(), Iteration: st.Iteration + 1,
		Strategy: st.Decision.Strategy, Snapshot: tree,
	})
}

// snapshot keeps the workspace as it is; an interruption does not keep it from that.
func (s *Session) snapshot(ctx context.Context, label string, args ...any) (Tree, error) {
	return s.Workspace.Snapshot(context.WithoutCancel(ctx), s.state.ID+"/"+fmt.Sprintf(label, args...))
}

// number is that of the next attempt. In a loop every iteration is one; in a pipeline one that
// the agent failed is taken again.
func (s *Session) number() int {
	st := &s.state
	if st.Plan.Loop != nil {
		return st.Iteration + 1
	}
	a := st.attempt()
	switch {
	case a == nil:
		return 1
	case a.Status != "":
		return a.Number + 1
	}
	return a.Number
}

// begin runs the pre_iteration hooks and prompts the agent: what is pending first, then what
// these hooks printed, then the prompt itself.
func (s *Session) begin(ctx context.Context) error {
	st := &s.state
	before := st.attempt().Snapshot
	if len(st.Plan.Hooks[PreIteration]) > 0 {
		if err := s.runHooks(ctx, PreIteration, true); err != nil || s.stopped(ctx) {
			return err
		}
	}
	if err := s.awaitDue(ctx); err != nil || s.stopped(ctx) {
		return err
	}
	tree, err := s.snapshot(ctx, "%d", st.Iteration) // hooks may have written; after a crash anything may
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	prompt, conversation, err := s.prompt(ctx, before)
	if err != nil {
		return err
	}
	pieces := append(append([]Piece{}, st.Pending...), st.Aside...)
	return s.prompted(ctx, TurnStarted{Prompt: prompt, Conversation: conversation, Before: tree}, pieces)
}

// prompted says that the agent is prompted; what the pieces say comes before the prompt, and
// what agent hooks add to it after. Those may also refuse it.
func (s *Session) prompted(ctx context.Context, t TurnStarted, pieces []Piece) error {
	for _, p := range pieces {
		t.Drains = append(t.Drains, p.Event)
	}
	if t.Purpose == ForAttempt {
		t.Prompt = joined(s.Prompter.Piped(pieces), t.Prompt)
	}
	if goesOn, err := s.submit(ctx, t.Prompt); err != nil || !goesOn {
		return err
	}
	t.Prompt = joined(strings.Join(s.state.Context, "\n\n"), t.Prompt)
	s.mine = s.state.Spent.Turns + 1
	t.Turn, t.Log = s.mine, s.Records.TurnLog(s.mine)
	if t.Agent == "" {
		t.Agent = s.step().Agent
	}
	return s.say(t)
}

func joined(first, then string) string {
	if first == "" {
		return then
	}
	return first + "\n\n" + then
}

// prompt is what the agent is told next, and the conversation that it is told in. In a
// conversation that goes on the feedback is enough; elsewhere the step's prompt comes first.
func (s *Session) prompt(ctx context.Context, now Tree) (text, conversation string, err error) {
	st := &s.state
	if st.Plan.Loop != nil {
		changed, err := s.changed(ctx, now)
		if err != nil {
			return "", "", err
		}
		text, err = s.Prompter.LoopPrompt(st, changed)
		return text, "", err
	}
	first := s.Prompter.StepPrompt(st)
	feedback := s.feedback()
	if feedback == "" {
		return first, "", nil
	}
	if st.Conversation == "" || st.Decision.Fresh {
		return first + "\n\n" + feedback, "", nil
	}
	return feedback, st.Conversation, nil
}

// maxChanged is how many changed paths a prompt names.
const maxChanged = 40

// changed lists what became of the workspace since the iteration before began.
func (s *Session) changed(ctx context.Context, now Tree) ([]string, error) {
	attempts := s.current().Attempts
	if len(attempts) < 2 {
		return nil, nil
	}
	paths, all, err := s.Workspace.Changed(context.WithoutCancel(ctx), attempts[len(attempts)-2].Snapshot, now, maxChanged)
	if err != nil {
		return nil, fmt.Errorf("looking at what changed: %w", err)
	}
	if more := all - len(paths); more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return paths, nil
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
	return s.sleep(ctx, w.For)
}

// decide asks the policy after an attempt that did not pass, and holds it to the budget.
func (s *Session) decide(ctx context.Context) error {
	step, used := s.step(), s.current().Used()
	if v := s.state.attempt().Last(); v != nil && v.Summary == s.stepTimeReason() {
		return s.end(s.timedOut()) // the check was cut short: a limit, whatever retries are left
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
