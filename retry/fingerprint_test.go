package retry

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/report"
)

// failedBy returns an attempt that a check with an output has failed.
func failedBy(output string) mulligan.AttemptState {
	s := report.New()
	for line := range strings.Lines(output) {
		s.Line([]byte(strings.TrimRight(line, "\n")))
	}
	r := s.Report()
	return failedWith(mulligan.Finding{
		Command: "make check", Text: output, Exit: "exit status 1", Runner: r.Runner, Counts: r.Counts, Failing: r.Failing,
	})
}

func failedWith(f mulligan.Finding) mulligan.AttemptState {
	return mulligan.AttemptState{Number: 1, Status: mulligan.Fail, Reason: "check: no", Verdicts: []mulligan.Verdict{
		{Gate: "check", Status: mulligan.Fail, Finding: &f},
	}}
}

// R5: what real tools print in two runs of the same failure, in other folders, at other times, with
// other ports, seeds and addresses, is one fingerprint. Another failure is another one.
func TestFingerprintOfRealOutputs(t *testing.T) {
	paths, err := filepath.Glob("testdata/fingerprint/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no outputs", err)
	}
	seen := map[string]string{} // fingerprint: tool
	for _, path := range paths {
		output, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tool, run, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".txt"), ".")
		if run != "a" && run != "b" {
			tool += "." + run
		}
		a := failedBy(string(output))
		got := Fingerprint(a)
		if len(got) != 16 {
			t.Errorf("%s: %q", path, got)
		}
		if was, ok := seen[got]; ok && was != tool {
			t.Errorf("%s and %s are the same:\n%s", was, tool, DescribeFailure(a))
		}
		seen[got] = tool
	}
	for _, tool := range seen {
		n := 0
		for _, other := range seen {
			if other == tool {
				n++
			}
		}
		if n > 1 {
			a, _ := os.ReadFile("testdata/fingerprint/" + tool + ".a.txt")
			b, _ := os.ReadFile("testdata/fingerprint/" + tool + ".b.txt")
			t.Errorf("%s: two runs of one failure differ:\n%s\n--\n%s", tool, DescribeFailure(failedBy(string(a))), DescribeFailure(failedBy(string(b))))
		}
	}
}

