// Package e2e runs the built mulligan with the real agent programs. Only the model behind them
// is played, by a stand-in on 127.0.0.1.
package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "mulligan/internal/cli" // of the program that is built here: without it go would take an old result for one of a changed program
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
	"mulligan/test/modeltest"
	"mulligan/workspace"
)

// outer is how long a command may take before it counts as hanging; hung is the same for a turn.
// Both are for a machine that does much else besides.
const (
	outer = 10 * time.Minute
	hung  = 4 * time.Minute
)

// TestMain is also the keeper of what is run. Six programs at once: much of their time is
// waiting, and each of them is hundreds of megabytes.
func TestMain(m *testing.M) {
	processtest.Keep()
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if path, err := built(); err == nil {
		os.RemoveAll(filepath.Dir(path)) // a folder of the system's temporary ones
	}
	os.Exit(code)
}

// built is the program, built once for all tests.
var built = sync.OnceValues(processtest.BuildProgram)

// A setup is a project and its config.
type setup struct {
	by          string // the actor; claude where it is empty
	permissions string // full where it is empty
	agent       string // more lines of the agent, each with four blanks before it
	config      string // what follows the agents
	task        string // the text of task.md
	files       map[string]string
}

// A stage is a repository with a mulligan.yaml, and an agent whose model plays a script.
type stage struct {
	actor
	t     *testing.T
	setup setup
	path  string // of the agent's program
	dir   string // the person's checkout
	state string // the folder that the state folder is in
	model *modeltest.Server
	env   []string
}

// onStage makes the project. play has to follow.
func onStage(t *testing.T, s setup) *stage {
	t.Helper()
	a, known := cast[or(s.by, "claude")]
	if !known {
		t.Fatalf("nobody is called %s", s.by)
	}
	st := &stage{t: t, setup: s, actor: a, dir: t.TempDir(), state: t.TempDir()}
	st.path = st.traced(modeltest.Agent(t, a.program))
	st.put("mulligan.yaml", st.config())
	st.put("task.md", or(s.task, "Make the answer.")+"\n")
	for name, text := range s.files {
		st.put(name, text)
	}
	return st
}

// traced is a program of the same name that becomes the agent's, and tells its number where it may write that.
func (s *stage) traced(program string) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), s.program)
	script := fmt.Sprintf("#!/bin/sh\n{ echo $$ >\"$0.pid\"; } 2>/dev/null\nexec '%s' \"$@\"\n", program)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *stage) config() string {
	words, err := json.Marshal(append([]string{s.path}, s.args...)) // a JSON list is a YAML one
	if err != nil {
		s.t.Fatal(err)
	}
	more := s.setup.agent
	if s.actor.env != "" {
		more += "    env: [" + s.actor.env + "]\n"
	}
	return fmt.Sprintf("version: 1\nagent: it\nagents:\n  it:\n    type: %s\n    exec: %s\n    permissions: %s\n    timeout: %s\n    writable: [%q]\n%s%s",
		or(s.kind, s.program), words, or(s.setup.permissions, "full"), hung, filepath.Dir(s.path), more, s.setup.config)
}

// play starts the model.
func (s *stage) play(turns ...modeltest.Turn) *stage {
	s.t.Helper()
	model, err := modeltest.Start(modeltest.Script{Turns: turns})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(model.Close)
	s.model = model
	s.env = append(modeltest.Env(s.t, model, s.program), "XDG_STATE_HOME="+s.state, "XDG_RUNTIME_DIR="+os.Getenv("XDG_RUNTIME_DIR"), "MULLIGAN_TRUST=1")
	s.commit()
	return s
}

func (s *stage) commit() {
	s.t.Helper()
	s.git("init", "-q", "-b", "main")
	s.git("add", "-A")
	s.git("commit", "-qm", "A project")
}

func (s *stage) put(name, text string) {
	s.t.Helper()
	path := s.at(name)
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

// at is the path of a file of the person's checkout.
func (s *stage) at(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

// work is the path of a file of the workspace, also before there is one.
func (s *stage) work(name string) string {
	s.t.Helper()
	root, err := filepath.EvalSymlinks(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	slot := environ.Folders{State: filepath.Join(s.state, "mulligan")}.Slot(root, 1)
	return filepath.Join(workspace.WorkspaceIn(slot), filepath.FromSlash(name))
}

// file is what stands in a file of the workspace, nothing where it is not there.
func (s *stage) file(name string) string {
	text, err := os.ReadFile(s.work(name))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

func (s *stage) git(args ...string) string {
	s.t.Helper()
	out, err := process.Tool{Dir: s.dir, Env: s.env, Argv: append([]string{"git"}, args...)}.Output(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// branch is the branch of the session's, in the person's repository.
func (s *stage) branch() string {
	s.t.Helper()
	return s.git("for-each-ref", "--format=%(refname)", "refs/heads/mulligan")
}

// mulligan runs the program to its end.
func (s *stage) mulligan(args ...string) ran {
	s.t.Helper()
	path, err := built()
	if err != nil {
		s.t.Fatal(err)
	}
	pool := process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
	var stdout, stderr bytes.Buffer
	exit, err := pool.Run(s.t.Context(), process.Spec{
		Argv: append([]string{path}, args...), Dir: s.dir, Env: s.env, Stdout: &stdout, Stderr: &stderr, Timeout: outer,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.alone()
	return ran{t: s.t, exit: exit.Code, stdout: stdout.String(), stderr: stderr.String()}
}

// run takes task.md through the pipeline, and expects an exit code.
func (s *stage) run(want int, args ...string) ran {
	s.t.Helper()
	return s.mulligan(append([]string{"run", "--foreground", "--json", "task.md"}, args...)...).exits(want)
}

// loop does the same with task.md as the spec of a loop.
func (s *stage) loop(want int, args ...string) ran {
	s.t.Helper()
	return s.mulligan(append([]string{"loop", "--foreground", "--json", "task.md"}, args...)...).exits(want)
}

// alone: the program had no key but the stand-in's, and went nowhere else.
func (s *stage) alone() {
	s.t.Helper()
	for _, r := range s.model.Log() {
		if r.Foreign || r.Stray {
			s.t.Errorf("%s %s: with a key that nobody gave it: %v; out of this machine: %v", r.Method, r.Path, r.Foreign, r.Stray)
		}
	}
}

// played: the whole script was asked for, and nothing but it.
func (s *stage) played() {
	s.t.Helper()
	if s.model.Left() > 0 {
		s.t.Errorf("%d turns of the script were not asked for", s.model.Left())
	}
	for _, r := range s.model.Asked() {
		if r.Turn < 0 {
			s.t.Errorf("the script had no answer to %.500q", r.Newest())
		}
	}
}

// heard is the request of the model whose newest message has text in it.
func (s *stage) heard(text string) modeltest.Request {
	s.t.Helper()
	for _, r := range s.model.Asked() {
		if strings.Contains(r.Newest(), text) {
			return r
		}
	}
	s.t.Fatalf("the model has not heard %q", text)
	return modeltest.Request{}
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
