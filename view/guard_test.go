package view_test

import (
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/view"
	"mulligan/view/viewtest"
)

// The guard's items are told apart as the state does: what needs a person comes first, and what needs
// nothing is counted.
func TestItemsOfTheGuard(t *testing.T) {
	m, s := fold(t, "guard-working")
	g := m.Snapshot(s.Now).Guard
	if !g.On || g.Max != 3 || g.Passed != 1 || g.Open != 0 || g.More != 0 {
		t.Errorf("the guard is %+v", g)
	}
	var got []string
	for _, i := range g.Items {
		got = append(got, view.Join(" ", i.Content, string(i.Status), i.By, i.Reason))
	}
	want := []string{
		"Divide; what's with zero? over judge A division by zero panics.", "Write the manual validating guard",
		"Subtract denied guard", "Multiply denied judge Multiply(2, 3) is not tested.", "Polish open", "Tidy up denied guard",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the items are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if w := g.Waiting(); len(w) != 1 || w[0].Task != 4 {
		t.Errorf("%+v wait for a person", w)
	}
}

// A person's word is seen at once, and a task that is cancelled waits for nobody.
func TestNothingWaitsOnceItIsDecided(t *testing.T) {
	cancelled := mulligan.TaskItem{ID: 4, Content: "Divide; what's with zero?", Status: mulligan.TaskCancelled}
	for name, c := range map[string]struct {
		body  mulligan.Body
		words string
	}{
		"approved":  {mulligan.GuardDecided{Key: "divide; what's with zero?", Status: mulligan.ItemApproved, By: mulligan.ByPerson}, "approved: the next claim passes"},
		"cancelled": {mulligan.TaskChanged{Task: cancelled}, "over its limit of 3 claims"},
	} {
		m, s := fold(t, "guard-waiting")
		if got := m.Snapshot(s.Now); len(got.Guard.Waiting()) != 1 || got.Paused() {
			t.Fatalf("%+v wait, paused %v", got.Guard.Waiting(), got.Paused())
		}
		m.Apply(mulligan.Event{Session: viewtest.Session, Time: s.Now, Body: c.body})
		snap := m.Snapshot(s.Now)
		_, words, _ := snap.DescribeItem(snap.Guard.Items[0])
		if len(snap.Guard.Waiting()) != 0 || words != c.words || snap.Paused() {
			t.Errorf("%s: %+v wait, the item is %q, paused %v", name, snap.Guard.Waiting(), words, snap.Paused())
		}
	}
}

// What runs is the validation from the claim to the ruling, and then the turn again.
func TestAClaimIsValidated(t *testing.T) {
	claim := func(id string, contents ...string) mulligan.GuardClaimed {
		c := mulligan.GuardClaim{ID: id, Max: 3}
		for _, content := range contents {
			c.Items = append(c.Items, mulligan.ClaimedItem{Key: content, Content: content, Attempt: 2, Status: mulligan.ItemValidating})
		}
		return mulligan.GuardClaimed{GuardClaim: c}
	}
	denied := claim("d", "x")
	denied.Items[0].Status = mulligan.ItemDenied
	turn := mulligan.TurnStarted{Turn: 1, Agent: "local"}
	for name, c := range map[string]struct {
		bodies []mulligan.Body
		want   string
	}{
		"a denied one runs nothing": {[]mulligan.Body{turn, denied}, "agent local"},
		"one":                       {[]mulligan.Body{turn, claim("a", "x")}, "validating 'x'"},
		"several":                   {[]mulligan.Body{turn, claim("a", "x", "y"), claim("b", "z")}, "validating 'x' and 2 more"},
		"the second one":            {[]mulligan.Body{turn, claim("a", "x", "y"), claim("b", "z"), mulligan.GuardRuled{Claim: "a"}}, "validating 'z'"},
		"ruled on":                  {[]mulligan.Body{turn, claim("a", "x"), mulligan.GuardRuled{Claim: "a"}}, "agent local"},
		"long":                      {[]mulligan.Body{turn, claim("a", strings.Repeat("long ", 50))}, "validating '" + strings.Repeat("long ", 11) + "long…'"},
		"nasty":                     {[]mulligan.Body{turn, claim("a", "x\x1b[2J\ny")}, "validating 'x y'"},
		"a process that took over":  {[]mulligan.Body{turn, claim("a", "x"), mulligan.SessionResumed{}, turn}, "agent local"},
		"the turn has ended":        {[]mulligan.Body{turn, claim("a", "x"), mulligan.TurnEnded{Turn: 1}, turn}, "agent local"},
	} {
		m := view.NewModel()
		for i, b := range append([]mulligan.Body{mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: make([]mulligan.Step, 1)}}}, c.bodies...) {
			m.Apply(mulligan.Event{Session: "s", Number: int64(i + 1), Time: viewtest.Begun.Add(time.Duration(i) * time.Second), Body: b})
		}
		if got := m.Snapshot(viewtest.Begun.Add(time.Minute)).Running; got.String() != c.want {
			t.Errorf("%s: %q runs, want %q", name, got, c.want)
		}
	}
}

