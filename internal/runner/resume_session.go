package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/state"
)

// ResumeSession resumes one session, as `mulligan resume` does, and takes it to its outcome. One that
// is not good is a usererror.Exit. remake makes the session's plan again, of a config that a person has
// corrected.
func (r *Runner) ResumeSession(ctx context.Context, s mulligan.Summary, remake func(old *mulligan.Plan) (*mulligan.Plan, error)) error {
	r.remake = remake
	j, err := r.resume(ctx, s)
	if err != nil {
		return err
	}
	return j.finish(ctx)
}

// errMoved means that a session ended, or was resumed by another process, after it was decided what
// to do about it.
var errMoved = errors.New("the session has moved on")

// maxMoves is how often a session may have moved on before it is left alone.
const maxMoves = 20

// errRestless is a session that has moved on each time that it was to be resumed.
var errRestless = usererror.New(mulligan.ExitBusy, "the session has changed each time that it was to be resumed", "another process works on it: `mulligan status` says which; try again when that has ended")

// resume makes ready to resume one session, with its own plan. It goes by the session's events: the
// summary that a list has of them may be older, or not be theirs.
func (r *Runner) resume(ctx context.Context, s mulligan.Summary) (*job, error) {
	for range maxMoves {
		state, err := r.readState(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		s = state.Summary()
		if !sessions.CanResume(s) {
			return nil, sessions.OverError(s)
		}
		j, err := r.resumePrior(ctx, priorSession{summary: &s}, nil)
		if !errors.Is(err, errMoved) {
			return j, err
		}
	}
	return nil, errRestless
}

// planAgain returns how a failed session is run once more, and from which step.
func (j *job) planAgain(state *state.State, p *mulligan.Plan) (mulligan.SessionResumed, error) {
	how := mulligan.SessionResumed{Again: true, Plan: p}
	var names []string
	for _, s := range p.Steps {
		names = append(names, s.Name)
	}
	if from := j.Options.From; from != "" {
		if how.From = slices.Index(names, from); how.From < 0 {
			return how, usererror.Usage(fmt.Sprintf("--from: the pipeline %s has no step %q", p.Pipeline, from), "its steps: "+strings.Join(names, ", "))
		}
		return how, nil
	}
	how.From = slices.IndexFunc(names, func(name string) bool {
		return !slices.ContainsFunc(state.Steps, func(s mulligan.StepState) bool { return s.Name == name && s.Done() })
	})
	if how.From < 0 {
		how.From = len(names)
	}
	return how, nil
}
