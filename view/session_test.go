package view_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"mulligan"
	"mulligan/state"
	"mulligan/view"
	"mulligan/view/viewtest"
)

func TestTriesOfALoop(t *testing.T) {
	m, s := fold(t, "loop-working")
	if got := m.Snapshot(s.Now).Try(); got != "iteration 2 of 20" {
		t.Errorf("the try is %q", got)
	}
	m.Apply(mulligan.Event{Time: s.Now, Body: mulligan.SessionResumed{Again: true, Plan: &mulligan.Plan{
		Loop: &mulligan.Loop{Iterations: 5}, Steps: []mulligan.Step{{Name: "calc"}},
	}}})
	m.Apply(mulligan.Event{Time: s.Now, Body: mulligan.AttemptStarted{Step: "calc", Attempt: 1, Iteration: 3}})
	if got := m.Snapshot(s.Now).Try(); got != "iteration 3 of 7" {
		t.Errorf("run again, with the limit counted anew, the try is %q", got)
	}
}

// What waits for the agent is what the session itself counts.
func TestPendingIsTheStates(t *testing.T) {
	for _, s := range viewtest.Streams() {
		m, st := view.NewModel(), &state.State{}
		s.Play(func(e mulligan.Event) {
			m.Apply(e)
			if err := st.Apply(e); err != nil {
				return // some of the streams leave out what no view needs
			}
			if got := m.Snapshot(e.Time).Pending; got != len(st.Waiting()) {
				t.Errorf("%s, event %d (%s): %d pieces are pending, the state has %d", s.Name, e.Number, e.Body.Kind(), got, len(st.Waiting()))
			}
		}, nil)
	}
}

func TestAHookBesideTheAgent(t *testing.T) {
	m, s := fold(t, "loop-working")
	at := func(b mulligan.Body) view.Snapshot {
		m.Apply(mulligan.Event{Session: "s", Time: s.Now, Body: b})
		return m.Snapshot(s.Now)
	}
	hook := mulligan.HookStarted{Run: 9, Moment: mulligan.OnTaskComplete, Name: "announce", Task: 2}
	if snap := at(hook); snap.Running == nil || snap.Running.Kind != view.OfAgent {
		t.Errorf("with a hook beside the agent %v runs", snap.Running)
	}
	if snap := at(mulligan.TurnEnded{Turn: 2}); snap.Running == nil || snap.Running.String() != "hook announce (on_task_complete)" {
		t.Errorf("after the turn %v is waited for", snap.Running)
	}
	end := mulligan.HookEnded{Run: 9, Moment: mulligan.OnTaskComplete, Name: "announce", Task: 2, Result: mulligan.HookResult{Exit: "exit status 1"}}
	snap := at(end)
	if snap.Running != nil {
		t.Errorf("after its end %v runs", snap.Running)
	}
	for _, h := range snap.Hooks {
		if h.Name == "announce" && (h.OK || h.Runs != 2 || h.Failed != 1 || h.Running) {
			t.Errorf("the hook is %+v", h)
		}
	}
}

// The first of the listed tasks is the one that the agent is asked to take.
func TestTheFirstTaskIsTheNext(t *testing.T) {
	statuses := []mulligan.TaskStatus{mulligan.Remaining, mulligan.InProgress, mulligan.Completed, mulligan.Blocked, mulligan.TaskCancelled}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m, board := view.NewModel(), mulligan.Board{}
		for id := 1; id <= 1+r.IntN(40); id++ {
			task := mulligan.TaskItem{ID: id, Content: "c", Status: statuses[r.IntN(len(statuses))], Priority: r.IntN(5)}
			if id > 1 && r.IntN(3) == 0 {
				task.Depends = []int{1 + r.IntN(id-1)}
			}
			board.Tasks = append(board.Tasks, task)
			m.Apply(mulligan.Event{Time: viewtest.Begun, Body: mulligan.TaskAdded{Task: task}})
		}
		got := m.Snapshot(viewtest.Begun).Tasks
		if got.All != len(board.Tasks) || got.Open != board.Open() {
			t.Fatalf("%d tasks, %d open; want %d, %d", got.All, got.Open, len(board.Tasks), board.Open())
		}
		next := board.Next()
		switch {
		case next == nil && len(got.List) > 0 && !got.List[0].Blocked:
			t.Fatalf("nothing can be taken, and task %d is listed as if it could", got.List[0].ID)
		case next != nil && (got.List[0].ID != next.ID || got.List[0].Blocked):
			t.Fatalf("the next is %d, the first is %+v", next.ID, got.List[0])
		}
	}
}

func TestQuestions(t *testing.T) {
	m, s := fold(t, "loop-asking")
	snap := m.Snapshot(s.Now)
	if len(snap.Questions) != 1 || snap.Questions[0].ID != 2 || snap.Questions[0].Left != 103*time.Second {
		t.Fatalf("open are %+v", snap.Questions)
	}
	if len(snap.Settled) != 1 || !snap.Settled[0].Assumed() {
		t.Fatalf("settled are %+v", snap.Settled)
	}
	// A person may still answer what was assumed.
	for id, text := range map[int]string{1: "MIT", 2: "zero"} {
		m.Apply(mulligan.Event{Time: s.Now, Body: mulligan.Answered{ID: id, Text: text, By: mulligan.ByPerson}})
	}
	snap = m.Snapshot(s.Now)
	if len(snap.Questions) != 0 || len(snap.Settled) != 2 || snap.Settled[0].Assumed() || snap.Settled[1].Assumed() {
		t.Errorf("open %+v, settled %+v", snap.Questions, snap.Settled)
	}
}

// The checks that follow a final delivery say nothing about the attempts.
func TestADeliveryLeavesTheStepAlone(t *testing.T) {
	m, s := fold(t, "loop-over")
	snap := m.Snapshot(s.Now)
	if snap.Evidence != nil || snap.Step().Status != view.Verified || snap.Step().Checks[0].Status != mulligan.Pass {
		t.Errorf("evidence %v, step %+v", snap.Evidence, snap.Step())
	}
	if snap.Ending != nil || snap.Pending != 0 {
		t.Errorf("ending %v, pending %d", snap.Ending, snap.Pending)
	}
}
