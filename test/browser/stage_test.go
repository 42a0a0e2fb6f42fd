package browser

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan/internal/process"
)

// patience is how long what must come may take on a machine that does much else besides.
const patience = 4 * time.Minute

// A stage is a repository with a scripted agent, and a state folder of its own.
type stage struct {
	t    *testing.T
	home string
	dir  string
	env  []string
	pool *process.Pool
	// terminal has what the page that was served last has printed.
	terminal *lockedBuffer
}

const usualConfig = `version: 1
agent: actor
ask_timeout: 10m
agents: {actor: {type: scripted, script: play.yaml}}
limits: {duration: 1h, turns: 20}
pipelines:
  default:
    - name: plan
      check: {type: file_exists, path: PLAN.md}
    - name: implement
      check: {type: shell, name: tests, command: sh test.sh}
      retry: 3
`

// newStage makes a repository with these files besides the config.
func newStage(t *testing.T, files map[string]string) *stage {
	t.Helper()
	s := &stage{t: t, home: t.TempDir(), dir: filepath.Join(t.TempDir(), "shop"), pool: process.NewPool(process.PoolOptions{})}
	s.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.home, "XDG_STATE_HOME=" + s.home + "/state", "XDG_RUNTIME_DIR=" + s.home, "MULLIGAN_TRUST=1",
		"GIT_CONFIG_GLOBAL=" + s.home + "/gitconfig", "GIT_CONFIG_NOSYSTEM=1", "TZ=UTC", "LC_ALL=C.UTF-8",
	}
	s.put(filepath.Join(s.home, "gitconfig"), "[user]\nname = A Person\nemail = person@example.com\n")
	for name, text := range files {
		s.put(filepath.Join(s.dir, name), text)
	}
	if _, ok := files["mulligan.yaml"]; !ok {
		s.put(filepath.Join(s.dir, "mulligan.yaml"), usualConfig)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-qm", "A project"}} {
		s.git(args...)
	}
	return s
}

func (s *stage) git(args ...string) {
	s.t.Helper()
	if _, err := (process.Tool{Dir: s.dir, Env: s.env, Argv: append([]string{"git"}, args...)}).Output(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) put(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// start runs the program beside the test. wait returns its exit code.
func (s *stage) start(stdout *lockedBuffer, args ...string) (stop func(), wait func() int) {
	s.t.Helper()
	path, err := built()
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	done := make(chan int, 1)
	go func() {
		exit, err := s.pool.Run(ctx, process.Spec{
			Argv: append([]string{path}, args...), Dir: s.dir, Env: s.env, Stdout: stdout, Stderr: stdout, Timeout: 5 * time.Minute, Grace: 2 * time.Second,
		})
		if err != nil && ctx.Err() == nil {
			s.t.Error(err)
		}
		done <- exit.Code
	}()
	wait = sync.OnceValue(func() int {
		select {
		case code := <-done:
			return code
		case <-time.After(2 * time.Minute):
			s.t.Errorf("`mulligan %s` does not end:\n%s", strings.Join(args, " "), stdout.String())
			return -1
		}
	})
	stop = func() { cancel(); wait() }
	s.t.Cleanup(stop)
	return stop, wait
}

// run runs the program to its end.
func (s *stage) run(want int, args ...string) string {
	s.t.Helper()
	var out lockedBuffer
	_, wait := s.start(&out, args...)
	if code := wait(); code != want {
		s.t.Fatalf("`mulligan %s` ended with %d:\n%s", strings.Join(args, " "), code, out.String())
	}
	return out.String()
}

// serve starts the page and returns its address with the token.
func (s *stage) serve(args ...string) (url string, stop func()) {
	s.t.Helper()
	out := &lockedBuffer{}
	s.terminal = out
	stop, _ = s.start(out, append([]string{"ui", "--no-open"}, args...)...)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if line, _, whole := strings.Cut(out.String(), "\n"); whole {
			if !strings.HasPrefix(line, "http://127.0.0.1:") {
				break
			}
			return line, stop
		}
	}
	s.t.Fatalf("no address was printed:\n%s", out.String())
	return "", nil
}

// A lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
