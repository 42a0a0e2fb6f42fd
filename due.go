package mulligan

import "context"

// startDue starts the next on_task_complete hook, where one is due. They run one at a time,
// in the order in which the tasks were completed, while the session goes on.
func (s *Session) startDue(ctx context.Context) error {
	st := &s.state
	if s.desk.running || len(st.Due) == 0 || ctx.Err() != nil || st.Ending != nil && st.Ending.Outcome.Ended == Interrupted {
		return nil
	}
	due := st.Due[0]
	run, err := s.startHook(ctx, OnTaskComplete, due.Index, due.Task)
	if err != nil {
		return err
	}
	s.desk.running = true
	go func() { s.desk.hooks <- run(ctx) }()
	return nil
}

// hookDone takes in how an on_task_complete hook went. One that the session's own end cut
// short stays due: the resumed session runs it again.
func (s *Session) hookDone(ctx context.Context, h HookEnded) error {
	s.desk.running = false
	if ctx.Err() != nil {
		return nil
	}
	if err := s.say(h); err != nil {
		return err
	}
	return s.flush(ctx)
}

// awaitDue waits until no on_task_complete hook is due or under way: what they print belongs
// before what comes next. Where ctx ends it waits only for the one under way.
func (s *Session) awaitDue(ctx context.Context) error {
	for {
		if err := s.startDue(ctx); err != nil || !s.desk.running {
			return err
		}
		select {
		case h := <-s.desk.hooks:
			if err := s.hookDone(ctx, h); err != nil {
				return err
			}
		case c := <-s.desk.calls:
			if err := s.answer(ctx, c); err != nil {
				return err
			}
		}
	}
}

// startHook says that a hook begins, and gives what runs it.
func (s *Session) startHook(ctx context.Context, m Moment, index int, task TaskItem) (run func(context.Context) HookEnded, err error) {
	st := &s.state
	hook := st.Plan.Hooks[m][index]
	started := HookStarted{Run: st.HookRuns + 1, Moment: m, Index: index, Name: hook.Name, Iteration: st.iterationAt(m), Task: task.ID}
	if err := s.say(started); err != nil {
		return nil, err
	}
	output, err := s.Records.HookOutput(started.Run)
	if err != nil {
		return nil, err
	}
	if err := s.flush(ctx); err != nil {
		return nil, err
	}
	c := HookCall{
		Session: st.ID, Moment: m, Hook: hook, Iteration: started.Iteration, Task: task,
		Dir: s.Workspace.Dir(), Output: output, Live: s.Records.Live(),
	}
	if m == OnError && st.Failure != nil {
		c.Error = failureText(*st.Failure)
	}
	return func(ctx context.Context) HookEnded {
		began := s.Clock.Now()
		r := s.callHook(ctx, c)
		return HookEnded{
			Run: started.Run, Moment: m, Index: index, Name: hook.Name, Iteration: started.Iteration, Task: task.ID,
			Result: r, Piped: hook.Pipe && r.Text != "", Duration: s.since(began),
		}
	}, nil
}

// iterationAt is the iteration that a moment belongs to, 0 where it belongs to none.
func (s *State) iterationAt(m Moment) int {
	if m == SessionStart || m == SessionEnd {
		return 0
	}
	return s.Iteration
}

// runHooks runs a moment's hooks from the one that comes next, those that fit the end that it
// is about. It returns early, with more to run, where ctx ends.
func (s *Session) runHooks(ctx context.Context, m Moment, good bool) error {
	st := &s.state
	for st.Hook < len(st.Plan.Hooks[m]) && ctx.Err() == nil {
		if !st.Plan.Hooks[m][st.Hook].runs(good) {
			st.Hook++
			continue
		}
		run, err := s.startHook(ctx, m, st.Hook, TaskItem{})
		if err != nil {
			return err
		}
		var ended HookEnded
		if err := s.during(ctx, func(ctx context.Context) { ended = run(ctx) }); err != nil {
			return err
		}
		if ctx.Err() != nil || s.desk.halt != nil {
			return nil // stopped, and run again by the resumed session
		}
		if err := s.say(ended); err != nil {
			return err
		}
	}
	return nil
}

// callHook runs a hook; a fault of ours is a hook that failed, which no session dies of.
func (s *Session) callHook(ctx context.Context, c HookCall) (r HookResult) {
	defer func() {
		if fault := panicked(recover()); fault != nil {
			r = HookResult{Exit: fault.Error()}
		}
	}()
	return s.Hooks.Run(ctx, c)
}
