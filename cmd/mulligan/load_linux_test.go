package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/cli"
	"mulligan/internal/process"
	"mulligan/journal/jetstream"
	"mulligan/state"
)

var (
	loadSessions = flag.Int("load.sessions", 0, "sessions side by side; 0: a few")
	loadTurns    = flag.Int("load.turns", 3, "attempts that each takes")
	loadThink    = flag.Duration("load.think", 0, "how long an agent thinks in each, on average")
	loadProgram  = flag.String("load.program", "mulligan", "the program that runs them; else this one")
)

const fewSessions = 8

// A load is many sessions at once, each in a repository of its own, in one journal.
type load struct {
	dir     string
	program string
	size    int
	store   *jetstream.Store
}

// TestLoad runs sessions side by side, all of them alive at once: none is lost, none is mixed
// up with another, and it says what an append and the way from one attempt to the next take.
func TestLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	l := newLoad(t)
	var sessions sync.WaitGroup
	failures := make(chan error, l.size)
	for i := range l.size {
		sessions.Go(func() { failures <- l.session(t.Context(), i) })
	}
	l.awaitAll(t, failures)
	l.open(t)
	memory := l.memory()
	if memory.sessions != l.size {
		t.Errorf("%d sessions are alive at once, not %d", memory.sessions, l.size)
	}
	watched := l.watch(t)
	appends := l.probe(t)
	gone := l.letGo(t)
	for range l.size {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	gone()
	sessions.Wait()
	append50, append99 := quantiles(appends())
	ids := watched()
	l.whole(t, ids)
	gap50, gap99 := quantiles(l.gaps(t))
	report := fmt.Sprintf(`%d sessions side by side, %d attempts each
  append                    p50 %v  p99 %v
  between two attempts      p50 %v  p99 %v
  memory of each session    %v`,
		l.size, *loadTurns, append50, append99, gap50, gap99, memory)
	t.Log(report)
	if *loadSessions > 0 {
		fmt.Println(report)
	}
}

