package sessionreport_test

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mulligan"
	"mulligan/journal"
	"mulligan/view/sessionreport"
	"mulligan/view/viewtest"
)

const patch = "diff --git a/calc.go b/calc.go\n--- a/calc.go\n+++ b/calc.go\n@@ -1 +1 @@\n-return a\n+return a + b // <script>alert(1)</script>\n"

func collect(s viewtest.Stream) *sessionreport.Collector {
	c := sessionreport.NewCollector()
	s.Play(c.Apply, nil)
	return c
}

func makeHTML(t *testing.T, c *sessionreport.Collector, a sessionreport.Around) string {
	t.Helper()
	var b strings.Builder
	if err := c.Report(a).HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestStreams reports every session that views are tested with, in both forms.
func TestStreams(t *testing.T) {
	var all strings.Builder
	for _, s := range viewtest.Streams() {
		c := collect(s)
		around := sessionreport.Around{Now: s.Now, Version: "1.0", Running: true, Patch: patch, Note: "what it changed", Patches: map[int]string{1: patch}}
		checkPage(t, s.Name, makeHTML(t, c, around))
		all.WriteString("<!-- " + s.Name + " -->\n" + c.Report(around).Markdown() + "\n")
	}
	viewtest.Golden(t, "markdown", all.String())
}

var (
	request = regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed|form|audio|video|source|base)\b|\s(src|href|action|on[a-z]+)\s*=|url\((?:[^#)])|@import`)
	// hidden matches what would reorder or hide text.
	hidden = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
)

// checkPage holds a page to needing nothing else, and to having no markup of what agents wrote.
func checkPage(t *testing.T, name, page string) {
	t.Helper()
	if found := request.FindString(page); found != "" {
		t.Errorf("%s: the page has %q", name, found)
	}
	if strings.Contains(page, "://") {
		t.Errorf("%s: the page has an address: %.80q", name, page[strings.Index(page, "://")-20:])
	}
	if found := hidden.FindString(page); found != "" {
		t.Errorf("%s: the page has the character %q", name, found)
	}
}

func TestNastyEvents(t *testing.T) {
	for _, events := range viewtest.NastyEvents() {
		c := sessionreport.NewCollector()
		for _, e := range events {
			c.Apply(e)
		}
		around := sessionreport.Around{Now: viewtest.Begun, Damage: viewtest.Nasty, Note: viewtest.Nasty}
		checkPage(t, "nasty", makeHTML(t, c, around))
		if found := hidden.FindString(c.Report(around).Markdown()); found != "" {
			t.Errorf("the Markdown has the character %q", found)
		}
	}
}

func TestPlantedMarkup(t *testing.T) {
	const bad = "<script>alert(1)</script><img src=x onerror=y>[x](javascript:z) @octocat closes #12"
	c := planted(bad)
	around := sessionreport.Around{Now: viewtest.Begun, Patch: strings.ReplaceAll(patch, "calc.go", "<script>.go"), Note: bad}
	page := makeHTML(t, c, around)
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") || strings.Contains(page, `href=`) {
		t.Errorf("what was planted is markup:\n%s", page)
	}
	plain := withoutCode(c.Report(around).Markdown())
	for _, wrong := range []string{"<script", "<img", "@octocat", "#12", "[x]("} {
		if strings.Contains(plain, wrong) {
			t.Errorf("%q in the Markdown:\n%s", wrong, plain)
		}
	}
}

// withoutCode returns Markdown without its blocks of code.
func withoutCode(md string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(md) {
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(marks) >= 3:
			fence = marks
		case fence == "":
			b.WriteString(line)
		case strings.TrimSpace(line) == fence:
			fence = ""
		}
	}
	return b.String() + fence
}

// planted returns a session with a text in its task, branch, agent's words and evidence.
func planted(bad string) *sessionreport.Collector {
	verdict := mulligan.Verdict{Status: mulligan.Fail, Gate: bad, Summary: bad, Finding: &mulligan.Finding{Text: bad + "\n```\n" + bad}}
	return collect(viewtest.NewTape().Say(
		mulligan.SessionStarted{Version: bad, Place: mulligan.Place{Branch: bad}, Plan: &mulligan.Plan{
			Task: mulligan.Task{Path: bad, Text: "# " + bad + "\n\n" + bad}, Pipeline: bad, Steps: []mulligan.Step{{Name: bad, Checks: []mulligan.CheckSpec{{Name: bad, Type: "shell"}}}},
		}},
		mulligan.StepStarted{Step: bad}, mulligan.AttemptStarted{Step: bad, Attempt: 1, Iteration: 1},
		mulligan.TurnStarted{Turn: 1, Agent: bad, Prompt: bad}, mulligan.TurnEnded{Turn: 1, Result: mulligan.Result{Ending: mulligan.Finished, Message: bad}},
		mulligan.GateStarted{Gate: bad}, mulligan.GateEnded{Verdict: verdict},
		mulligan.AttemptEnded{Step: bad, Attempt: 1, Status: mulligan.Fail, Counted: true, Reason: bad},
		mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.GaveUp, Reason: bad}}).Stream("planted"))
}

