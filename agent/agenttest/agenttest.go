// Package agenttest is the suite that every agent backend passes.
package agenttest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
)

// A Harness is how the suite reaches a backend.
type Harness struct {
	// New returns an agent that behaves so in every turn.
	New func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b Behaviour) mulligan.Agent
	// Missing returns an agent whose program, of the given name, does not exist; nil for a backend
	// that needs none.
	Missing func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, name string) mulligan.Agent
	// Continues is true if the backend can resume a conversation.
	Continues bool
	// Tells are the faults that the backend tells apart by fields of its program's output. Every
	// other fault is a crash: no words make it anything else.
	Tells []Fault
	// Permits is true if the backend decides what its program may do.
	Permits bool
	// ExitEnds is true if an exit code of 0 alone means that the turn is over.
	ExitEnds bool
	// Flood is how many lines the agent prints that prints too much, where 100,000 are more than it
	// can; a few thousand are always needed.
	Flood int
}

// Run puts a backend through the suite. Its test binary has Main as TestMain.
func Run(t *testing.T, h Harness) {
	for name, test := range map[string]func(*testing.T, Harness){
		"finished":     testFinished,
		"prompt":       testPrompt,
		"words":        testWordsDecideNothing,
		"files":        testWritesFiles,
		"conversation": testConversation,
		"crash":        testCrash,
		"cancel":       testCancel,
		"cancelled":    testCancelledBefore,
		"timeout":      testTimeout,
		"idle":         testIdle,
		"busy":         testNotIdle,
		"flood":        testFlood,
		"environment":  testEnvironment,
		"log":          testBrokenLog,
		"missing":      testMissing,
		"faults":       testFaults,
		"again":        testAgain,
		"vanished":     testVanished,
		"interrupted":  testInterrupted,
		"denied":       testDenied,
		"side by side": testSideBySide,
	} {
		t.Run(name, func(t *testing.T) { test(t, h) })
	}
}

// hangGuard is far longer than anything here takes; it only keeps a hang from lasting for ever.
const hangGuard = 5 * time.Minute

// timeLimits are limits to try one after the other: a turn that was stopped before it had begun, on
// a busy machine, proves nothing and is repeated with the next.
var timeLimits = []time.Duration{time.Second, 5 * time.Second, 25 * time.Second, 2 * time.Minute}

// A stage is where a turn of the suite runs.
type stage struct {
	t       *testing.T
	harness Harness
	spec    mulligan.AgentSpec
	deps    agent.Deps
	turn    mulligan.Turn
	log     *sharedLog
}

// A sharedLog may be read while it is written.
type sharedLog struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *sharedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *sharedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newStage(t *testing.T, h Harness) *stage {
	t.Helper()
	log := &sharedLog{}
	return &stage{
		t: t, harness: h, log: log,
		spec: mulligan.AgentSpec{Name: "tested"},
		deps: agent.Deps{Pool: Pool(t), Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}},
		turn: mulligan.Turn{
			Session: "s1", Step: "implement", Attempt: 2, Iteration: 3, Number: 4,
			Prompt: "please", Dir: t.TempDir(), Log: log,
		},
	}
}

// take runs a turn with an agent that behaves so.
func (s *stage) take(b Behaviour) mulligan.Result {
	s.t.Helper()
	return s.takeTurn(s.t.Context(), s.harness.New(s.t, s.spec, s.deps, b))
}

// takeTurn runs a turn, and fails the test if that returns an error or hangs.
func (s *stage) takeTurn(ctx context.Context, a mulligan.Agent) mulligan.Result {
	s.t.Helper()
	ctx, stop := context.WithTimeout(ctx, hangGuard)
	defer stop()
	r, err := a.Turn(ctx, s.turn)
	if err != nil {
		s.t.Fatalf("turn: %v", err)
	}
	if context.Cause(ctx) == context.DeadlineExceeded {
		s.t.Fatalf("the turn hung: %+v", r)
	}
	return r
}

// wantEnding fails the test unless the turn ended so.
func (s *stage) wantEnding(r mulligan.Result, want mulligan.Ending) {
	s.t.Helper()
	if r.Ending != want {
		s.t.Fatalf("ending = %s (%s), want %s; log:\n%.2000s", r.Ending, r.Reason, want, s.log.String())
	}
}

func (s *stage) path(name string) string { return filepath.Join(s.turn.Dir, name) }

// waitUntilGone waits until the descendant whose id the file has is gone.
func (s *stage) waitUntilGone(file string) {
	s.t.Helper()
	id, err := os.ReadFile(s.path(file))
	if err != nil {
		s.t.Fatalf("the descendant was not started: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(id)))
	if err != nil {
		s.t.Fatal(err)
	}
	for end := time.Now().Add(hangGuard); isAlive(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("the descendant %d is still there", pid)
		}
	}
}

func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}
