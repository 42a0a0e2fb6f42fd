package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/state"
)

// A world is the guard of one session, driven as the program drives it.
type world struct {
	t     *testing.T
	st    state.State
	rules mulligan.Guard
	calls int
}

func newWorld(t *testing.T, rules mulligan.Guard) *world {
	w := &world{t: t, rules: rules}
	w.apply(mulligan.GuardOpened{Dir: "/repo", Agent: "claude", Conversation: "c"})
	return w
}

func usual() mulligan.Guard { return mulligan.Guard{MaxAttempts: 5, DenyFirst: true} }

func (w *world) apply(bodies ...mulligan.Body) {
	w.t.Helper()
	for _, b := range bodies {
		if err := w.st.Apply(mulligan.Event{Session: "s", Number: w.st.Last + 1, Time: time.Unix(1, 0), Body: b}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// call has an agent list items: "x A" claims A, anything else opens it. ok is what validation says.
func (w *world) call(ok bool, list ...string) Answer {
	w.t.Helper()
	w.calls++
	return w.callAs(fmt.Sprintf("toolu_%d", w.calls), ok, list...)
}

func (w *world) callAs(id string, ok bool, list ...string) Answer {
	w.t.Helper()
	c := Call{ID: id, Tool: "TodoWrite", Whole: true}
	for _, item := range list {
		content, done := strings.CutPrefix(item, "x ")
		c.Items = append(c.Items, Item{Content: content, Completed: done, Open: !done})
	}
	bodies, claim := Receive(&w.st.Guard, w.rules, c)
	w.apply(bodies...)
	if claim == "" {
		return Answer{Allowed: true}
	}
	if got := w.st.Guard.Claim(claim); got.Pending() {
		var rulings []Ruling
		for _, item := range got.Items {
			rulings = append(rulings, Ruling{Key: item.Key, OK: ok, Reason: "the tests are missing", By: "judge"})
		}
		w.apply(Conclude(*got, rulings, nil))
	}
	return AnswerTo(*w.st.Guard.Claim(claim))
}

func (w *world) item(content string) mulligan.GuardItem {
	w.t.Helper()
	item := w.st.Guard.Item(Key(content))
	if item == nil {
		w.t.Fatalf("there is no item %q", content)
	}
	return *item
}

// G2, G5: the state machine, line by line.
func TestTable(t *testing.T) {
	const (
		open, denied, validating = mulligan.ItemOpen, mulligan.ItemDenied, mulligan.ItemValidating
		passed, over, allowed    = mulligan.ItemPassed, mulligan.ItemOver, mulligan.ItemApproved
	)
	all := []mulligan.GuardStatus{open, denied, validating, passed, over, allowed}
	want := map[string][]mulligan.GuardStatus{ // what becomes of each of all
		"claim first":  {denied, denied, denied, passed, over, passed},
		"claim within": {validating, validating, validating, passed, over, passed},
		"claim beyond": {over, over, over, passed, over, passed},
		"confirmed":    {open, denied, passed, passed, over, allowed},
		"refuted":      {open, denied, denied, passed, over, allowed},
		"reopened":     {open, open, validating, open, over, allowed},
		"released":     {open, open, open, open, open, open},
		"approved":     {allowed, allowed, allowed, passed, allowed, allowed},
	}
	for what, becomes := range want {
		on, at, _ := strings.Cut(what, " ")
		for i, from := range all {
			if got := next(from, signal(on), span(at)); got != becomes[i] {
				t.Errorf("%s, %s: %s, want %s", from, what, got, becomes[i])
			}
		}
	}
}

// G2: attempt 1 is denied, 2 to N are validated, N+1 and later are over the limit.
func TestAttempts(t *testing.T) {
	for _, limit := range []int{2, 3, 5, 10} {
		rules := usual()
		rules.MaxAttempts = limit
		w := newWorld(t, rules)
		for n := 1; n <= limit+3; n++ {
			got := w.call(false, "x Write the tests")
			wantStatus, wantWords := mulligan.ItemDenied, fmt.Sprintf("(claim %d of %d). It was looked at by a judge, who found:\nthe tests are missing", n, limit)
			switch {
			case n == 1:
				wantWords = fmt.Sprintf("Not accepted yet: 'Write the tests' (claim 1 of %d). First show what was done", limit)
			case n > limit:
				wantStatus = mulligan.ItemOver
				wantWords = fmt.Sprintf("Maximum retry attempts (%d) exceeded for: 'Write the tests'. Please wait for user guidance or manually mark as completed.", limit)
			}
			if got.Allowed || !strings.Contains(got.Reason, wantWords) {
				t.Errorf("attempt %d of %d: %+v", n, limit, got)
			}
			if item := w.item("Write the tests"); item.Status != wantStatus || item.Attempts != n {
				t.Errorf("attempt %d of %d: %+v", n, limit, item)
			}
		}
	}
}

func TestFirstAttemptValidated(t *testing.T) {
	w := newWorld(t, mulligan.Guard{MaxAttempts: 1})
	if got := w.call(false, "x A"); got.Allowed || !strings.Contains(got.Reason, "found:\nthe tests are missing") {
		t.Errorf("attempt 1: %+v", got)
	}
	if got := w.call(true, "x A"); got.Allowed || !strings.Contains(got.Reason, "Maximum retry attempts (1) exceeded for: 'A'.") {
		t.Errorf("attempt 2: %+v", got)
	}
	w = newWorld(t, mulligan.Guard{MaxAttempts: 1})
	if got := w.call(true, "x A"); !got.Allowed {
		t.Errorf("attempt 1: %+v", got)
	}
}

// G5: attempts begin anew for an item that passes, and for one that is reopened.
func TestReset(t *testing.T) {
	w := newWorld(t, usual())
	w.call(true, "x A")
	if got := w.call(true, "x A"); !got.Allowed || w.item("A").Status != mulligan.ItemPassed || w.item("A").Attempts != 0 {
		t.Fatalf("the second claim: %+v, %+v", got, w.item("A"))
	}
	if got := w.call(false, "x A"); !got.Allowed || w.item("A").Attempts != 0 || len(w.st.Guard.Claims) != 2 {
		t.Errorf("an item that has passed counts again: %+v", got)
	}
	w.call(true, "A")
	if got := w.call(true, "x A"); got.Allowed || w.item("A").Attempts != 1 {
		t.Errorf("reopened after a pass: %+v", got)
	}
	w.call(false, "x A")
	w.call(true, "A")
	if got := w.call(true, "x A"); got.Allowed || w.item("A").Attempts != 1 {
		t.Errorf("reopened after a denial: %+v", got)
	}
	for range 6 {
		w.call(false, "x A")
	}
	w.call(true, "A")
	if got := w.call(true, "x A"); got.Allowed || w.item("A").Status != mulligan.ItemOver {
		t.Errorf("reopened over its limit: %+v", got)
	}
}

// G4: several at once are judged each by itself.
func TestSeveral(t *testing.T) {
	w := newWorld(t, mulligan.Guard{MaxAttempts: 2, DenyFirst: true})
	w.call(true, "x A", "B", "C")
	got := w.call(true, "x A", "x B", "C")
	if got.Allowed || !strings.Contains(got.Reason, "Not accepted yet: 'B' (claim 1 of 2)") || !strings.Contains(got.Reason, "Accepted as completed: 'A'.") {
		t.Errorf("one passes beside one that does not: %+v", got)
	}
	if w.item("A").Status != mulligan.ItemPassed || w.item("B").Attempts != 1 || w.item("C").Attempts != 0 {
		t.Errorf("items: %+v", w.st.Guard.Items)
	}
	w.call(false, "x A", "x B", "C")
	got = w.call(false, "x A", "x B", "x C") // B is over its limit now
	if !strings.Contains(got.Reason, "exceeded for: 'B'. Please") || !strings.Contains(got.Reason, "'C' (claim 1 of 2)") || w.item("C").Attempts != 1 {
		t.Errorf("beside one over its limit: %+v", got)
	}
	if got := w.call(true, "x A", "B", "x C"); !got.Allowed {
		t.Errorf("a call that leaves B alone: %+v", got)
	}
	w.call(false, "x A", "x B", "C")
	for range 3 {
		w.call(false, "x A", "B", "x C")
	}
	if got := w.call(false, "x A", "x B", "x C"); !strings.Contains(got.Reason, "exceeded for: 'B', 'C'. Please") {
		t.Errorf("two over their limits: %+v", got)
	}
}

// G2: renaming by case and spaces does not begin anew; another name does, and is shown as such.
func TestRename(t *testing.T) {
	w := newWorld(t, usual())
	w.call(false, "x Write  the tests")
	w.call(false, "x write the\tTESTS ")
	w.call(false, "x Write\u200b the tests")
	if item := w.item("WRITE THE TESTS"); item.Attempts != 3 || len(w.st.Guard.Items) != 1 {
		t.Fatalf("items: %+v", w.st.Guard.Items)
	}
	w.call(false, "x Write some tests")
	item := w.item("Write some tests")
	if item.Attempts != 1 || item.Instead != "Write  the tests" || !w.item("write the tests").Gone {
		t.Errorf("items: %+v", w.st.Guard.Items)
	}
}

// G2: the same call gets the same answer again, and counts once.
func TestSameCall(t *testing.T) {
	w := newWorld(t, usual())
	one := w.callAs("toolu_a", true, "x A")
	if again := w.callAs("toolu_a", true, "x A"); again != one || w.item("A").Attempts != 1 {
		t.Errorf("%+v after %+v", again, one)
	}
	if got := w.callAs("", true, "x A"); !got.Allowed {
		t.Errorf("a call without an id: %+v", got)
	}
	w.callAs("", false, "x B")
	w.callAs("", false, "x B")
	if w.item("B").Attempts != 2 {
		t.Errorf("calls without an id: %+v", w.item("B"))
	}
}

// A claim that was counted and never answered, because the process was killed, is answered when it
// is told again, and another claim counts on.
func TestKilledBetween(t *testing.T) {
	w := newWorld(t, usual())
	w.call(false, "x A")
	call := Call{ID: "toolu_k", Items: []Item{{Content: "A", Completed: true}}}
	bodies, claim := Receive(&w.st.Guard, w.rules, call)
	w.apply(bodies...)
	again, same := Receive(&w.st.Guard, w.rules, call)
	if len(again) != 0 || same != claim || !w.st.Guard.Claim(claim).Pending() {
		t.Fatalf("told again: %v %s", again, same)
	}
	w.call(false, "x A")
	if got := w.item("A"); got.Attempts != 3 || got.Status != mulligan.ItemDenied {
		t.Errorf("item: %+v", got)
	}
	w.apply(Conclude(*w.st.Guard.Claim(claim), []Ruling{{Key: "a", OK: true}}, nil))
	// The call is allowed, so that the item is done: what tells of it once more is no other claim.
	if got := w.item("A"); got.Status != mulligan.ItemPassed || got.Attempts != 0 || !AnswerTo(*w.st.Guard.Claim(claim)).Allowed {
		t.Errorf("a late ruling: %+v", got)
	}
	if got := w.callAs("", false, "x A"); !got.Allowed {
		t.Errorf("told again after the late ruling: %+v", got)
	}
}

// Of claims of an item side by side, of which one passes, the others take nothing back; a person does.
func TestLateRulings(t *testing.T) {
	for name, tt := range map[string]struct {
		between func(w *world)
		want    mulligan.GuardStatus
	}{
		"beyond the limit": {func(w *world) { w.call(false, "x A") }, mulligan.ItemPassed},
		"refuted":          {func(w *world) { w.rules.MaxAttempts = 9; w.call(false, "x A") }, mulligan.ItemPassed},
		"released": {func(w *world) {
			w.apply(mulligan.GuardDecided{Key: "a", Status: mulligan.ItemOpen, By: mulligan.ByPerson})
		}, mulligan.ItemOpen},
		"released, claimed": {func(w *world) {
			w.apply(mulligan.GuardDecided{Key: "a", Status: mulligan.ItemOpen, By: mulligan.ByPerson})
			w.call(false, "x A")
		}, mulligan.ItemDenied},
	} {
		w := newWorld(t, mulligan.Guard{MaxAttempts: 2, DenyFirst: true})
		w.call(false, "x A")
		bodies, claim := Receive(&w.st.Guard, w.rules, Call{ID: "toolu_late", Items: []Item{{Content: "A", Completed: true}}})
		w.apply(bodies...)
		tt.between(w)
		w.apply(Conclude(*w.st.Guard.Claim(claim), []Ruling{{Key: "a", OK: true, By: "judge"}}, nil))
		if got := w.item("A"); got.Status != tt.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// G8: ignored items are neither counted nor judged.
func TestIgnore(t *testing.T) {
	rules := usual()
	rules.Ignore = []string{"*.md", "docs: *"}
	w := newWorld(t, rules)
	for _, content := range []string{"README.md", "Update docs/README.md", "docs: say how a/b works"} {
		if got := w.call(false, "x "+content); !got.Allowed || len(w.st.Guard.Items) != 0 {
			t.Errorf("%s: %+v %+v", content, got, w.st.Guard.Items)
		}
	}
	if got := w.call(false, "x Write README.md and tests"); got.Allowed {
		t.Errorf("not ignored: %+v", got)
	}
}

// G5: a person releases and approves.
func TestPerson(t *testing.T) {
	w := newWorld(t, usual())
	for range 6 {
		w.call(false, "x Write the tests", "B")
	}
	released, err := Release(&w.st.Guard, "the TESTS")
	if err != nil {
		t.Fatal(err)
	}
	w.apply(released)
	if got := w.call(false, "x Write the tests", "B"); got.Allowed || w.item("Write the tests").Attempts != 1 {
		t.Errorf("released: %+v", got)
	}
	approved, err := Approve(&w.st.Guard, "write the tests")
	if err != nil {
		t.Fatal(err)
	}
	w.apply(approved)
	w.call(false, "Write the tests", "B") // reopening does not take the word away
	if got := w.call(false, "x Write the tests", "B"); !got.Allowed || w.item("Write the tests").By != mulligan.ByPerson {
		t.Errorf("approved: %+v", got)
	}
	if _, err := Approve(&w.st.Guard, "write the tests"); err == nil {
		t.Error("an item that has passed was approved")
	}
	if _, err := Release(&w.st.Guard, "C"); err == nil || err.Error() != `no task is called "C"` {
		t.Errorf("no such item: %v", err)
	}
	w.call(false, "x Write the tests", "B", "Write the docs")
	if _, err := Release(&w.st.Guard, "write the"); err == nil || !strings.Contains(err.Error(), "2 tasks have") {
		t.Errorf("two items: %v", err)
	}
}

func TestAnswerIsBounded(t *testing.T) {
	w := newWorld(t, usual())
	var list []string
	for i := range 200 {
		list = append(list, fmt.Sprintf("x item %d %s", i, strings.Repeat("word ", 100)))
	}
	if got := w.call(false, list...); len([]rune(got.Reason)) > MaxReason {
		t.Errorf("%d characters", len([]rune(got.Reason)))
	}
	if twice := compact([]Item{{Content: "A"}, {Content: "a ", Completed: true}, {Content: " "}}, usual()); len(twice) != 1 || !twice[0].Completed {
		t.Errorf("an item that is listed twice: %+v", twice)
	}
	if slices.ContainsFunc([]string{"[", "{a"}, ValidGlob) {
		t.Error("a broken glob is valid")
	}
}

// G1: a task that a call names by its id alone has the content that an earlier call told.
func TestSubjects(t *testing.T) {
	w := newWorld(t, usual())
	tell := func(c Call) Answer {
		t.Helper()
		bodies, claim := Receive(&w.st.Guard, w.rules, c)
		w.apply(bodies...)
		if claim == "" {
			return Answer{Allowed: true}
		}
		c2 := *w.st.Guard.Claim(claim)
		if c2.Pending() {
			w.apply(Conclude(c2, []Ruling{{Key: c2.Items[0].Key, OK: true, By: "judge"}}, nil))
		}
		return AnswerTo(*w.st.Guard.Claim(claim))
	}
	tell(Call{Subjects: map[string]string{"1": "Write the tests"}})
	update := func(id string, item Item) Answer { return tell(Call{ID: id, Tool: "TaskUpdate", Items: []Item{item}}) }
	if got := update("a", Item{ID: "1", Completed: true}); !strings.Contains(got.Reason, "'Write the tests' (claim 1 of 5)") {
		t.Errorf("a task whose subject is known: %+v", got)
	}
	if got := update("b", Item{ID: "7", Completed: true}); !strings.Contains(got.Reason, "'task 7' (claim 1 of 5)") {
		t.Errorf("a task whose subject is not known: %+v", got)
	}
	update("c", Item{ID: "1", Content: "Write more tests"}) // a new subject, and no status
	if item := w.item("Write more tests"); item.Instead != "Write the tests" || item.Attempts != 0 || w.item("Write the tests").Attempts != 1 {
		t.Errorf("renamed: %+v", w.st.Guard.Items)
	}
	update("d", Item{ID: "1", Content: "Write all tests", Completed: true})
	if got := update("e", Item{ID: "1", Completed: true}); !got.Allowed {
		t.Errorf("the second claim: %+v", got)
	}
	// The program tells of the claim that passed once more, with the subject that the task had before.
	if got := tell(Call{Tool: "TaskCompleted", Items: []Item{{ID: "1", Usual: "Write more tests", Completed: true}}}); !got.Allowed || w.item("Write more tests").Attempts != 0 {
		t.Errorf("the claim that passed, told again: %+v", got)
	}
	update("f", Item{ID: "1", Gone: true})
	if !w.item("Write all tests").Gone {
		t.Errorf("deleted: %+v", w.item("Write all tests"))
	}
}
