package guard

import (
	"fmt"
	"testing"

	"mulligan"
)

// update has an agent say something of one of its tasks, which passes if it comes to a validation.
func (w *world) update(item Item) Answer {
	w.t.Helper()
	w.calls++
	bodies, id := Receive(&w.st.Guard, w.rules, Call{ID: fmt.Sprintf("toolu_%d", w.calls), Tool: "TaskUpdate", Items: []Item{item}})
	w.apply(bodies...)
	if id == "" {
		return Answer{Allowed: true}
	}
	if claim := *w.st.Guard.Claim(id); claim.Pending() {
		w.apply(Conclude(claim, []Ruling{{Key: claim.Items[0].Key, OK: true, By: "judge"}}, nil))
	}
	return AnswerTo(*w.st.Guard.Claim(id))
}

// G2: a task that is renamed to what another has passed with has not passed by that.
func TestRenameToWhatHasPassed(t *testing.T) {
	begin := func() *world {
		w := newWorld(t, usual())
		w.apply(mulligan.GuardSeen{Subjects: map[string]string{"1": "A", "2": "B"}})
		w.update(Item{ID: "1", Completed: true})
		if got := w.update(Item{ID: "1", Completed: true}); !got.Allowed || w.item("A").Status != mulligan.ItemPassed {
			t.Fatalf("A: %+v", got)
		}
		return w
	}
	for name, calls := range map[string][]Item{
		"in one call":         {{ID: "2", Content: "a", Completed: true}},
		"before":              {{ID: "2", Content: "A"}, {ID: "2", Completed: true}},
		"after a denial":      {{ID: "2", Completed: true}, {ID: "2", Content: "A", Completed: true}},
		"one of mulligan's":   {{Content: "A", Was: "B", Task: 2}, {Content: "A", Was: "A", Task: 2, Completed: true}},
		"mulligan's, at once": {{Content: "A", Was: "B", Task: 2, Completed: true}},
	} {
		w := begin()
		var last Answer
		for _, item := range calls {
			last = w.update(item)
		}
		if last.Allowed || w.item("A").Attempts != 1 {
			t.Errorf("%s: %+v, %+v", name, last, w.item("A"))
		}
	}
	w := begin()
	w.update(Item{ID: "1", Content: "A, and more"})
	w.update(Item{ID: "1", Content: "A"})
	if got := w.update(Item{ID: "1", Completed: true}); !got.Allowed || w.item("A").Status != mulligan.ItemPassed {
		t.Errorf("renamed back: %+v, %+v", got, w.item("A"))
	}
}

// The ids of two conversations in a session are of different tasks.
func TestScope(t *testing.T) {
	w := newWorld(t, usual())
	for _, scope := range []string{"c-1", "c-2"} {
		bodies, _ := Receive(&w.st.Guard, w.rules, Call{Scope: scope, Subjects: map[string]string{"1": "write " + scope}})
		w.apply(bodies...)
	}
	for _, scope := range []string{"c-1", "c-2"} {
		bodies, id := Receive(&w.st.Guard, w.rules, Call{Scope: scope, Items: []Item{{ID: "1", Completed: true}}})
		w.apply(bodies...)
		if claim := w.st.Guard.Claim(id); claim.Items[0].Content != "write "+scope {
			t.Errorf("%s: %+v", scope, claim)
		}
	}
}

// G5: a name that a task had before is nothing that is left to do; one over its limit still waits.
func TestOldName(t *testing.T) {
	w := newWorld(t, mulligan.Guard{MaxAttempts: 2, DenyFirst: true})
	w.apply(mulligan.GuardSeen{Subjects: map[string]string{"1": "A", "2": "B", "3": "C", "4": "c"}})
	for _, id := range []string{"1", "2", "3", "4"} {
		w.update(Item{ID: id, Open: true})
	}
	w.update(Item{ID: "1", Content: "A, and more"})
	if !w.item("A").Gone || w.item("A, and more").Gone {
		t.Errorf("renamed: %+v", w.st.Guard.Items)
	}
	w.update(Item{ID: "1", Content: "A"})
	if w.item("A").Gone || !w.item("A, and more").Gone {
		t.Errorf("renamed back: %+v", w.st.Guard.Items)
	}
	w.update(Item{ID: "3", Content: "D"})
	if w.item("C").Gone {
		t.Errorf("another task has the name: %+v", w.st.Guard.Items)
	}
	for range 3 {
		bodies, _ := Receive(&w.st.Guard, w.rules, Call{Items: []Item{{ID: "2", Completed: true}}})
		w.apply(bodies...)
	}
	w.update(Item{ID: "2", Content: "B, and more"})
	if w.item("B").Gone || w.item("B").Status != mulligan.ItemOver || len(w.st.OverLimit()) != 1 {
		t.Errorf("over its limit: %+v", w.st.Guard.Items)
	}
}
