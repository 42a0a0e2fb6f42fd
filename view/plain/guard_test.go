package plain_test

import (
	"fmt"
	"strings"
	"testing"

	"mulligan"
	"mulligan/view"
	"mulligan/view/plain"
	"mulligan/view/viewtest"
)

// The outcome suggests a word about each item that still waits for one, and then the resumption.
func TestSuggestionsAtTheGuardsLimit(t *testing.T) {
	const resume = "mulligan resume " + viewtest.Session
	divide := mulligan.GuardDecided{Key: "divide; what's with zero?", Status: mulligan.ItemOpen, By: mulligan.ByPerson}
	over := func(content string) mulligan.Body {
		return mulligan.GuardSeen{Items: []mulligan.GuardItem{{Key: content, Content: content, Status: mulligan.ItemOver}}}
	}
	for name, c := range map[string]struct {
		after []mulligan.Body
		want  []string
	}{
		"waits": {nil, []string{"mulligan guard status", `mulligan guard approve 'Divide; what'\''s with zero?'`, resume}},
		"two wait": {[]mulligan.Body{over("x")}, []string{
			"mulligan guard status", `mulligan guard approve 'Divide; what'\''s with zero?'`, "mulligan guard approve x", resume,
		}},
		"decided":            {[]mulligan.Body{divide}, []string{resume}},
		"one of two decided": {[]mulligan.Body{divide, over("x")}, []string{"mulligan guard status", "mulligan guard approve x", resume}},
	} {
		m := view.NewModel()
		s := viewtest.GuardWaiting()
		s.Play(m.Apply, nil)
		for _, b := range c.after {
			m.Apply(mulligan.Event{Session: viewtest.Session, Time: s.Now, Body: b})
		}
		var b strings.Builder
		plain.Outcome(&b, m.Snapshot(s.Now), plain.Options{})
		_, next, _ := strings.Cut(b.String(), "  next       ")
		var got []string
		for line := range strings.Lines(next) {
			command, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
			got = append(got, command)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", c.want) {
			t.Errorf("%s: next is %q, want %q", name, got, c.want)
		}
	}
}

// A session that waits for a word about an item is not paused.
func TestALimitOfTheGuardIsNoPause(t *testing.T) {
	for overLimit, want := range map[bool]string{true: " waiting ", false: " paused "} {
		var b strings.Builder
		plain.Sessions(&b, []mulligan.Summary{{ID: "a", Ended: mulligan.Waiting, Phase: mulligan.Preparing, OverLimit: overLimit}}, plain.ListOptions{})
		if !strings.Contains(b.String(), want) {
			t.Errorf("over its limit %v: it is listed as\n%s", overLimit, b.String())
		}
	}
}

// A status of many items names the command that lists all, and one whose process is gone does not claim
// that it validates.
func TestStatusOfManyItems(t *testing.T) {
	m := view.NewModel()
	var seen mulligan.GuardSeen
	for i := range 70 {
		content := fmt.Sprintf("item %d", i)
		seen.Items = append(seen.Items, mulligan.GuardItem{Key: content, Content: content, Status: mulligan.ItemValidating, Attempts: 1})
	}
	m.Apply(mulligan.Event{Session: "s", Number: 1, Body: seen})
	snap := m.Snapshot(viewtest.Begun)
	snap.Gone = true
	var b strings.Builder
	plain.Status(&b, snap, plain.Options{})
	for _, want := range []string{"'item 9'  was being validated when the session stopped", "… 60 more items  mulligan guard status\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "'item 10'") {
		t.Errorf("too many are listed:\n%s", b.String())
	}
}
