package runner

import (
	"context"
	"fmt"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/worklock"
	"mulligan/loop"
	"mulligan/notify"
	"mulligan/state"
)

// newNotifier returns what reaches the person of a session that works in dir, or nil if they do not want to be reached.
// A config that cannot be read is a warning: whoever begins a session has checked it.
func (r *Runner) newNotifier(p *mulligan.Plan, dir string, pool *process.Pool) mulligan.Notifier {
	if r.Notify == nil {
		return nil
	}
	settings, err := r.Notify(p)
	if err != nil {
		r.warn(fmt.Sprintf("nobody is notified: %v", err))
		return nil
	}
	if !settings.Any() {
		return nil
	}
	return NewNotifier(r.Env, settings, dir, pool)
}

// NewNotifier returns what reaches a person by the settings of a config.
func NewNotifier(env *environ.Env, s notify.Settings, dir string, pool *process.Pool) notify.Notifier {
	return notify.Notifier{
		Settings: s, Environ: env.Environ, Dir: dir, Pool: pool, Clock: env.SessionClock(), Version: environ.Version, Redact: env.Secrets.String,
	}
}

// awaitNotices waits until the notices of a session that has ended are sent, and says which did not arrive. Nothing of it
// changes how the session has ended.
func (r *Runner) awaitNotices(ctx context.Context, s *loop.Session) {
	known := len(s.State().Notes)
	if err := s.AwaitNotices(ctx); err != nil {
		r.warn(fmt.Sprintf("what became of a notification is not in the journal: %v", err))
	}
	for _, note := range s.State().Notes[known:] {
		r.warn(note)
	}
}

// resendNotices sends what processes that were killed had the intent to send, of sessions of this repository that have
// ended: no process resumes those.
func (r *Runner) resendNotices(ctx context.Context) {
	for _, run := range r.Env.ListRunning(r.Root) {
		err := r.withEndedSession(ctx, run.Dir, run.Session, func(s *loop.Session, state *state.State) error {
			if len(state.Notifying) == 0 {
				return nil
			}
			if err := s.ResendNotices(ctx, state); err != nil {
				return err
			}
			return r.Env.DropRunning(r.Root, run.Session)
		})
		if err != nil {
			r.warn(fmt.Sprintf("session %s: its notifications are not sent: %v", run.Session, err))
		}
	}
}

// withEndedSession calls f with a session that has ended, while its workspace is locked. It does nothing if the session
// has not ended, or if another process has its workspace.
func (r *Runner) withEndedSession(ctx context.Context, dir, id string, f func(*loop.Session, *state.State) error) error {
	if r.Notify == nil {
		return nil
	}
	lock, err := worklock.Take(ctx, r.folders.Lock(dir), r.isOver(ctx))
	if err != nil {
		return nil // the process that has it sends them
	}
	defer lock.Unlock()
	state, err := r.readState(ctx, id)
	if err != nil || state.Outcome == nil {
		return err
	}
	if err := process.LeadSession(); err != nil {
		return err
	}
	pool := process.NewPool(process.PoolOptions{State: r.folders.State})
	notifier := r.newNotifier(state.Plan, dir, pool)
	if notifier == nil {
		return nil
	}
	s := r.Env.Points.Session(&loop.Session{Journal: r.journal, Clock: r.Env.SessionClock(), Redact: r.Env.Secrets.Body, Notify: notifier})
	known := len(state.Notes)
	if err := f(s, state); err != nil {
		return err
	}
	if s.State().ID == id {
		for _, note := range s.State().Notes[known:] {
			r.warn(note)
		}
	}
	return nil
}

// notifyFolder notifies a person that the tasks of a folder have ended, once. done is how many of them ended well.
func (r *Runner) notifyFolder(ctx context.Context, name string, done int) error {
	last, err := r.findLastOfFolder(ctx, name)
	if err != nil || last == nil {
		return err
	}
	return r.withEndedSession(ctx, last.Dir, last.ID, func(s *loop.Session, state *state.State) error {
		o := *state.Outcome
		if state.FolderNoticed || o.Ended == mulligan.Interrupted {
			return nil
		}
		notice := mulligan.Notice{Moment: mulligan.NoticeFolder, Folder: name, Done: done, Ended: o.Ended}
		if !o.Good() {
			notice.Text = state.Plan.Task.Label() + ": " + string(o.Ended)
			if o.Reason != "" {
				notice.Text += ", " + o.Reason
			}
		}
		return s.NotifyFolder(ctx, state, notice)
	})
}

// findLastOfFolder returns the newest session of a folder's tasks, or nil if there is none.
func (r *Runner) findLastOfFolder(ctx context.Context, folder string) (last *mulligan.Summary, err error) {
	all, err := r.journal.Sessions(ctx)
	for i, s := range all {
		if s.Root == r.Root && s.Folder == folder {
			last = &all[i]
		}
	}
	return last, err
}
