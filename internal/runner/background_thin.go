package runner

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mulligan/internal/clock"
	"mulligan/internal/sessions"
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
	return nil
}
