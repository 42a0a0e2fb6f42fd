package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/feedback"
	"mulligan/journal"
	"mulligan/journal/memory"
	"mulligan/loop"
	"mulligan/retry"
	"mulligan/view"
)

var (
	replayDir    = flag.String("replay.dir", "testdata/replay", "the folder of the journals that are folded")
	replayUpdate = flag.Bool("replay.update", false, "write what the journals fold to, instead of comparing")
)

// TestReplay folds every prefix of recorded journals: one of each kind of session of the crash
// matrix, whole and killed in its middle. What `status --json` shows of each prefix, and what the
// session does next, up to its next prompt, must be what the program that wrote the journals
// made of them. The journals are written by TestRecordJournals of cmd/mulligan.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(*replayDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no journals in %s: %v", *replayDir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			t.Parallel()
			got := replay(t, readJournal(t, file))
			golden := strings.TrimSuffix(file, ".jsonl") + ".golden"
			if *replayUpdate {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s folds otherwise than before:\n%s", file, firstDifference(string(want), got))
			}
		})
	}
}

func readJournal(t *testing.T, file string) []mulligan.Event {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var events []mulligan.Event
	for line := range bytes.Lines(data) {
		e, err := journal.Decode(bytes.TrimSpace(line))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		events = append(events, e)
	}
	return events
}

// replay describes every prefix of a journal by what is different from the prefix before.
func replay(t *testing.T, events []mulligan.Event) string {
	t.Helper()
	var b strings.Builder
	before := map[string]string{}
	model, store := view.NewModel(), &memory.Journal{}
	for n, e := range events {
		fmt.Fprintf(&b, "%d %s\n", n+1, e.Body.Kind())
		model.Apply(e)
		state := model.State()
		if err := store.Append(t.Context(), e.Session, int64(n), events[n:n+1], state.Summary()); err != nil {
			t.Fatal(err)
		}
		now := map[string]string{}
		flatten(now, "", statusOf(t, model))
		delete(now, ".events") // the line above has it
		delete(now, ".updated")
		now["prompt"] = before["prompt"] // shown again only where it differs
		next, prompt := whatComesNext(t, events[:n+1], store.Clone())
		if now["next"] = next; prompt != "" {
			now["prompt"] = prompt
		}
		for _, key := range slices.Sorted(maps.Keys(now)) {
			if was, ok := before[key]; !ok || was != now[key] {
				fmt.Fprintf(&b, "  %s = %s\n", key, now[key])
			}
		}
		for _, key := range slices.Sorted(maps.Keys(before)) {
			if _, ok := now[key]; !ok {
				fmt.Fprintf(&b, "  %s is gone\n", key)
			}
		}
		before = now
	}
	return b.String()
}

// statusOf returns what `status --json` prints of a session whose process is gone.
func statusOf(t *testing.T, model *view.Model) any {
	t.Helper()
	state := model.State()
	data, err := json.Marshal(newStatusJSON(state.Summary(), true, model.Snapshot(state.Updated), model))
	if err != nil {
		t.Fatal(err)
	}
	var status any
	if err := json.Unmarshal(data, &status); err != nil {
		t.Fatal(err)
	}
	return status
}

// flatten makes one entry of every leaf of a JSON value.
func flatten(into map[string]string, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			flatten(into, path+"."+key, value)
		}
	case []any:
		for i, value := range v {
			flatten(into, fmt.Sprintf("%s[%d]", path, i), value)
		}
	default:
		text, _ := json.Marshal(v)
		into[path] = string(text)
	}
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	show := func(lines []string) string {
		return strings.Join(lines[min(max(i-8, 0), len(lines)):min(i+8, len(lines))], "\n")
	}
	return fmt.Sprintf("from line %d, want:\n%s\ngot:\n%s", i+1, show(a), show(b))
}

