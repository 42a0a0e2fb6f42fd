package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
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

// resumePrior resumes a session that was begun before: one that was interrupted or killed where it
// stood, one that failed with its failed step's attempts counted anew.
func (r *Runner) resumePrior(ctx context.Context, prior priorSession, p *mulligan.Plan) (*job, error) {
	if r.isInSite(*prior.summary) {
		return r.resumeInSite(ctx, prior, p)
	}
	if _, err := os.Stat(prior.summary.Dir); err != nil {
		return nil, usererror.Usage(fmt.Sprintf("session %s worked in %s, which is gone", prior.summary.ID, prior.summary.Dir), "begin a new one with --restart")
	}
	j, err := r.enterWorkspace(ctx, prior.summary.Dir, prior.summary.ID, prior.summary.Branch)
	if err != nil {
		return nil, err
	}
	err = r.endLeftovers(prior.summary.ID)
	if err == nil {
		err = j.takeOver(ctx, prior, p)
	}
	return j.closeOnError(err)
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

// takeOver reads the session's state under the workspace's lock, brings the workspace back to it, and
// resumes the session.
func (j *job) takeOver(ctx context.Context, prior priorSession, p *mulligan.Plan) error {
	// Read under the lock: its last holder may have written since the list was made.
	state, err := j.readState(ctx, prior.summary.ID)
	if err != nil {
		return err
	}
	if state.Summary().Ended != prior.summary.Ended {
		return errMoved
	}
	j.adoptPlace(state.Place)
	if state.Summary().Returning {
		return j.finishReturn(ctx, state, prior.again)
	}
	j.began = state.Last + 1
	how := mulligan.SessionResumed{}
	if prior.again {
		if how, err = j.planAgain(state, p); err != nil {
			return err
		}
	}
	if state.Outcome == nil {
		// The agent's git may have been killed with it.
		if err := j.ws.DropLocks(ctx); err != nil {
			return explainGitBusy(err)
		}
	} else if doing := j.ws.InProgress(ctx); doing != "" && (prior.again || state.Outcome.Standing != nil) {
		return refuseInProgress(doing)
	}
	e := &reentry{job: j, state: state, how: how}
	if err := e.prepare(ctx); err != nil {
		return err
	}
	if err := e.takeGuardSwitch(); err != nil {
		return err
	}
	e.takeYesRollback()
	e.noteMemoryGone()
	if e.how.Plan == nil {
		p = state.Plan
	} else {
		p = e.how.Plan
	}
	j.session = j.assemble(p, state.ID)
	if err := j.session.Resume(state, e.how, e.notes...); err != nil {
		return err
	}
	return j.session.Enter(ctx, func(entry mulligan.Entry) error {
		return j.Env.Points.Around("enter", func() error {
			return j.ws.Enter(context.WithoutCancel(ctx), entry.Branch, entry.Tree, state.ID+"/"+workspace.BeforeEntry)
		})
	})
}

// noteMemoryGone has the session note that git's own files were not compared after a kill. A session that was about to end
// has forgotten them itself. Either way the journal says that they are gone, for a process that resumes the session after
// this one was killed.
func (e *reentry) noteMemoryGone() {
	e.how.GitForgotten = e.ws.IsMemoryGone()
	if phase := e.state.Phase; e.how.GitForgotten && phase != mulligan.Finishing && phase != mulligan.Leaving && phase != mulligan.Returning {
		e.notes = append(e.notes, "what git's own files had before the session was killed is not there any more, so they were not compared: look at .git/config and .git/hooks")
	}
}

// finishReturn continues a session that was killed while it gave the checkout back. One that had come to its
// outcome ends with that, which nobody has seen yet. Otherwise the return is completed, and errMoved has
// the session looked at anew: it goes on.
func (j *job) finishReturn(ctx context.Context, state *mulligan.State, again bool) error {
	if err := j.ws.DropLocks(ctx); err != nil {
		return explainGitBusy(err)
	}
	ended := state.Final.Outcome.Ended
	if again || ended == mulligan.Interrupted || ended == mulligan.Waiting {
		if err := j.giveBack(ctx, state); err != nil {
			return err
		}
		return errMoved
	}
	j.began = state.Last + 1
	j.session = j.assemble(state.Plan, state.ID)
	return j.session.Resume(state, mulligan.SessionResumed{})
}

// explainGitBusy adds what to do while a person's git is at work.
func explainGitBusy(err error) error {
	if busy, ok := errors.AsType[*workspace.GitBusyError](err); ok {
		return &usererror.Error{Code: mulligan.ExitBusy, Words: busy.Error(), Hint: "let it finish (an editor may be open), then resume", Cause: err}
	}
	return err
}

// planAgain returns how a failed session is run once more, and from which step.
func (j *job) planAgain(state *mulligan.State, p *mulligan.Plan) (mulligan.SessionResumed, error) {
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
