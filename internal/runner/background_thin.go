package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/lockfile"
	"mulligan/internal/sessions"
	"mulligan/workspace"
)

const (
	maxThinned = 25                  // sessions that one session thins
	thinAfter  = 14 * 24 * time.Hour // the end of a session
)

// thinInBackground thins what the repository's old sessions have kept while the agent of this one works. stop ends it, and
// waits for its end; what it could not come to is for a later session.
func (j *job) thinInBackground(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var thinning sync.WaitGroup
	thinning.Go(func() {
		defer j.warnOfPanic()
		if clock.Sleep(ctx, catchUpAfter); ctx.Err() != nil {
			return
		}
		if err := j.thinOld(ctx); err != nil && ctx.Err() == nil {
			j.warn(fmt.Sprintf("what old sessions have kept could not be thinned, which a later session tries again: %v", err))
		}
	})
	return func() {
		cancel()
		thinning.Wait()
	}
}

// thinOld thins what sessions have kept that are over for long: what verified, what was left and what was put aside stays,
// and the trees that a later run goes back to.
func (j *job) thinOld(ctx context.Context) error {
	all, err := j.journal.Sessions(ctx)
	if err != nil {
		return err
	}
	if err := j.removeUnusedSlots(all); err != nil {
		return err
	}
	before, thinned := j.Env.SessionClock().Now().Add(-thinAfter), 0
	for _, s := range all {
		if thinned >= maxThinned || s.Root != j.Root || s.Updated.After(before) || sessions.CanResume(s) {
			continue
		}
		state, err := j.readState(ctx, s.ID)
		if err != nil {
			return err
		}
		var changed bool
		err = j.Env.Points.Around("thin", func() error {
			changed, err = j.store.Thin(ctx, s.ID, state.TreesToContinue())
			return err
		})
		if err != nil {
			return err
		}
		if changed {
			thinned++
		}
	}
	if thinned > 0 {
		return j.store.Tidy(ctx)
	}
	return nil
}

// removeUnusedSlots removes the clones of slots whose last session ended long ago: a session that wants a slot makes them anew.
func (j *job) removeUnusedSlots(all []mulligan.Summary) error {
	slots, err := j.folders.ListSlots(j.Root)
	before := j.Env.SessionClock().Now().Add(-thinAfter)
	for _, slot := range slots {
		last := workspace.SlotSession(slot)
		i := slices.IndexFunc(all, func(s mulligan.Summary) bool { return s.ID == last })
		if slot == j.slot || i < 0 || all[i].Ended == "" || all[i].Updated.After(before) || sessions.CanResume(all[i]) {
			continue
		}
		lock, busy := lockfile.Lock(j.folders.Lock(workspace.WorkspaceIn(slot)))
		if busy != nil {
			continue // a session has just begun there
		}
		err = errors.Join(err, workspace.RemoveSlot(slot), lock.Unlock())
		j.warn(fmt.Sprintf("slot %s was not used for two weeks: its clones are removed, and made anew when a session needs them", filepath.Base(slot)))
	}
	return err
}
