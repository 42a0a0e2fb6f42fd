package mulligan_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
)

// A lazyWorkspace returns the tree of its last walk until it has to walk again, however long that is.
type lazyWorkspace struct {
	*world
	seen    *mulligan.Tree
	written atomic.Int64 // how much others than the agent have written
}

func (w *lazyWorkspace) ForgetWalk() { w.seen = nil }

func (w *lazyWorkspace) Snapshot(context.Context, string) (mulligan.Tree, error) {
	if w.seen == nil {
		w.seen = &mulligan.Tree{ID: fmt.Sprintf("tree-%d, %d written", w.tree, w.written.Load())}
	}
	return *w.seen, nil
}

func (w *lazyWorkspace) RememberGit(context.Context, string) (string, []mulligan.GitChange, error) {
	w.seen = nil
	return "", nil, nil
}

func (w *lazyWorkspace) RestoreGit(context.Context, mulligan.GitCheck) ([]mulligan.GitChange, error) {
	w.seen = nil
	return nil, nil
}

func (w *lazyWorkspace) UndoWrites(_ context.Context, to mulligan.Tree, _ bool, _ string) (mulligan.Tree, []string, error) {
	w.seen = &to
	return to, nil, nil
}

// A writersClock is a clock in whose waits a person writes.
type writersClock struct{ *lazyWorkspace }

func (c writersClock) Sleep(ctx context.Context, d time.Duration) {
	c.world.Sleep(ctx, d)
	c.written.Add(1)
}

// runLazily runs a session in the workspace, and returns the trees that its attempts and its turns began with.
func (w *lazyWorkspace) runLazily(t *testing.T, s *mulligan.Session, p *mulligan.Plan) (attempts, turns []string) {
	t.Helper()
	s.Workspace = w
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for e, err := range w.journal.Read(t.Context(), id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		switch b := e.Body.(type) {
		case mulligan.AttemptStarted:
			attempts = append(attempts, b.Snapshot.ID)
		case mulligan.TurnStarted:
			turns = append(turns, b.Before.ID)
		}
	}
	return attempts, turns
}

// TestTurnBeginsWithWhatWasWrittenInAPause: what a person writes while the session waits is not charged to the next turn.
func TestTurnBeginsWithWhatWasWrittenInAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &lazyWorkspace{world: newWorld(mulligan.Pass)}
		w.results = []mulligan.Result{{Ending: mulligan.Crashed}, {Ending: mulligan.Finished}}
		s := w.session()
		s.Clock = writersClock{w}
		_, turns := w.runLazily(t, s, planOf(1, "one"))
		if len(turns) != 2 || turns[1] != "tree-1, 1 written" {
			t.Errorf("the turns began with %q, want the second with what was written in the pause", turns)
		}
	})
}

// TestTurnBeginsWithWhatATaskHookWrote: an on_task_complete hook runs beside the session, and what it has written when the
// agent is prompted is not charged to the turn.
func TestTurnBeginsWithWhatATaskHookWrote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &lazyWorkspace{world: newWorld(mulligan.Fail, mulligan.Pass)}
		s := w.session()
		w.onTurn = func(n int) {
			if n != 1 {
				return
			}
			err := s.Do(context.Background(), func(*mulligan.State) ([]mulligan.Body, error) {
				task := mulligan.TaskItem{ID: 1, Content: "it", Status: mulligan.Remaining}
				done := task
				done.Status = mulligan.Completed
				return []mulligan.Body{mulligan.TaskAdded{Task: task}, mulligan.TaskCompleted{Task: done}}, nil
			})
			if err != nil {
				t.Error(err)
			}
		}
		w.onHook = func(context.Context, mulligan.HookCall) {
			time.Sleep(time.Minute) // longer than the turn and the check
			w.written.Add(1)
		}
		s.Policy = advice{func(mulligan.RetryCase) mulligan.Recommendation {
			w.written.Add(1) // as the hook may at any time
			return mulligan.Recommendation{Strategy: mulligan.StrategyRetry}
		}}
		attempts, turns := w.runLazily(t, s, hooked(planOf(1, "one"), mulligan.OnTaskComplete, hook("it", true)))
		if len(attempts) != 2 || attempts[1] != "tree-1, 1 written" || len(turns) != 2 || turns[1] != "tree-1, 2 written" {
			t.Errorf("the attempts began with %q, the turns with %q, want the second with what the hook had written then", attempts, turns)
		}
	})
}