func TestFingerprintSame(t *testing.T) {
	items := func(pairs ...string) mulligan.AttemptState {
		f := mulligan.Finding{Command: "go test", Exit: "exit status 1"}
		for i := 0; i < len(pairs); i += 2 {
			f.Failing = append(f.Failing, mulligan.Item{Name: pairs[i], Message: pairs[i+1]})
		}
		f.Counts.Failed = len(f.Failing)
		return failedWith(f)
	}
	judged := func(words string) mulligan.AttemptState {
		return mulligan.AttemptState{Status: mulligan.Fail, Verdicts: []mulligan.Verdict{{
			Gate: "review", Status: mulligan.Fail, Summary: words, Judge: &mulligan.Usage{}, Finding: &mulligan.Finding{Text: words},
		}}}
	}
	counted := func(failed int) mulligan.AttemptState {
		return failedWith(mulligan.Finding{Exit: "exit status 1", Counts: mulligan.Counts{Failed: failed}, Failing: []mulligan.Item{{Name: "A"}}})
	}
	printed := func(text, exit string, short bool) mulligan.AttemptState {
		return failedWith(mulligan.Finding{Text: text, Exit: exit, CutShort: short})
	}
	blocked := func(why string) mulligan.AttemptState {
		return mulligan.AttemptState{Status: mulligan.Fail, Reason: why}
	}
	refused := func(why string) mulligan.AttemptState {
		return mulligan.AttemptState{Status: mulligan.Fail, Result: mulligan.Result{Ending: mulligan.Refused, Reason: why}}
	}
	other := items("A", "no")
	other.Verdicts[0].Gate = "lint"
	for name, c := range map[string]struct {
		a, b mulligan.AttemptState
		same bool
	}{
		"numbers are taken out":     {items("A", "got 3, want 5"), items("A", "got 4, want 5"), true},
		"order":                     {items("A", "x", "B", "y"), items("B", "y", "A", "x"), true},
		"another test":              {items("A", "got 3, want 5"), items("B", "got 3, want 5"), false},
		"one fewer":                 {items("A", "x", "B", "y"), items("A", "x"), false},
		"another class":             {items("A", "got 3, want 5"), items("A", "panic: nil map"), false},
		"cases by number":           {items("A/case_1", "x"), items("A/case_2", "x"), false},
		"another check":             {items("A", "no"), other, false},
		"a log before the error":    {items("A", "listening on :80\nerror: no user"), items("A", "got up at 10:00:01 on :81\nerror: no user"), false},
		"a quiet log before it":     {items("A", "port 80\nerror: no user"), items("A", "port 8080\nerror: no user"), true},
		"a judge rewords":           {judged("there is no test"), judged("tests are lacking"), true},
		"a list that was cut":       {counted(300), counted(299), false},
		"the same cut list":         {counted(300), counted(300), true},
		"an exit code by itself":    {printed("", "exit status 1", false), printed("", "exit status 2", false), false},
		"a timeout is another":      {printed("error: x", "exit status 1", false), printed("error: x", "timed out after 10m0s", true), false},
		"progress before the error": {printed("ok 1 of 9\nerror: x", "exit status 1", false), printed("ok 4 of 9\nall well\nerror: x", "exit status 1", false), true},
		"lines in another order":    {printed("error: a\nerror: b", "", false), printed("error: b\nerror: a", "", false), true},
		"what was left out": {
			printed("error: a\n[… 12 lines (3 kB) left out; the whole output is in /a/failed/b …]\nbye", "", false),
			printed("error: a\n[… 99 lines (4 kB) left out; the whole output is in /a/c/b …]\nbye", "", false), true,
		},
		"a hook that blocks":       {blocked("Stop hooks blocked 3 times: lint failed in /tmp/a1/x.go:3"), blocked("Stop hooks blocked 5 times: lint failed in /tmp/b/x.go:9"), true},
		"a hook with other words":  {blocked("Stop hooks blocked: lint failed"), blocked("Stop hooks blocked: the tests failed"), false},
		"a refusal":                {refused("policy 12"), refused("policy 13"), true},
		"a refusal is no hook":     {refused("policy"), blocked("policy"), false},
		"colours of a hook's text": {blocked("\x1b[31mlint failed\x1b[0m"), blocked("lint failed"), true},
	} {
		if a, b := Fingerprint(c.a), Fingerprint(c.b); (a == b) != c.same || a == "" {
			t.Errorf("%s: %s and %s:\n%s\n--\n%s", name, a, b, DescribeFailure(c.a), DescribeFailure(c.b))
		}
	}
}

func TestFingerprintWithoutEvidence(t *testing.T) {
	passed := mulligan.AttemptState{Status: mulligan.Pass, Verdicts: []mulligan.Verdict{{Gate: "g", Status: mulligan.Pass}}}
	crashed := mulligan.AttemptState{Reason: "crashed", Result: mulligan.Result{Ending: mulligan.Crashed}}
	for _, a := range []mulligan.AttemptState{{}, passed, crashed} {
		if got := Fingerprint(a); got != "" {
			t.Errorf("%+v has %q", a, got)
		}
	}
}

// Which of many items have a message depends on the order of the output.
func TestFingerprintOfManyItems(t *testing.T) {
	var f, shuffled mulligan.Finding
	for i := range 150 {
		f.Failing = append(f.Failing, mulligan.Item{Name: "Test" + string(rune('A'+i/26)) + string(rune('A'+i%26)), Message: strings.Repeat("long words ", 15)})
	}
	shuffled.Failing = slices.Clone(f.Failing)
	slices.Reverse(shuffled.Failing)
	for i := range 100 { // as a bounded report leaves them
		f.Failing[149-i].Message, shuffled.Failing[149-i].Message = "", ""
	}
	if a, b := Fingerprint(failedWith(f)), Fingerprint(failedWith(shuffled)); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

// A long output is done with at once.
func TestFingerprintIsFast(t *testing.T) {
	long := strings.Repeat("error 1/2.x:3:4 0x1f 12:00:00 a-b_c ", 1<<18)
	start := time.Now()
	Fingerprint(failedWith(mulligan.Finding{Text: long, Failing: []mulligan.Item{{Name: long, Place: long, Message: long}}}))
	Fingerprint(failedWith(mulligan.Finding{Text: long}))
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}
