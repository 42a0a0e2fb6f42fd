package guardhook

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/guard"
	"mulligan/hook/claudecode"
	"mulligan/internal/environ"
	"mulligan/internal/redact"
	"mulligan/journal"
	"mulligan/journal/memory"
	"mulligan/state"
)

func newEnv(t *testing.T) environ.Env {
	t.Helper()
	vars := []string{"XDG_STATE_HOME=" + t.TempDir(), "HOME=" + t.TempDir()}
	return environ.Env{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Environ: vars, Dir: t.TempDir(), Secrets: redact.New(vars)}
}

func TestCleanName(t *testing.T) {
	for id, plain := range map[string]bool{
		"b72abf3a-71a6-4369-9a13-8d521fa50d53": true, "conv-1": true, "": false, "A": false, "a/b": false, "../x": false,
		"a b": false, strings.Repeat("a", 65): false, "a\x00b": false, "ü": false,
	} {
		name := cleanName(id)
		if (name == id) != plain {
			t.Errorf("%q becomes %q", id, name)
		}
		if _, ok := journal.Month(sessionID(time.Now(), name)); !ok {
			t.Errorf("%q: %s is no session's id", id, sessionID(time.Now(), name))
		}
	}
	if cleanName("A") == cleanName("B") {
		t.Error("two conversations have one name")
	}
}

// G7: a conversation that goes on in a later month has the same journal, also if the file that says so is
// lost soon, or damaged.
func TestFindConversation(t *testing.T) {
	env := newEnv(t)
	now := time.Date(2026, 11, 30, 23, 59, 0, 0, time.UTC)
	env.Clock = fixedClock{&now}
	store := &memory.Journal{}
	w := &work{env: env, event: claudecode.ClaimEvent{Conversation: "c-1"}}
	find := func() string {
		t.Helper()
		id, err := w.findConversation(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	if got := find(); got != "202611-guard-c-1" {
		t.Fatalf("first seen: %s", got)
	}
	now = now.Add(40 * 24 * time.Hour)
	if got := find(); got != "202611-guard-c-1" {
		t.Errorf("in a later month: %s", got)
	}
	now = time.Date(2026, 12, 1, 0, 1, 0, 0, time.UTC)
	r := recorder{env: &w.env, store: store, session: "202611-guard-c-1"}
	if _, err := r.record(t.Context(), func(*state.State) []mulligan.Body {
		return []mulligan.Body{mulligan.GuardOpened{Dir: "/x", Conversation: "c-1"}}
	}); err != nil {
		t.Fatal(err)
	}
	folders, _ := env.Folders()
	path := folders.GuardConversation("c-1")
	for _, damage := range []func() error{
		func() error { return os.Remove(path) },
		func() error { return os.WriteFile(path, []byte("202611-guard-other\n"), 0o600) },
		func() error { return os.WriteFile(path, nil, 0o600) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if got := find(); got != "202611-guard-c-1" {
			t.Errorf("after damage: %s", got)
		}
	}
	if err := ForgetConversation(folders, "202611-guard-c-1"); err != nil {
		t.Fatal(err)
	}
	if now = now.AddDate(0, 3, 0); find() != "202703-guard-c-1" {
		t.Error("a conversation that was pruned does not begin anew")
	}
}

type fixedClock struct{ at *time.Time }

func (c fixedClock) Now() time.Time                       { return *c.at }
func (c fixedClock) Sleep(context.Context, time.Duration) {}

// Of processes that are first at once one makes the file.
func TestWriteIndexOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "guard", "c")
	got := make([]string, 8)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i], _ = writeIndex(path, "c", fmt.Sprintf("2026%02d-guard-c", i+1)) })
	}
	all.Wait()
	for _, id := range got {
		if id == "" || id != got[0] {
			t.Fatalf("they disagree: %q", got)
		}
	}
}

// G7: the count is exact; each claim is one event, in which the attempt stands as it was counted.
func TestRecordSideBySide(t *testing.T) {
	env := newEnv(t)
	store := &memory.Journal{}
	rules := &mulligan.Guard{MaxAttempts: 5, DenyFirst: true, Validate: &mulligan.GuardValidate{Agent: "j", Timeout: time.Minute}}
	deny := func(_ context.Context, v Validation) ([]guard.Ruling, []mulligan.Usage) {
		return []guard.Ruling{{Key: v.Claim.Items[0].Key, Reason: "no", By: "j"}}, nil
	}
	counts := map[mulligan.GuardStatus]int{}
	attempts := map[int]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			w := &work{env: env, rules: rules, validate: deny, root: env.Dir, event: claudecode.ClaimEvent{Conversation: "c", Call: guard.Call{
				ID: fmt.Sprint("call-", i), Whole: true, Items: []guard.Item{{Content: "A", Completed: true}},
			}}}
			claim, err := w.settle(t.Context(), recorder{env: &w.env, store: store, session: "202611-guard-c"})
			mu.Lock()
			defer mu.Unlock()
			if err != nil || len(claim.Items) != 1 {
				t.Errorf("%+v, %v", claim, err)
				return
			}
			counts[claim.Items[0].Status]++
			attempts[claim.Items[0].Attempt] = true
		})
	}
	all.Wait()
	if len(attempts) != 16 || counts[mulligan.ItemDenied] != 5 || counts[mulligan.ItemOver] != 11 {
		t.Errorf("attempts %v, %v", attempts, counts)
	}
	for e, err := range store.Read(t.Context(), "202611-guard-c", 1) {
		if c, ok := e.Body.(mulligan.GuardClaimed); err != nil || ok && c.Items[0].Status == mulligan.ItemPassed {
			t.Errorf("%+v, %v", e, err)
		}
	}
}

