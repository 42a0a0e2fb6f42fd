package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mulligan"
	"mulligan/journal/memory"
	"mulligan/loop"
	"mulligan/state"
)

// A cut is a context that a person ends when the session looks at it for the nth time.
type cut struct {
	context.Context
	end  context.CancelCauseFunc
	left int
}

func cutAt(ctx context.Context, n int) *cut {
	within, end := context.WithCancelCause(ctx)
	return &cut{within, end, n}
}

func (c *cut) Err() error {
	if c.left--; c.left == 0 {
		c.end(&loop.Interruption{By: "SIGINT"})
	}
	return c.Context.Err()
}

// A story is what goes on in a session that is interrupted.
type story struct {
	loop   bool
	fails  bool // the checks, the first time
	spoils bool // the final delivery what the checks have passed
	breaks bool // the agent, in its first turn
	now    bool // hooks deliver now
	late   bool // a task is completed in the final delivery only
}

func (s story) String() string {
	name := "pipeline"
	if s.loop {
		name = "loop"
	}
	for what, so := range map[string]bool{", checks fail": s.fails, ", delivery spoils": s.spoils, ", agent breaks": s.breaks, ", deliver now": s.now} {
		if so {
			name += what
		}
	}
	return name
}

// A bench is a world whose workspace has content: what each turn has done. All that it plays is a
// function of what it is asked, so that what runs again answers as before.
type bench struct {
	*world
	story
	files   []string
	head    string
	kept    map[string][]string        // trees by their ids
	history map[string]mulligan.Commit // commits by theirs
	s       *loop.Session
}

func (b *bench) Take(context.Context, string, mulligan.Look) (mulligan.Tree, error) {
	id := "tree " + strings.Join(b.files, " ")
	b.kept[id] = slices.Clone(b.files)
	return mulligan.Tree{ID: id, Head: b.head}, nil
}

func (b *bench) Read(ctx context.Context) (mulligan.Tree, error) {
	return b.Take(ctx, "", mulligan.AtFiles)
}

func (b *bench) Lay(_ context.Context, to mulligan.Tree) error {
	files, ok := b.kept[to.ID]
	if !ok {
		return fmt.Errorf("no tree %q", to.ID)
	}
	b.files, b.head = slices.Clone(files), to.Head
	return nil
}

func (b *bench) Commit(_ context.Context, c mulligan.Commit) (string, error) {
	b.head = fmt.Sprintf("commit of %s on %s", c.Tree.ID, c.Parent)
	b.history[b.head] = c
	return b.head, nil
}

// Turn has a person say something in the first one, and claims that a loop is complete in its
// second iteration.
func (b *bench) Turn(ctx context.Context, t mulligan.Turn) (mulligan.Result, error) {
	b.turns = append(b.turns, t)
	b.files = append(b.files, fmt.Sprintf("%s%d", t.Purpose, t.Number))
	err := b.s.Do(context.Background(), func(st *state.State) ([]mulligan.Body, error) { return b.said(t, st), nil })
	switch {
	case err != nil:
		return mulligan.Result{}, err
	case ctx.Err() != nil:
		return mulligan.Result{Ending: mulligan.Cancelled}, nil
	case b.breaks && t.Iteration == 1 && t.Purpose == mulligan.ForAttempt:
		return mulligan.Result{Ending: mulligan.Crashed, Reason: "fell over"}, nil
	}
	return mulligan.Result{Ending: mulligan.Finished, Conversation: "talk"}, nil
}

func (b *bench) said(t mulligan.Turn, st *state.State) []mulligan.Body {
	var bodies []mulligan.Body
	if t.Number == 1 {
		bodies = append(bodies, mulligan.Told{Text: "mind the gap"})
	}
	if len(st.Board.Tasks) == 0 && (!b.late || st.Final != nil) {
		task := mulligan.TaskItem{ID: 1, Content: "it", Status: mulligan.Completed}
		bodies = append(bodies, mulligan.TaskAdded{Task: task}, mulligan.TaskCompleted{Task: task})
	}
	if b.loop && t.Iteration == 2 && t.Purpose == mulligan.ForHook {
		bodies = append(bodies, mulligan.Claimed{Turn: t.Number})
	}
	return bodies
}

func (b *bench) Examine(_ context.Context, w mulligan.Work) mulligan.Verdict {
	v := mulligan.Verdict{Status: mulligan.Pass, Gate: "tests", Finding: &mulligan.Finding{Text: "no"}}
	if b.fails && w.Iteration == 1 && w.Step != "delivery" || b.spoils && w.Step == "delivery" {
		v.Status = mulligan.Fail
	}
	return v
}

// benchHooks send the agent back once.
type benchHooks struct{}

func (benchHooks) Run(_ context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	if c.Event == mulligan.EventStop && c.Retry == 0 {
		return block("no")
	}
	return allow
}

func (b *bench) session() *loop.Session {
	b.s = b.world.session()
	b.s.Workspace, b.s.Store, b.s.AgentHooks = b, b, benchHooks{}
	b.s.Agent = func(string) (mulligan.Agent, error) { return b, nil }
	b.s.Gates = func(step mulligan.Step) ([]mulligan.Gate, error) {
		return slices.Repeat([]mulligan.Gate{b}, len(step.Checks)), nil
	}
	return b.s
}

// endless refuses a session that never comes to its end.
type endless struct{ mulligan.Journal }

func (j endless) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if after > 500 {
		return errors.New("the session does not end")
	}
	return j.Journal.Append(ctx, session, after, events, s)
}

