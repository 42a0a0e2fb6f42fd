package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// goOn takes up a session that was begun before: one that was interrupted or killed where
// it stood, one that failed with its failed step's attempts counted anew.
func (h *house) goOn(ctx context.Context, c course, p *mulligan.Plan) (*job, error) {
	if _, err := os.Stat(c.before.Dir); err != nil {
		return nil, usererror.Usage(fmt.Sprintf("session %s worked in %s, which is gone", c.before.ID, c.before.Dir), "begin a new one with --restart")
	}
	j, err := h.enter(ctx, c.before.Dir, c.before.ID, c.before.Branch)
	if err != nil {
		return nil, err
	}
	err = h.endLeftovers(c.before.ID)
	if err == nil {
		err = j.takeUp(ctx, c, p)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// errMoved is a session that has ended, or was taken up, after it was decided what to do about it.
var errMoved = errors.New("the session has moved on")

// goOnWith goes on with one session, as `resume` does.
func (h *house) goOnWith(ctx context.Context, s mulligan.Summary) (*job, error) {
	for {
		if !unfinished(s) {
			return nil, over(s)
		}
		j, err := h.goOn(ctx, course{before: &s}, nil)
		if !errors.Is(err, errMoved) {
			return j, err
		}
		if s, err = summary(ctx, h.store.Store, s.ID); err != nil {
			return nil, err
		}
	}
}

func (j *job) takeUp(ctx context.Context, c course, p *mulligan.Plan) error {
	// Read under the lock: whoever held it may have written since the list was made.
	state, err := j.fold(ctx, c.before.ID)
	if err != nil {
		return err
	}
	if state.Summary().Ended != c.before.Ended {
		return errMoved
	}
	j.began = state.Last + 1
	how := mulligan.SessionResumed{}
	if c.again {
		// What an interrupted turn has begun is put back; this may be the user's own.
		if doing := j.ws.InProgress(ctx); doing != "" {
			return refuseInProgress(doing)
		}
		if how, err = j.again(state, p); err != nil {
			return err
		}
	} else {
		p = state.Plan
		// The agent's git may have been killed with it.
		if err := j.ws.DropLocks(ctx); err != nil {
			return gitBusy(err)
		}
	}
	head, err := j.back(ctx, state, c.again)
	if err != nil {
		return err
	}
	if c.again && !leftAt(state, head) {
		how.Head = head // a person's commits are built on, not folded in
	}
	j.session = j.assemble(j, p, state.ID)
	return j.session.Resume(state, how)
}

// gitBusy says what to do where a person's git is at work.
func gitBusy(err error) error {
	if busy, ok := errors.AsType[*workspace.GitBusyError](err); ok {
		return &usererror.Error{Code: mulligan.ExitBusy, Words: busy.Error(), Hint: "let it finish (an editor may be open), then resume", Cause: err}
	}
	return err
}

// again says from which step a failed session is run once more.
func (j *job) again(state *mulligan.State, p *mulligan.Plan) (mulligan.SessionResumed, error) {
	how := mulligan.SessionResumed{Again: true, Plan: p}
	if j.opt.From != "" {
		how.From = slices.IndexFunc(p.Steps, func(s mulligan.Step) bool { return s.Name == j.opt.From })
		if how.From < 0 {
			return how, usererror.Usage(fmt.Sprintf("--from: the pipeline %s has no step %q", p.Pipeline, j.opt.From), "its steps: "+stepNames(p))
		}
		return how, nil
	}
	for _, step := range p.Steps {
		was := slices.IndexFunc(state.Steps, func(s mulligan.StepState) bool { return s.Name == step.Name && s.Done() })
		if was < 0 {
			break
		}
		how.From++
	}
	return how, nil
}

func stepNames(p *mulligan.Plan) string {
	var names []string
	for _, s := range p.Steps {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// back makes sure that the workspace is where the session left it: on its branch, with the
// tree it left. A person who went elsewhere meanwhile is not overrun. head is where the
// branch ends.
func (j *job) back(ctx context.Context, state *mulligan.State, again bool) (head string, err error) {
	branch, head, err := j.ws.Head(ctx)
	if err != nil {
		return "", err
	}
	if state.Iteration == 0 {
		if done, err := j.settleLate(ctx, state); done || err != nil {
			return state.Place.Base, err
		}
	}
	if branch == state.Place.Branch && (branch != "" || head == state.Head || again) {
		return head, nil
	}
	if !again {
		if agents, err := j.wandered(ctx, state, branch, head); agents || err != nil {
			return head, err
		}
	}
	dirty, err := j.ws.Dirty(ctx)
	if err != nil {
		return "", err
	}
	if len(dirty) > 0 {
		return "", usererror.Usage(fmt.Sprintf("session %s works on branch %s, and %s has uncommitted work:\n    %s", state.ID, state.Place.Branch, nameOf(branch), strings.Join(dirty, "\n    ")),
			"commit or stash it first; or begin a new session with --restart --carry")
	}
	if state.Place.Branch == "" {
		return "", usererror.Usage(fmt.Sprintf("session %s works on commit %s, and HEAD is elsewhere", state.ID, short(state.Head)), "git checkout --detach "+state.Head)
	}
	if err := j.ws.SwitchTo(ctx, state.Place.Branch); err != nil {
		return "", usererror.Usage(err.Error(), "bring that branch back, or begin a new session with --restart")
	}
	if _, head, err = j.ws.Head(ctx); err != nil {
		return "", err
	}
	attempt := state.AttemptProgress()
	if attempt.Tree.ID == "" || attempt.InFlight != nil && !again || !leftAt(state, head) {
		return head, nil // the turn in flight brings its own tree back; what a person committed stays
	}
	err = j.ws.Restore(ctx, mulligan.Tree{ID: attempt.Tree.ID, Head: head}, state.ID+"/before-going-on")
	if err != nil && !errors.Is(err, context.Canceled) {
		return "", fmt.Errorf("bringing back the tree that session %s left: %w", state.ID, err)
	}
	return head, err
}

// settleLate puts HEAD on the session's branch where a process was killed before it could.
func (j *job) settleLate(ctx context.Context, state *mulligan.State) (bool, error) {
	holds, err := j.ws.Holds(ctx, state.Place.Base)
	if err != nil || !holds {
		return false, err
	}
	return true, j.settle(ctx, state.Place)
}

// wandered says whether HEAD is elsewhere because the agent has put it there: then its work
// is there too, and is examined, or put back, as it would have been.
func (j *job) wandered(ctx context.Context, state *mulligan.State, branch, head string) (bool, error) {
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

// leftAt says whether the session itself, or its agent, left the branch at this commit.
func leftAt(state *mulligan.State, head string) bool {
	return head == state.Head || head == state.AttemptProgress().Tree.Head
}

func nameOf(branch string) string {
	if branch == "" {
		return "the detached HEAD"
	}
	return "branch " + branch
}
