package loop

import (
	"context"

	"mulligan"
)

// startTaskHook starts the next on_task_complete hook, where one is due. They run one at a time, in
// the order in which the tasks were completed, beside everything else that the session does.
func (s *Session) startTaskHook(ctx context.Context) error {
	st := &s.state
	if s.requests.hookRuns || len(st.Hooks.Due) == 0 || ctx.Err() != nil || st.EndsInterrupted() {
		return nil
	}
	due := st.Hooks.Due[0]
	run, err := s.startHook(ctx, mulligan.OnTaskComplete, due.Index, due.Task)
	if err != nil {
		return err
	}
	s.requests.hookRuns = true
	go func() { s.requests.hooks <- run(ctx) }()
	return nil
}

// endTaskHook records how an on_task_complete hook went. One that the session's own end cut short
// stays due: the resumed session runs it again.
func (s *Session) endTaskHook(ctx context.Context, h mulligan.HookEnded) error {
	s.requests.hookRuns, s.moved = false, true
	if ctx.Err() != nil {
		return nil
	}
	if err := s.record(h); err != nil {
		return err
	}
	return s.flush(ctx)
}

// awaitTaskHooks waits until no on_task_complete hook is due or under way: what they print belongs
// before what comes next. When ctx ends it waits only for the one under way.
func (s *Session) awaitTaskHooks(ctx context.Context) error {
	for {
		if err := s.startTaskHook(ctx); err != nil || !s.requests.hookRuns {
			return err
		}
		select {
		case h := <-s.requests.hooks:
			if err := s.endTaskHook(ctx, h); err != nil {
				return err
			}
		case r := <-s.requests.requests:
			if err := s.serveRequest(ctx, r); err != nil {
				return err
			}
		}
	}
}
