package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/lockfile"
	"mulligan/internal/sessions"
	"mulligan/internal/worklock"
	"mulligan/internal/workspace"
)

// maxThinned is how many sessions one session thins the snapshots of.
const maxThinned = 25

// thinInBackground thins the snapshots of the repository's old sessions while the agent of this one works. stop ends it,
// and waits for its end; what it could not come to is for a later session.
func (j *job) thinInBackground(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var thinning sync.WaitGroup
	thinning.Go(func() {
		defer j.warnOfPanic()
		if clock.Sleep(ctx, catchUpAfter); ctx.Err() != nil {
			return
		}
		if err := j.thinSnapshots(ctx); err != nil && ctx.Err() == nil {
			j.warn(fmt.Sprintf("snapshots of old sessions could not be thinned, which a later session tries again: %v", err))
		}
	})
	return func() {
		cancel()
		thinning.Wait()
	}
}

// thinSnapshots thins the snapshots of sessions that are over, if there is something to thin.
func (j *job) thinSnapshots(ctx context.Context) error {
	dir, now := j.folders.Snapshots(j.Root), j.Env.SessionClock().Now()
	old, err := workspace.ListThinnable(dir, now.Add(-workspace.ThinAfter))
	if err != nil || len(old) == 0 && !workspace.HasUnfreed(dir) {
		return err
	}
	all, err := j.journal.Sessions(ctx)
	if err != nil {
		return err
	}
	thinner, err := workspace.NewThinner(dir)
	if _, busy := errors.AsType[*lockfile.BusyError](err); busy {
		return nil
	}
	if err != nil {
		return err
	}
	defer thinner.Close()
	thinned := 0
	for _, s := range all {
		if thinned >= maxThinned || !slices.Contains(old, s.ID) || s.Root != j.Root || sessions.CanResume(s) {
			continue
		}
		if err := j.thinSession(ctx, thinner, s); err != nil {
			return err
		}
		thinned++
	}
	return j.Env.Points.Around("free", func() error { return thinner.Free(ctx) })
}

// thinSession thins the snapshots of one session, unless another process works in its workspace.
func (j *job) thinSession(ctx context.Context, thinner *workspace.Thinner, s mulligan.Summary) error {
	if s.Dir != j.ws.Dir() {
		release, err := j.keepOthersOut(s.Dir)
		if release == nil || err != nil {
			return err
		}
		defer release()
	}
	state, err := j.readState(ctx, s.ID)
	if err != nil {
		return err
	}
	if sessions.CanResume(state.Summary()) {
		return nil
	}
	return j.Env.Points.Around("thin", func() error {
		return thinner.Thin(ctx, s.ID, state.TreesToContinue(), j.Env.SessionClock().Now())
	})
}

// keepOthersOut keeps other processes out of a workspace, until release. release is nil if one is there. A folder that is
// gone has none.
func (j *job) keepOthersOut(dir string) (release func(), err error) {
	if _, err := os.Stat(dir); err != nil {
		return func() {}, nil
	}
	release, err = worklock.PassBy(j.folders.Lock(dir))
	if _, busy := errors.AsType[*lockfile.BusyError](err); busy {
		return nil, nil
	}
	return release, err
}
