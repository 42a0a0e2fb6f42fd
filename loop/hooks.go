package loop

import (
	"context"
	"fmt"

	"mulligan"
)

// startHook records that a hook begins, and returns the function that runs it.
func (s *Session) startHook(ctx context.Context, m mulligan.Moment, index int, task mulligan.TaskItem) (run func(context.Context) mulligan.HookEnded, err error) {
	st := &s.state
	hook := st.HooksAt(m)[index]
	started := mulligan.HookStarted{Run: st.Hooks.Runs + 1, Moment: m, Index: index, Name: hook.Name, Iteration: st.IterationAt(m), Task: task.ID}
	if err := s.record(started); err != nil {
		return nil, err
	}
	s.moved = true
	output, err := s.Records.HookOutput(started.Run)
	if err != nil {
		return nil, err
	}
	if err := s.flush(ctx); err != nil {
		return nil, err
	}
	c := mulligan.HookCall{
		Session: s.id, Moment: m, Hook: hook, Iteration: started.Iteration, Task: task,
		Dir: s.Workspace.Dir(), Output: output, Live: s.Records.Live(),
	}
	if m == mulligan.OnError && st.Failure != nil {
		c.Error = s.describeError()
	}
	return func(ctx context.Context) mulligan.HookEnded {
		began := s.Clock.Now()
		r := s.callHook(ctx, c)
		return mulligan.HookEnded{
			Run: started.Run, Moment: m, Index: index, Name: hook.Name, Iteration: started.Iteration, Task: task.ID,
			Result: r, Piped: hook.Pipe && r.Text != "", Duration: s.since(began),
		}
	}, nil
}

// runHooks runs a moment's hooks from the one that comes next, those that are for such an end. It
// returns early, with more to run, when ctx ends.
func (s *Session) runHooks(ctx context.Context, m mulligan.Moment, good bool) error {
	hooks := s.state.HooksAt(m)
	before, err := s.walkBeforeHooks(ctx, m, hooks)
	if err != nil {
		return err
	}
	for i := s.state.NextHook; i < len(hooks) && ctx.Err() == nil; i++ {
		if !hooks[i].IsFor(good) {
			continue
		}
		run, err := s.startHook(ctx, m, i, mulligan.TaskItem{})
		if err != nil {
			return err
		}
		var ended mulligan.HookEnded
		if err := s.serveDuring(ctx, func(ctx context.Context) { ended = run(ctx) }); err != nil {
			return err
		}
		if before, err = s.protectFromHook(ctx, hooks[i].Name, before); err != nil {
			return err
		}
		if s.isStopped(ctx) {
			return nil // stopped, and run again by the resumed session
		}
		if m == mulligan.SessionStart {
			if ended.Tree, err = s.Workspace.Take(context.WithoutCancel(ctx), fmt.Sprintf("%s/start-%d", s.id, ended.Run), mulligan.AtHead); err != nil {
				return fmt.Errorf("looking at what hook %q left: %w", hooks[i].Name, err)
			}
		}
		if err := s.record(ended); err != nil {
			return err
		}
	}
	return nil
}

// callHook runs a hook. A fault of our own is a hook that failed, which ends no session.
func (s *Session) callHook(ctx context.Context, c mulligan.HookCall) (r mulligan.HookResult) {
	defer func() {
		if fault := newPanicError(recover()); fault != nil {
			r = mulligan.HookResult{Exit: fault.Error()}
		}
	}()
	return s.Hooks.Run(ctx, c)
}