func TestMarkdownIsBounded(t *testing.T) {
	huge := strings.Repeat("a long line of evidence ` | <b> é\n", 2_000)
	tape := viewtest.NewTape().Say(mulligan.SessionStarted{Plan: &mulligan.Plan{Task: mulligan.Task{Text: huge}, Steps: []mulligan.Step{{Name: "a"}}}}, mulligan.StepStarted{Step: "a"})
	for n := 1; n <= 200; n++ {
		tape.Say(mulligan.AttemptStarted{Step: "a", Attempt: n, Iteration: n}, mulligan.TurnStarted{Turn: n, Prompt: huge},
			mulligan.TurnEnded{Turn: n, Result: mulligan.Result{Message: huge, Ending: mulligan.Finished}}, mulligan.GateStarted{Gate: huge[:500]},
			mulligan.GateEnded{Verdict: mulligan.Verdict{Status: mulligan.Fail, Gate: huge[:500], Summary: huge[:500], Finding: &mulligan.Finding{Text: huge}}},
			mulligan.AttemptEnded{Step: "a", Attempt: n, Status: mulligan.Fail, Counted: true, Reason: huge[:500]})
	}
	c := collect(tape.Stream("huge"))
	md := c.Report(sessionreport.Around{Now: viewtest.Begun.Add(time.Hour), Patch: huge}).Markdown()
	if n := utf8.RuneCountInString(md); n > sessionreport.MaxMarkdown || n < 30_000 {
		t.Errorf("the Markdown has %d characters", n)
	}
	if strings.Count(md, "<details>") != strings.Count(md, "</details>") || !strings.Contains(md, "did not fit") {
		t.Errorf("folds are not closed, or nothing is said of what is missing: %s", md[len(md)-300:])
	}
}

func TestHowItStands(t *testing.T) {
	streams := map[string]viewtest.Stream{}
	for _, s := range viewtest.Streams() {
		streams[s.Name] = s
	}
	for _, c := range []struct {
		stream  string
		running bool
		want    string
	}{
		{"verified", false, "<strong>✓ Verified</strong><p>Every gate passed: go vet ./..., go test ./...; on commit 1a2b3c4 of branch"},
		{"gave-up", false, "<strong>✗ Gave up</strong>"},
		{"accepted", false, "<strong>○ Accepted, not verified</strong>"},
		{"running", true, "<strong>… Still running</strong><p>Implement, attempt 1 of 4, agent local"},
		{"running", false, "<strong>! Not ended</strong><p>Implement, attempt 1 of 4, its process is gone"},
		{"interrupted", false, "<strong>! Interrupted</strong>"},
	} {
		s := streams[c.stream]
		page := makeHTML(t, collect(s), sessionreport.Around{Now: s.Now, Running: c.running})
		if !strings.Contains(page, c.want) {
			at := strings.Index(page, `<div class="verdict`)
			t.Errorf("%s: want %q, got %.400s", c.stream, c.want, page[at:])
		}
	}
}

// TestCommands: a check that has to fail is a command that has to fail.
func TestCommands(t *testing.T) {
	check := func(options string) mulligan.CheckSpec {
		return mulligan.CheckSpec{Name: "named", Type: "shell", Options: []byte(options)}
	}
	c := collect(viewtest.NewTape().Say(mulligan.SessionStarted{Plan: &mulligan.Plan{Steps: []mulligan.Step{{Name: "a", Checks: []mulligan.CheckSpec{
		check(`{"command":"go test ./..."}`), check(`{"command":"grep TODO *.go","expect":"fail"}`), check(`{"command":"a; b","expect":"fail"}`), check(`{"command":"go test ./..."}`),
		{Name: "file_exists PLAN.md", Type: "file_exists"},
	}}}}}).Stream("commands"))
	got := strings.Join(c.Report(sessionreport.Around{}).Again, "|")
	if want := "go test ./...|! grep TODO *.go|! { a; b\n}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLessThanTheWhole(t *testing.T) {
	c := collect(viewtest.GaveUp())
	c.Apply(mulligan.Event{Number: 99, Time: viewtest.Begun.Add(time.Hour), Body: journal.Unknown{Name: "later.invented"}})
	page := makeHTML(t, c, sessionreport.Around{Now: viewtest.Begun, Damage: "event 40 is damaged"})
	for _, want := range []string{"event 40 is damaged", "has written 1 event that this one does not know"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

func TestSecretsAreCleaned(t *testing.T) {
	c := planted("hunter2")
	around := sessionreport.Around{Now: viewtest.Begun, Patch: "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+hunter2\n", Clean: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") }}
	page := makeHTML(t, c, around)
	if body := page[strings.Index(page, "What changed"):]; strings.Contains(body[:strings.Index(body, "Made with")], "hunter2") {
		t.Errorf("a secret is in the patch:\n%s", body)
	}
}