func newLoad(t *testing.T) *load {
	t.Helper()
	dir, err := os.MkdirTemp("", "load") // short: a socket's path has 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l := &load{dir: dir, program: *loadProgram, size: *loadSessions}
	if l.size == 0 {
		l.size = fewSessions
	}
	if strings.Contains(l.program, "/") {
		if l.program, err = filepath.Abs(l.program); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", l.path("run"))
	return l
}

// open joins the journal, which one of the sessions hosts.
func (l *load) open(t *testing.T) {
	t.Helper()
	var err error
	l.store, err = jetstream.Open(t.Context(), jetstream.Options{Dir: l.path("state", "mulligan"), Version: cli.Version, Mode: jetstream.Session, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.store.Close() })
	if l.store.Hosting() {
		t.Error("no session hosts the journal")
	}
}

func (l *load) name(i int) string { return fmt.Sprintf("s%03d", i) }
func (l *load) path(parts ...string) string {
	return filepath.Join(append([]string{l.dir}, parts...)...)
}

// prepare makes the repositories, all alike, and a script for each, all different.
func (l *load) prepare(ctx context.Context) error {
	for _, name := range []string{"home", "state", "config", "run", "w", "conf", "at", "stamps", "bin", "template/tasks"} {
		if err := os.MkdirAll(l.path(name), 0o700); err != nil {
			return err
		}
	}
	if err := syscall.Mkfifo(l.path("go"), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(l.path("template", "tasks", "t.md"), []byte("Work.\n"), 0o644); err != nil {
		return err
	}
	git := `git init -q -b main && git config user.name A && git config user.email a@example.com && git add -A && git commit -q -m start`
	if _, err := sh(ctx, l.path("template"), runEnv(l.dir), git); err != nil {
		return err
	}
	for i := range l.size {
		if err := os.CopyFS(l.path("w", l.name(i)), os.DirFS(l.path("template"))); err != nil {
			return err
		}
		if err := l.script(i); err != nil {
			return err
		}
	}
	return nil
}

// script writes what the agent of a session does: it waits until all are there, and then
// takes its turns, the last of which the check likes.
func (l *load) script(i int) error {
	name := l.name(i)
	var b strings.Builder
	b.WriteString("turns:\n")
	for turn := range *loadTurns {
		fmt.Fprintf(&b, "  - - run: date +%%s%%N >>%s\n", l.path("stamps", name))
		if turn == 0 {
			// Opening it waits for somebody who writes, and costs nothing meanwhile.
			fmt.Fprintf(&b, "    - run: ': >%s; read x <%s'\n", l.path("at", name), l.path("go"))
		}
		// Spread, so that they do not keep step.
		think := *loadThink/2 + *loadThink*time.Duration((i*37+turn*61)%100)/100
		fmt.Fprintf(&b, "    - sleep: %v\n    - write: {path: work, content: \"%d of %s\\n\"}\n", max(think, time.Millisecond), turn+1, name)
		fmt.Fprintf(&b, "    - run: date +%%s%%N >>%s\n", l.path("stamps", name))
	}
	if err := os.MkdirAll(l.path("conf", name), 0o700); err != nil {
		return err
	}
	config := fmt.Sprintf("version: 1\nagent: play\nagents: {play: {type: scripted, script: play.yaml}}\nlimits: {turns: 1000}\n"+
		"pipelines: {default: [{name: work, check: 'grep -q \"^%d of %s$\" work', retry: %d}]}\n", *loadTurns, name, *loadTurns)
	if err := os.WriteFile(l.path("conf", name, "mulligan.yaml"), []byte(config), 0o600); err != nil {
		return err
	}
	return os.WriteFile(l.path("conf", name, "play.yaml"), []byte(b.String()), 0o600)
}

func (l *load) session(ctx context.Context, i int) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	name := l.name(i)
	tool := process.Tool{Dir: l.path("w", name), Env: runEnv(l.dir), Argv: []string{l.program, "run", "tasks/t.md", "--foreground", "--config", l.path("conf", name, "mulligan.yaml")}}
	out, err := tool.Output(ctx)
	if err != nil {
		return fmt.Errorf("session %s: %w\n%s", name, err, out)
	}
	return nil
}

// awaitAll waits until every session's agent waits for the others.
func (l *load) awaitAll(t *testing.T, failures <-chan error) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		there, err := os.ReadDir(l.path("at"))
		if err != nil {
			t.Fatal(err)
		}
		if len(there) == l.size {
			return
		}
		select {
		case err := <-failures:
			t.Fatalf("a session ended before all were there: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("only %d of %d sessions came to their first turn", len(there), l.size)
		}
	}
}

// letGo lets all of the agents go on, each when it has come to open the fifo for reading: until stop,
// somebody opens it for writing again and again.
func (l *load) letGo(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var opening sync.WaitGroup
	opening.Go(func() {
		for ctx.Err() == nil {
			f, err := os.OpenFile(l.path("go"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
			switch {
			case err == nil:
				f.Close()
			case !errors.Is(err, syscall.ENXIO): // which is that nobody reads just now
				t.Error(err)
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	return func() { cancel(); opening.Wait() }
}

// watch follows every session to its end, and gives their ids by repository.
func (l *load) watch(t *testing.T) func() map[string]string {
	t.Helper()
	all, err := l.store.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	var followers sync.WaitGroup
	for _, s := range all {
		ids[filepath.Base(s.Root)] = s.ID
		followers.Go(func() {
			if err := l.follow(t.Context(), s.ID); err != nil {
				t.Errorf("session %s: %v", s.ID, err)
			}
		})
	}
	if len(all) != l.size || len(ids) != l.size {
		t.Errorf("the journal has %d sessions of %d repositories, not %d", len(all), len(ids), l.size)
	}
	return func() map[string]string { followers.Wait(); return ids }
}

// follow wants a session's events as they come, without a gap, to a good end.
func (l *load) follow(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	var state state.State
	for e, err := range l.store.Follow(ctx, id, 1) {
		if err != nil {
			return err
		}
		if err := state.Apply(e); err != nil {
			return err
		}
		if state.Outcome != nil {
			break
		}
	}
	switch o := state.Outcome; {
	case o == nil:
		return fmt.Errorf("it did not end: %d events, at %s", state.Last, state.Phase)
	case o.Ended != mulligan.Verified || o.Turns != *loadTurns:
		return fmt.Errorf("%s after %d turns: %s", o.Ended, o.Turns, o.Reason)
	}
	return nil
}
