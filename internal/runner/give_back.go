package runner

import (
	"context"
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
)

// GiveBack gives the checkout of a session that no process runs back to the person, as `mulligan stop` does.
func (r *Runner) GiveBack(ctx context.Context, s mulligan.Summary) (mulligan.Outcome, error) {
	j, err := r.enterWorkspace(ctx, s.Dir, s.ID, s.Branch)
	if err != nil {
		return mulligan.Outcome{}, err
	}
	defer j.close()
	if err := r.endLeftovers(s.ID); err != nil {
		return mulligan.Outcome{}, err
	}
	state, err := j.readState(ctx, s.ID)
	if err != nil {
		return mulligan.Outcome{}, err
	}
	if state.Outcome == nil {
		if err := j.ws.DropLocks(ctx); err != nil {
			return mulligan.Outcome{}, explainGitBusy(err)
		}
	} else if err := j.refuseChanged(ctx, state); err != nil {
		return mulligan.Outcome{}, err
	}
	if err := j.giveBack(ctx, state); err != nil {
		return mulligan.Outcome{}, err
	}
	return *j.session.State().Outcome, nil
}

// giveBack completes, or does, the return of a checkout.
func (j *job) giveBack(ctx context.Context, state *mulligan.State) error {
	j.began = state.Last + 1
	j.session = j.assemble(state.Plan, state.ID)
	j.adoptPlace(state.Place)
	return j.session.GiveBack(ctx, state)
}

// refuseChanged refuses to return a checkout in which a person has uncommitted work.
func (j *job) refuseChanged(ctx context.Context, state *mulligan.State) error {
	var left []string
	if s := state.Outcome.Standing; s != nil && j.ws.HasSnapshot(ctx, s.Tree) {
		left = append(left, s.Tree)
	}
	work, err := j.ws.FindPersonWork(ctx, left...)
	if err != nil || len(work.Paths) == 0 {
		return err
	}
	return usererror.Usage(fmt.Sprintf("the checkout of session %s has uncommitted work:\n    %s", state.ID, strings.Join(work.Lines, "\n    ")),
		"commit or stash it first")
}

// finishReturns completes the returns of this checkout that killed processes left undone, and returns the journal's
// sessions as they are then. The checkout's lock must be held.
func (j *job) finishReturns(ctx context.Context) ([]mulligan.Summary, error) {
	all, err := j.journal.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	finished := false
	for _, s := range all {
		if s.Dir != j.ws.Dir() || !s.Returning {
			continue
		}
		state, err := j.readState(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		if !state.Summary().Returning {
			continue
		}
		if err := j.ws.DropLocks(ctx); err != nil {
			return nil, explainGitBusy(err)
		}
		if err := j.giveBack(ctx, state); err != nil {
			return nil, err
		}
		finished = true
		j.say("session %s had not given the checkout back; it has now", s.ID)
	}
	if finished {
		return j.journal.Sessions(ctx)
	}
	return all, nil
}

// returnFolder gives the checkout back after the tasks of a folder, which share a branch.
func (r *Runner) returnFolder(ctx context.Context, folder string) error {
	ctx = context.WithoutCancel(ctx)
	all, err := r.journal.Sessions(ctx)
	if err != nil {
		return err
	}
	var last *mulligan.Summary
	for i, s := range all {
		if s.Dir == r.Root && s.Folder == folder {
			last = &all[i]
		}
	}
	if last == nil {
		return nil
	}
	if !last.Stays || !sessions.EndedWell(*last) {
		return r.leaveFolderBranch(ctx, *last)
	}
	state, err := r.readState(ctx, last.ID)
	if err != nil || !state.Plan.Git.Return || !state.Plan.Git.Commit || state.Place.Carried {
		return err
	}
	o, err := r.GiveBack(ctx, *last)
	if err == nil && o.Standing != nil && o.Standing.Returned {
		r.say("the checkout is on %s again", describeBranch(o.Standing.Branch))
	}
	return err
}
