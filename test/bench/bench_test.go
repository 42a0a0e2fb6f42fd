package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/state"
	"mulligan/task"
)

func TestQuantile(t *testing.T) {
	all := []time.Duration{5, 1, 4, 2, 3}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.9: 5, 1: 5} {
		if got := quantile(all, q); got != want {
			t.Errorf("quantile %v: %d, want %d", q, got, want)
		}
	}
	if all[0] != 5 {
		t.Error("the figures were sorted in place")
	}
}

func TestTurnsAreReadAsTheyWereWritten(t *testing.T) {
	log := filepath.Join(t.TempDir(), "turns")
	for _, line := range []string{"1000 2000\n", "5000 9000\n", "9500 9600\n"} {
		if err := appendLine(log, line); err != nil {
			t.Fatal(err)
		}
	}
	turns, err := readTurns(log)
	if err != nil {
		t.Fatal(err)
	}
	if got := gapsBetween(turns); len(got) != 2 || got[0] != 3000 || got[1] != 500 {
		t.Errorf("gaps %v, want 3µs and 500ns", got)
	}
	if err := os.WriteFile(log, []byte("1000\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readTurns(log); err == nil {
		t.Error("a line without an end was taken")
	}
}

func TestSpewPrintsExactlyWhatIsAsked(t *testing.T) {
	for _, n := range []int64{0, 1, 100, 1 << 16, 1<<16 + 1, 300_000} {
		var out bytes.Buffer
		if err := spew(&out, n); err != nil || int64(out.Len()) != n {
			t.Errorf("spew(%d) printed %d bytes: %v", n, out.Len(), err)
		}
	}
}

func TestPartsNeedEveryEvent(t *testing.T) {
	turns := []turn{{time.Unix(1, 0), time.Unix(2, 0)}, {time.Unix(3, 0), time.Unix(4, 0)}}
	event := func(kind string, second int64) string {
		return `{"kind":"` + kind + `","time":"` + time.Unix(second, 0).UTC().Format(time.RFC3339Nano) + `"}` + "\n"
	}
	whole := event("turn.started", 1) + event("turn.ended", 2) + event("gate.started", 2) + event("gate.ended", 3) +
		event("turn.started", 3) + event("turn.ended", 4) + event("gate.started", 4) + event("gate.ended", 5)
	for lines, want := range map[string]string{
		whole:                      "the check (sh -c false)",
		event("turn.started", 1):   "cannot be told",
		"this is no JSON at all\n": "cannot be told",
	} {
		var out bytes.Buffer
		addGapParts(&table{out: &out}, []byte(lines), turns)
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %q", want, &out)
		}
	}
}

// TestGapsAreMeasuredUnderWriteRules: the step of these jobs protects files of the repository, and lets the agent do its work.
func TestGapsAreMeasuredUnderWriteRules(t *testing.T) {
	for _, mode := range []string{"", "write"} {
		text := (&site{}).jobConfig(job{}, newGapWork(mode))
		_, step, _ := strings.Cut(text, "name: implement")
		step, _, _ = strings.Cut(step, "limits:")
		for _, want := range []string{"file_access:", "allow_write: [work.txt,", "protect: ['src/part1/**'"} {
			if !strings.Contains(step, want) {
				t.Errorf("%q is not in the step of\n%s", want, text)
			}
		}
		if strings.Contains(text, "sandbox:") {
			t.Errorf("the sandbox is not that of people who set none:\n%s", text)
		}
	}
}

func TestOnlyTurnsOfAHookAreFeedback(t *testing.T) {
	at := func(kind, purpose string, second int64) string {
		return `{"kind":"` + kind + `","time":"` + time.Unix(second, 0).UTC().Format(time.RFC3339Nano) + `","data":{"purpose":"` + purpose + `"}}` + "\n"
	}
	lines := at("turn.started", "", 1) + at("turn.ended", "", 2) + at("turn.started", "hook", 5) + "no JSON\n" +
		at("turn.ended", "", 6) + at("turn.started", "hook", 7) + at("turn.ended", "", 8) + at("turn.started", "", 20)
	got := feedbackGaps(readEvents([]byte(lines)))
	if len(got) != 2 || got[0] != 3*time.Second || got[1] != time.Second {
		t.Errorf("gaps %v, want 3s and 1s", got)
	}
}

// The figures are those of 2,000 tasks only where every one of them is taken.
func TestAllTasksAreTaken(t *testing.T) {
	st := &state.State{Last: 1, Plan: &mulligan.Plan{Loop: &mulligan.Loop{}}}
	for iteration := 1; iteration <= loopFilled; iteration++ {
		args, err := json.Marshal(map[string]any{"tasks": taskBatch(iteration)})
		if err != nil {
			t.Fatal(err)
		}
		bodies, _, err := task.Apply(st, task.Request{Tool: task.ToolAddMany, Args: args})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bodies {
			if err := st.Apply(mulligan.Event{Number: st.Last + 1, Body: b}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := len(st.Board.Tasks); n != loopTasks {
		t.Errorf("%d tasks", n)
	}
}

func TestTurnsOfEvents(t *testing.T) {
	at := func(kind, result string, second int64) string {
		return `{"kind":"` + kind + `","time":"` + time.Unix(second, 0).UTC().Format(time.RFC3339Nano) + `","data":{"result":` + result + `}}` + "\n"
	}
	all := readEvents([]byte(at("turn.started", "null", 1) + at("turn.ended", `{"message":"one"}`, 3) + at("gate.ended", "null", 9) +
		at("hook.ended", `{"message":"no turn"}`, 9) + at("turn.started", "null", 10) + at("turn.ended", `{"message":"two"}`, 11)))
	if got := turnDurations(all); len(got) != 2 || got[0] != 2*time.Second || got[1] != time.Second {
		t.Errorf("turns of %v, want 2s and 1s", got)
	}
	if got := turnMessages(all); strings.Join(got, " ") != "one two" {
		t.Errorf("said %q", got)
	}
}

// What the fake says has to be what the real program would: lines of JSON, about as many bytes as
// were asked for.
func TestSpokenIsJSON(t *testing.T) {
	for _, size := range []int{4 << 10, 1 << 20} {
		lines := claudeLines(size)
		if len(lines) < size*9/10 || len(lines) > size*11/10 {
			t.Errorf("%d bytes, asked for %d", len(lines), size)
		}
		for line := range strings.Lines(lines) {
			if !json.Valid([]byte(line)) {
				t.Errorf("no JSON: %.200s", line)
			}
		}
	}
}

func TestDiskUseCountsBlocks(t *testing.T) {
	dir := t.TempDir()
	folder, err := diskUse(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"none": 0, "one": 1, "block": 4096, "two": 4097} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := diskUse(dir); err != nil || all-folder != 4*4096 {
		t.Errorf("%d bytes more, %v; want 4 blocks", all-folder, err)
	}
}
