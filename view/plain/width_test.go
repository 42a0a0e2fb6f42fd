package plain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mulligan"
	"mulligan/view"
	"mulligan/view/plain"
	"mulligan/view/viewtest"
)

// On a narrow terminal the prose of an outcome breaks between words; commands and the branch's name do not.
func TestWidthOfAnOutcome(t *testing.T) {
	m := view.NewModel()
	viewtest.TwoSteps().Play(m.Apply, nil)
	snap := m.Snapshot(viewtest.Begun.Add(time.Minute))
	snap.Place.Branch, snap.Place.Base = "mulligan/a-branch-with-a-long-name-so-that-it-does-not-fit", "0aa1b2c"
	snap.Outcome = &mulligan.Outcome{Ended: mulligan.GaveUp, Reason: strings.Repeat("several words of prose ", 8), Commit: "1a2b3c4", Handover: &mulligan.Handover{}}
	for _, color := range []bool{false, true} {
		var wide, narrow strings.Builder
		plain.Outcome(&wide, snap, plain.Options{Color: color})
		plain.Outcome(&narrow, snap, plain.Options{Color: color, Width: 60})
		if got, want := strings.Join(strings.Fields(ansi.Strip(narrow.String())), " "), strings.Join(strings.Fields(ansi.Strip(wide.String())), " "); got != want {
			t.Errorf("the words are\n%s\nwant\n%s", got, want)
		}
		for line := range strings.Lines(narrow.String()) {
			if ansi.StringWidth(line) > 60 && !strings.Contains(line, "git ") && !strings.Contains(line, "mulligan ") && !strings.Contains(line, snap.Place.Branch) {
				t.Errorf("a line of %d columns: %q", ansi.StringWidth(line), line)
			}
		}
		if !strings.Contains(ansi.Strip(narrow.String()), "git log -p 0aa1b2c..refs/heads/mulligan/a-branch-with-a-long-name-so-that-it-does-not-fit") {
			t.Errorf("a command is broken:\n%s", narrow.String())
		}
	}
}