func newBench(st story) (*bench, *mulligan.Plan) {
	b := &bench{world: newWorld(), story: st, head: "base", kept: map[string][]string{}, history: map[string]mulligan.Commit{}}
	b.journal = endless{&memory.Journal{}}
	p := planOf(1, "one", "two")
	if st.loop {
		p = loopOf(5)
	}
	stopping(p, 2, mulligan.EventSessionStart, mulligan.EventPrompt, mulligan.EventSessionEnd)
	for _, m := range mulligan.Moments() {
		hooked(p, m, hook("a", true), hook("b", true))
	}
	p.Hooks[mulligan.PostIteration][0].Now = st.now
	b.onHook = func(ctx context.Context, c mulligan.HookCall) {
		if c.Moment == mulligan.OnTaskComplete {
			b.Sleep(ctx, time.Second) // so that the session waits for it, and for the one after it
		}
	}
	return b, p
}

// TestInterruptedAnywhere (P10, J2): at whichever instruction a session looks whether it is to stop, it
// ends in order, and resumed it comes to the end that it would have had. Nothing that it kept is lost.
func TestInterruptedAnywhere(t *testing.T) {
	for _, st := range interruptedStories {
		t.Run(st.String(), func(t *testing.T) {
			for n, more := 1, true; more; n++ {
				synctest.Test(t, func(t *testing.T) { more, _ = interruptedAt(t, st, n, never) })
			}
		})
	}
}

const never = 1 << 30

// interruptedAt interrupts a session, kills it so many appends after that, and looks what it has come
// to when it has been resumed. It reports whether the session was long enough for the first, and too
// short for the second.
func interruptedAt(t *testing.T, st story, n, kill int) (long, ended bool) {
	b, p := newBench(st)
	s := b.session()
	ctx := cutAt(t.Context(), n)
	s.Journal = &mortal{killed{b.journal, kill}, ctx}
	if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(ctx)
	long, ended = ctx.left <= 0, !errors.Is(err, errKilled)
	if ended && (err != nil || o.Ended != mulligan.Interrupted && !o.Good()) {
		t.Errorf("interrupted at %d: %+v, %v", n, o, err)
		return long, ended
	}
	if !ended || !o.Good() {
		o = b.resumed(t)
	}
	if what := b.wrong(t, o); what != "" {
		t.Errorf("interrupted at %d, killed %d after: %s\n%s", n, kill, what, b.told(t))
	}
	return long, ended
}

// mortal is killed once it is interrupted.
type mortal struct {
	killed
	by *cut
}

func (m *mortal) Append(ctx context.Context, session string, after int64, events []mulligan.Event, s mulligan.Summary) error {
	if m.by.left > 0 {
		return m.Journal.Append(ctx, session, after, events, s)
	}
	return m.killed.Append(ctx, session, after, events, s)
}

func (b *bench) resumed(t *testing.T) mulligan.Outcome {
	t.Helper()
	s := b.session()
	if err := s.Resume(b.state(t), mulligan.SessionResumed{}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Run(t.Context())
	if err != nil {
		t.Error(err)
	}
	return o
}

// wrong says what a session that has ended has not come to.
func (b *bench) wrong(t *testing.T, o mulligan.Outcome) string {
	t.Helper()
	has := b.files
	for at := b.head; at != "base"; at = b.history[at].Parent {
		had := b.kept[b.history[at].Tree.ID]
		for _, file := range had {
			if !slices.Contains(has, file) {
				return fmt.Sprintf("what comes after %q takes back %s", at, file)
			}
		}
		has = had
	}
	iterations := 2
	if !b.loop && (b.fails || b.breaks) {
		iterations = 3
	}
	switch {
	case o.Ended != mulligan.Verified:
		return fmt.Sprintf("it is not verified: %+v", o)
	case o.Iterations != iterations:
		return fmt.Sprintf("it has had %d iterations", o.Iterations)
	case b.history[b.head].Tree.ID != "tree "+strings.Join(b.files, " "):
		return fmt.Sprintf("at the head is the %s, and there is %q", b.head, b.files)
	}
	return ""
}

// told is the session's journal, for who reads a failure.
func (b *bench) told(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for e, err := range b.journal.Read(t.Context(), id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%d %s %.300s\n", e.Number, e.Body.Kind(), fmt.Sprintf("%+v", e.Body))
	}
	return text.String()
}

// TestTaskHookBesideStopHooks (H4): one that begins while the final delivery's Stop hooks run is not
// ended with them.
func TestTaskHookBesideStopHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, p := newBench(story{late: true})
		took := map[string]time.Duration{}
		b.onHook = func(ctx context.Context, c mulligan.HookCall) {
			if c.Moment != mulligan.OnTaskComplete {
				return
			}
			began := time.Now()
			b.Sleep(ctx, time.Minute)
			b.mu.Lock()
			took[c.Hook.Name] = time.Since(began)
			b.mu.Unlock()
		}
		s := b.session()
		s.AgentHooks = slowStop{}
		if err := s.Start(id, p, mulligan.Place{Dir: "/workspace", Base: "base"}); err != nil {
			t.Fatal(err)
		}
		if o, err := s.Run(t.Context()); err != nil || !o.Good() {
			t.Fatalf("%+v, %v", o, err)
		}
		if took["a"] != time.Minute || took["b"] != time.Minute {
			t.Errorf("the hooks had %v\n%s", took, b.told(t))
		}
	})
}

// slowStop are Stop hooks that take a while, and let the agent go.
type slowStop struct{}

func (slowStop) Run(_ context.Context, c mulligan.AgentHookCall) mulligan.AgentHookReply {
	if c.Event == mulligan.EventStop {
		time.Sleep(90 * time.Second)
	}
	return allow
}