// whatComesNext resumes the session in a world that only takes notes, up to the next prompt, and
// returns the notes and the prompt. store has the events.
func whatComesNext(t *testing.T, events []mulligan.Event, store *memory.Journal) (notes, prompt string) {
	t.Helper()
	state, err := journal.Fold(func(yield func(mulligan.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if o := state.Outcome; o != nil && o.Good() {
		return "nothing: it is over", ""
	}
	w := &noteTaker{now: state.Updated}
	s := &loop.Session{
		Journal: store, Workspace: w, Proof: proofNotes{w}, Store: w, Policy: retry.Adaptive{}, Prompts: feedback.Prompter{}.Prompts(), Hooks: hookNotes{w}, AgentHooks: agentHookNotes{w},
		Records: w, Clock: w, PID: 1, Version: "test",
		Agent: func(string) (mulligan.Agent, error) { return w, nil },
		Gates: func(step mulligan.Step) ([]mulligan.Gate, error) {
			return slices.Repeat([]mulligan.Gate{w}, len(step.Checks)), nil
		},
	}
	if err := s.Resume(state, mulligan.SessionResumed{}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	switch {
	case errors.Is(err, errPrompted):
	case err != nil:
		w.note("error %v", err)
	default:
		w.note("ends %s %q, notes %q, undelivered %q", o.Ended, o.Reason, o.Notes, o.Undelivered)
	}
	return strings.Join(w.notes, "\n    "), w.prompt
}

var errPrompted = errors.New("the agent has been prompted")

// A noteTaker is a world in which everything succeeds and changes nothing.
type noteTaker struct {
	now    time.Time
	mu     sync.Mutex
	notes  []string
	prompt string
}

func (w *noteTaker) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

func (w *noteTaker) Turn(_ context.Context, t mulligan.Turn) (mulligan.Result, error) {
	w.note("turn %d %s of step %q, attempt %d, iteration %d, in %q, budget %v", t.Number, t.Purpose, t.Step, t.Attempt, t.Iteration, t.Conversation, t.BudgetUSD)
	w.prompt = strconv.Quote(t.Prompt)
	return mulligan.Result{}, errPrompted
}

func (w *noteTaker) Examine(_ context.Context, work mulligan.Work) mulligan.Verdict {
	w.note("gate of %q, attempt %d, iteration %d, %s", work.Step, work.Attempt, work.Iteration, work.Output)
	return mulligan.Verdict{Status: mulligan.Pass, Gate: "gate"}
}

func (w *noteTaker) Dir() string { return "/workspace" }

func (w *noteTaker) Take(_ context.Context, label string, _ mulligan.Look) (mulligan.Tree, error) {
	w.note("take %s", label)
	return mulligan.Tree{ID: "tree of " + label, Head: "head"}, nil
}

func (w *noteTaker) Read(context.Context) (mulligan.Tree, error) { return mulligan.Tree{}, nil }

func (w *noteTaker) Lay(_ context.Context, to mulligan.Tree) error {
	w.note("lay %s", to.ID)
	return nil
}

func (w *noteTaker) PutBack(_ context.Context, to mulligan.Tree, paths []string) (mulligan.Tree, error) {
	w.note("put back %v to %s", paths, to.ID)
	return to, nil
}

func (w *noteTaker) Ready(context.Context) error                    { return nil }
func (w *noteTaker) Lacks(context.Context) ([]mulligan.Lack, error) { return nil, nil }

// proofNotes is the clone that the checks run in.
type proofNotes struct{ *noteTaker }

func (w proofNotes) Dir() string { return "/proof" }

func (w proofNotes) Lay(_ context.Context, to mulligan.Tree) error {
	w.note("lay %s in the proof", to.ID)
	return nil
}

func (w proofNotes) LayFresh(_ context.Context, to mulligan.Tree) error {
	w.note("lay %s in a fresh proof", to.ID)
	return nil
}

func (w proofNotes) IsFresh(context.Context) (bool, error)       { return true, nil }
func (w proofNotes) Read(context.Context) (mulligan.Tree, error) { return mulligan.Tree{}, nil }

func (w *noteTaker) Diff(context.Context, mulligan.Tree, mulligan.Tree, int) (mulligan.Diff, error) {
	return mulligan.Diff{}, nil
}

func (w *noteTaker) Changed(_ context.Context, from, to mulligan.Tree, _ int) ([]string, int, error) {
	w.note("compare %s with %s", from.ID, to.ID)
	return nil, 0, nil
}

func (w *noteTaker) Changes(context.Context, mulligan.Tree, mulligan.Tree) ([]mulligan.Change, error) {
	return nil, nil
}

func (w *noteTaker) Combine(_ context.Context, base, _ mulligan.Tree, _ []string) (mulligan.Tree, error) {
	return base, nil
}

func (w *noteTaker) Deliver(_ context.Context, label string, good bool) (mulligan.Handover, error) {
	w.note("deliver %s, good: %v", label, good)
	return mulligan.Handover{}, nil
}

func (w *noteTaker) Commit(_ context.Context, c mulligan.Commit) (string, error) {
	w.note("commit %s on %s: %q", c.Tree.ID, c.Parent, c.Message)
	return "commit of " + c.Tree.ID, nil
}

func (w *noteTaker) TurnLog(turn int) string             { return fmt.Sprintf("turn-%d", turn) }
func (w *noteTaker) Open(string) (io.WriteCloser, error) { return discard{io.Discard}, nil }
func (w *noteTaker) GateOutput(turn, gate, try int) (string, error) {
	return fmt.Sprintf("turn %d gate %d try %d", turn, gate, try), nil
}
func (w *noteTaker) HookOutput(run int) (string, error) { return fmt.Sprintf("hook-%d", run), nil }
func (w *noteTaker) Live() io.Writer                    { return io.Discard }
func (w *noteTaker) Now() time.Time                     { return w.now }
func (w *noteTaker) Sleep(_ context.Context, d time.Duration) {
	w.note("sleep %s", d)
	w.now = w.now.Add(d)
}

type hookNotes struct{ *noteTaker }

func (w hookNotes) Run(_ context.Context, c mulligan.HookCall) mulligan.HookResult {
	if c.Moment != mulligan.OnTaskComplete { // these run beside the rest, in no order
		w.note("hook %s %q, iteration %d, task %d, error %q", c.Moment, c.Hook.Name, c.Iteration, c.Task.ID, c.Error)
	}
	return mulligan.HookResult{OK: true, Exit: "exit status 0"}
}

type agentHookNotes struct{ *noteTaker }

func (w agentHookNotes) Run(_ context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	w.note("agent hooks %s, step %q, attempt %d, iteration %d, retry %d, message %q", c.Event, c.Step, c.Attempt, c.Iteration, c.Retry, c.Message)
	return mulligan.AgentHookReply{Decision: mulligan.Allow}
}

type discard struct{ io.Writer }

func (discard) Close() error { return nil }
