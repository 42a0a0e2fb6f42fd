package page

import (
	"net/http"
	"strings"
	"testing"

	"mulligan"
)

// The list has the title of a task that is a file, while the session runs and after it: the journal has it.
func TestTitles(t *testing.T) {
	s := newScene(t, nil)
	bodies := s.begin("task.md")
	started := bodies[0].(mulligan.SessionStarted)
	started.Plan.Task.Text = "\n# Turn titles into <b>web</b> addresses\n\nWrite slug.\n"
	s.write(bodies...)
	s.answerPings()
	check := func(when string) {
		t.Helper()
		code, body := s.get("/?q=into")
		if code != http.StatusOK || !strings.Contains(body, `">Turn titles into &lt;b&gt;web&lt;/b&gt; addresses</a> <span class="muted">task.md · `) {
			t.Errorf("%s: %d, without the title:\n%s", when, code, body)
		}
	}
	check("while it runs")
	s.write(mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished}},
		mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.GaveUp, Reason: "no attempt is left"}})
	check("after it")
	_, base, _ := serve(t, Config{Env: s.env, Token: "OTHER"}) // which has never seen it run
	r, err := s.browser.Get(base + "/")
	if _, body := readAnswer(t, r, err); !strings.Contains(body, "gave up") || !strings.Contains(body, "Turn titles into") {
		t.Errorf("after a restart:\n%s", body)
	}
}