// The commands name an item so that a shell gives mulligan what the guard finds it by.
func TestCommandsForAnItem(t *testing.T) {
	long := strings.Repeat("a very long item ", 30)
	for _, c := range []struct {
		content string
		task    int
		want    string
	}{
		{"Add", 1, "Add"},
		{"Write the  manual\n(all of it)", 0, `'Write the manual (all of it)'`},
		{"what's $HOME; `id`", 0, `'what'\''s $HOME; ` + "`id`'"},
		{"--force it", 0, `-- '--force it'`},
		{long, 7, "7"},
		{long, 0, `'a very long item a very long item a very long item a very lo'`},
		{"red \x1b[31mtext", 8, "8"},
		{"red \x1b[31mtext", 0, `'red [31mtext'`},
		{strings.Repeat("'", 150), 0, "'" + strings.Repeat(`'\''`, 60) + "'"},
	} {
		key := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(c.content, "\x1b", "")), " "))
		m := newGuardedModel()
		item := mulligan.GuardItem{Key: key, Content: c.content, Status: mulligan.ItemOver, Task: c.task}
		m.Apply(mulligan.Event{Session: "s", Number: 2, Body: mulligan.GuardSeen{Items: []mulligan.GuardItem{item}}})
		w := m.Snapshot(viewtest.Begun).Guard.Waiting()
		if len(w) != 1 {
			t.Fatalf("%q: %d items wait", c.content, len(w))
		}
		if got := w[0].ApproveCommand(); got != "mulligan guard approve "+c.want {
			t.Errorf("%q: %s, want %s", c.content, got, c.want)
		}
		if got := w[0].ReleaseCommand(); got != "mulligan guard release "+c.want {
			t.Errorf("%q: %s, want %s", c.content, got, c.want)
		}
	}
}

// However many items there are, a snapshot lists few, and none of those that wait is lost behind others.
func TestItemsAreBounded(t *testing.T) {
	m := newGuardedModel()
	var seen mulligan.GuardSeen
	for i := range 200 {
		content := "item " + strings.Repeat("x", i)
		status := mulligan.ItemDenied
		if i == 199 {
			status = mulligan.ItemOver
		}
		seen.Items = append(seen.Items, mulligan.GuardItem{Key: content, Content: content, Status: status})
	}
	m.Apply(mulligan.Event{Session: "s", Number: 2, Body: seen})
	g := m.Snapshot(viewtest.Begun).Guard
	if len(g.Items)+g.More != 200 || g.More == 0 || !g.Items[0].Waits {
		t.Errorf("%d are listed, %d more, the first is %+v", len(g.Items), g.More, g.Items[0])
	}
}

// newGuardedModel returns the model of a session that has begun, with a guard.
func newGuardedModel() *view.Model {
	m := view.NewModel()
	m.Apply(mulligan.Event{Session: "s", Number: 1, Body: mulligan.SessionStarted{Plan: &mulligan.Plan{Guard: &mulligan.Guard{MaxAttempts: 5}}}})
	return m
}
