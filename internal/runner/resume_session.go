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
// is not good is a usererror.Exit.
func (r *Runner) ResumeSession(ctx context.Context, s mulligan.Summary) error {
	j, err := r.resume(ctx, s)
	if err != nil {
		return err
	}
	return j.finish(ctx)
}

// resumePrior resumes a session that was begun before: one that was interrupted or killed where it
// stood, one that failed with its failed step's attempts counted anew.
func (r *Runner) resumePrior(ctx context.Context, prior priorSession, p *mulligan.Plan) (*job, error) {
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

// resume makes ready to resume one session, with its own plan.
func (r *Runner) resume(ctx context.Context, s mulligan.Summary) (*job, error) {
	for {
		if !sessions.CanResume(s) {
			return nil, sessions.OverError(s)
		}
		j, err := r.resumePrior(ctx, priorSession{summary: &s}, nil)
		if !errors.Is(err, errMoved) {
			return j, err
		}
		if s, err = sessions.ReadSummary(ctx, r.journal.store, s.ID); err != nil {
			return nil, err
		}
	}
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
	j.began = state.Last + 1
	how := mulligan.SessionResumed{}
	if prior.again {
		// What an interrupted turn has begun is put back; this may be the user's own.
		if doing := j.ws.InProgress(ctx); doing != "" {
			return refuseInProgress(doing)
		}
		if how, err = j.planAgain(state, p); err != nil {
			return err
		}
	} else {
		p = state.Plan
		// The agent's git may have been killed with it.
		if err := j.ws.DropLocks(ctx); err != nil {
			return explainGitBusy(err)
		}
	}
	head, err := j.returnToBranch(ctx, state, prior.again)
	if err != nil {
		return err
	}
	if prior.again && !wasLeftAt(state, head) {
		how.Head = head // a person's commits are built on, not folded in
	}
	j.session = j.assemble(p, state.ID)
	return j.session.Resume(state, how)
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

// returnToBranch makes sure that the workspace is where the session left it: on its branch, with the
// tree that it left. It refuses to overwrite the work of a person who switched elsewhere meanwhile.
// head is where the branch ends.
func (j *job) returnToBranch(ctx context.Context, state *mulligan.State, again bool) (head string, err error) {
	branch, head, err := j.ws.Head(ctx)
	if err != nil {
		return "", err
	}
	if state.Iteration == 0 {
		if done, err := j.settleHeadLate(ctx, state); done || err != nil {
			return state.Place.Base, err
		}
	}
	if branch == state.Place.Branch && (branch != "" || head == state.Head || again) {
		return head, nil
	}
	if !again {
		if agents, err := j.movedByAgent(ctx, state, branch, head); agents || err != nil {
			return head, err
		}
	}
	dirty, err := j.ws.Dirty(ctx)
	if err != nil {
		return "", err
	}
	if len(dirty) > 0 {
		return "", usererror.Usage(fmt.Sprintf("session %s works on branch %s, and %s has uncommitted work:\n    %s", state.ID, state.Place.Branch, describeBranch(branch), strings.Join(dirty, "\n    ")),
			"commit or stash it first; or begin a new session with --restart --carry")
	}
	if state.Place.Branch == "" {
		return "", usererror.Usage(fmt.Sprintf("session %s works on commit %.10s, and HEAD is elsewhere", state.ID, state.Head), "git checkout --detach "+state.Head)
	}
	if err := j.ws.SwitchTo(ctx, state.Place.Branch); err != nil {
		return "", usererror.Usage(err.Error(), "bring that branch back, or begin a new session with --restart")
	}
	if _, head, err = j.ws.Head(ctx); err != nil {
		return "", err
	}
	attempt := state.AttemptProgress()
	if attempt.Tree.ID == "" || attempt.InFlight != nil && !again || !wasLeftAt(state, head) {
		return head, nil // the turn in flight brings its own tree back; what a person committed stays
	}
	err = j.ws.Restore(ctx, mulligan.Tree{ID: attempt.Tree.ID, Head: head}, state.ID+"/before-going-on")
	if err != nil && !errors.Is(err, context.Canceled) {
		return "", fmt.Errorf("bringing back the tree that session %s left: %w", state.ID, err)
	}
	return head, err
}

// settleHeadLate puts HEAD on the session's branch if a process was killed before it could. It reports
// whether it did.
func (j *job) settleHeadLate(ctx context.Context, state *mulligan.State) (bool, error) {
	holds, err := j.ws.Holds(ctx, state.Place.Base)
	if err != nil || !holds {
		return false, err
	}
	return true, j.settleHead(ctx, state.Place)
}

// movedByAgent reports whether HEAD is elsewhere because the agent has put it there: then the agent's
// work is there too, and is examined, or put back, as it would have been.
func (j *job) movedByAgent(ctx context.Context, state *mulligan.State, branch, head string) (bool, error) {
	attempt := state.AttemptProgress()
	tree := attempt.Tree
	switch {
	case attempt.InFlight != nil:
		tree = attempt.InFlight.Before
	case attempt.Examination.Before != nil:
		tree = *attempt.Examination.Before
	}
	kept, err := j.ws.Snapshots(ctx, state.ID)
	if err != nil {
		return false, err
	}
	for _, s := range kept {
		if s.Tree == tree && s.Branch == branch && head == tree.Head {
			return true, nil
		}
	}
	// A turn that was cut short has no snapshot of where it went; a branch that is younger
	// than the session is the agent's.
	return attempt.InFlight != nil && j.ws.MadeSince(branch, state.Started), nil
}

// wasLeftAt reports whether the session itself, or its agent, left the branch at this commit.
func wasLeftAt(state *mulligan.State, head string) bool {
	return head == state.Head || head == state.AttemptProgress().Tree.Head
}

// describeBranch returns what a person calls the branch, or no branch, that HEAD is on.
func describeBranch(branch string) string {
	if branch == "" {
		return "the detached HEAD"
	}
	return "branch " + branch
}