// A claim that nobody is there to look at is counted and passed in one append, as two events.
func TestNobodyValidates(t *testing.T) {
	env := newEnv(t)
	store := &memory.Journal{}
	for i, want := range []mulligan.GuardStatus{mulligan.ItemDenied, mulligan.ItemPassed} {
		w := &work{env: env, rules: &mulligan.Guard{MaxAttempts: 5, DenyFirst: true}, event: claudecode.ClaimEvent{Conversation: "c", Call: guard.Call{
			ID: fmt.Sprint(i), Items: []guard.Item{{Content: "A", Completed: true}},
		}}}
		claim, err := w.settle(t.Context(), recorder{env: &w.env, store: store, session: "202611-guard-c"})
		if err != nil || claim.Items[0].Status != want {
			t.Errorf("attempt %d: %+v, %v", i+1, claim, err)
		}
	}
	var kinds []string
	for e := range store.Read(t.Context(), "202611-guard-c", 1) {
		kind := e.Body.Kind()
		if c, ok := e.Body.(mulligan.GuardClaimed); ok {
			kind += " " + string(c.Items[0].Status)
		}
		kinds = append(kinds, kind)
	}
	if got := strings.Join(kinds, ", "); got != "guard.opened, guard.seen, guard.claimed denied, guard.claimed validating, guard.ruled" {
		t.Error(got)
	}
}

// A claim that is forgotten while it is validated, since there were too many meanwhile, is not allowed.
func TestForgottenClaim(t *testing.T) {
	env := newEnv(t)
	store := &memory.Journal{}
	r := recorder{env: &env, store: store, session: "202611-guard-c"}
	rules := &mulligan.Guard{MaxAttempts: 5, Validate: &mulligan.GuardValidate{Agent: "j", Timeout: time.Minute}}
	crowd := func(ctx context.Context, v Validation) ([]guard.Ruling, []mulligan.Usage) {
		_, err := r.record(ctx, func(st *state.State) (bodies []mulligan.Body) {
			for i := range 500 {
				bodies = append(bodies, mulligan.GuardClaimed{GuardClaim: mulligan.GuardClaim{ID: fmt.Sprint("other-", i)}})
			}
			return bodies
		})
		if err != nil {
			t.Error(err)
		}
		return []guard.Ruling{{Key: v.Claim.Items[0].Key, Reason: "no", By: "j"}}, nil
	}
	w := &work{env: env, rules: rules, validate: crowd, event: claudecode.ClaimEvent{Conversation: "c", Call: guard.Call{
		ID: "mine", Items: []guard.Item{{Content: "A", Completed: true}},
	}}}
	if claim, err := w.settle(t.Context(), r); err == nil || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("%+v, %v", claim, err)
	}
}

// G3: each item of a call has the time that the config gives a judge, where a few are looked at side by side;
// all of it stays below what an agent's program waits for.
func TestValidationTime(t *testing.T) {
	for n, want := range map[int]time.Duration{1: time.Minute, 4: time.Minute, 5: 2 * time.Minute, 500: 9 * time.Minute} {
		w := &work{rules: &mulligan.Guard{Validate: &mulligan.GuardValidate{Timeout: time.Minute}}}
		for range n {
			w.event.Call.Items = append(w.event.Call.Items, guard.Item{Content: "A", Completed: true}, guard.Item{Content: "B"})
		}
		if got := w.validationTime(); got != want || w.timeLimit() != min(want+ownTime, maxTime) {
			t.Errorf("%d items: %v, in all %v", n, got, w.timeLimit())
		}
	}
}

// G7: a panic is a denial without a stack.
func TestPanicDenies(t *testing.T) {
	env := newEnv(t)
	if err := env.SetGuardSwitch(FindRoot(env.Dir), environ.SwitchedOn); err != nil {
		t.Fatal(err)
	}
	out := Handler{Env: &env}.Answer(t.Context(), "", panicking{})
	if out.Exit != 2 || !strings.Contains(out.Stderr, "so this is not allowed: a fault of its own: broken pipe of a test") || strings.Contains(out.Stderr, "goroutine") {
		t.Errorf("%+v", out)
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("broken pipe of a test") }

// G7: on_failure: allow is for faults of the guard's own, not for what cannot be read.
func TestFailOpen(t *testing.T) {
	env := newEnv(t)
	config := "version: 1\nguard: {enabled: true, on_failure: allow}\n"
	if err := os.WriteFile(filepath.Join(env.Dir, "mulligan.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	input := `{"hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"A","status":"completed"}]},"tool_use_id":"t"}`
	late, cancel := context.WithCancel(t.Context())
	cancel()
	out := Handler{Env: &env}.Answer(late, "", strings.NewReader(input))
	if out.Exit != 0 || out.Stdout != "" || !strings.Contains(out.Stderr, "on_failure is allow") {
		t.Errorf("a fault: %+v", out)
	}
	if out := (Handler{Env: &env}).Answer(t.Context(), "PreToolUse", strings.NewReader("nonsense")); out.Exit != 2 {
		t.Errorf("what cannot be read: %+v", out)
	}
}

// G8: the log is turned over, and one that cannot be written is no obstacle.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "guard.log")
	appendLine(path, []byte("first\n"))
	if err := os.WriteFile(path, make([]byte, maxLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	appendLine(path, []byte("second\n"))
	now, _ := os.ReadFile(path)
	before, err := os.Stat(path + ".1")
	if string(now) != "second\n" || err != nil || before.Size() != maxLog+1 {
		t.Errorf("%q, %v", now, err)
	}
	appendLine(filepath.Join(path, "below-a-file"), []byte("x"))
}
