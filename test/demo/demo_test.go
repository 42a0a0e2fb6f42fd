// Package demo runs the demo's project with a real agent program. Only the model behind the
// program is played: `make demo-claude` shows it, and `make test` holds it to its promise.
package demo

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "mulligan/internal/cli" // of the program that is built here: without it go would take an old result for one of a changed program
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/test/modeltest"
	"mulligan/workspace"
)

var (
	program = flag.String("program", "", "the built mulligan; without it one is built")
	show    = flag.Bool("show", false, "print what mulligan prints, and keep the project to look at")
)

// outer only keeps a hang from being for ever.
const outer = 10 * time.Minute

// TestMain is also the keeper of the mulligan that is run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// TestClaude: the first attempt at the code is wrong and claims to be done; the evidence comes
// back in the same conversation; the second is right, and both steps are committed.
func TestClaude(t *testing.T) {
	claude := modeltest.Agent(t, "claude")
	dir := project(t, claude)
	state := t.TempDir()
	work := workspaceOf(t, state, dir)
	s, err := modeltest.Start(modeltest.Script{Turns: turns(work)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	env := append(modeltest.Env(t, s, "claude"), "XDG_STATE_HOME="+state)
	commit(t, dir, env)

	out := run(t, dir, env, mulligan(t), "run", "--foreground", "tasks/slug.md")
	if s.Left() != 0 {
		t.Errorf("%d turns of the script were not asked for:\n%s", s.Left(), out)
	}
	sameConversation(t, s)
	log := git(t, dir, env, "log", "--format=%s", "--all")
	for _, want := range []string{"mulligan(plan)", "mulligan(implement)"} {
		if strings.Count(log, want) != 1 {
			t.Errorf("no one commit of %s in:\n%s", want, log)
		}
	}
	if *show {
		os.Stdout.WriteString("\nthe project: " + dir + "\nthe model was played by a stand-in on 127.0.0.1; the rest was real\n")
	}
}

// workspaceOf is where the agent of the only session of a repository works.
func workspaceOf(t *testing.T, state, dir string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return workspace.WorkspaceIn(environ.Folders{State: filepath.Join(state, "mulligan")}.Slot(root, 1))
}

// sameConversation: the request that brought the evidence has the first attempt in it.
func sameConversation(t *testing.T, s *modeltest.Server) {
	t.Helper()
	for _, r := range s.Asked() {
		if !strings.Contains(r.Newest(), failed) {
			continue
		}
		if !strings.Contains(r.Newest(), "one dash for a gap") {
			t.Errorf("the feedback has no evidence: %s", r.Newest())
		}
		if all := r.Conversation(); !strings.Contains(all, "All tests should pass now") {
			t.Errorf("the conversation began anew: %s", all)
		}
		return
	}
	t.Error("no feedback reached the model")
}

// project copies the demo's files, with the real program in the place of the actor.
func project(t *testing.T, claude string) string {
	t.Helper()
	dir := t.TempDir()
	if *show {
		var err error
		if dir, err = os.MkdirTemp("", "mulligan-demo-claude-"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "internal", "cli", "demo"))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "mulligan.yaml")
	config, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(config)
	for old, with := range map[string]string{
		"agent: actor\n": "agent: claude\n",
		"  actor:                   # plays a script instead of asking a model: nothing is spent\n    type: scripted\n    script: rehearsal.yaml\n": "  claude:\n    type: claude\n    exec: [" + claude + "]\n    permissions: full\n",
	} {
		if strings.Count(text, old) != 1 {
			t.Fatalf("the demo's config has no\n%s", old)
		}
		text = strings.Replace(text, old, with, 1)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "rehearsal.yaml")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func commit(t *testing.T, dir string, env []string) {
	t.Helper()
	git(t, dir, env, "init", "-q", "-b", "main")
	git(t, dir, env, "add", "-A")
	git(t, dir, env, "commit", "-qm", "A project with failing tests")
}

func git(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	out, err := process.Tool{Dir: dir, Env: env, Argv: append([]string{"git"}, args...)}.Output(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// mulligan is the program that is shown.
func mulligan(t *testing.T) string {
	t.Helper()
	if *program != "" {
		path, err := filepath.Abs(*program)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := filepath.Join(t.TempDir(), "mulligan")
	build := process.Tool{Dir: filepath.Join("..", ".."), Argv: []string{"go", "build", "-o", path, "./cmd/mulligan"}}
	if _, err := build.Output(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs mulligan to its end, which has to be a good one.
func run(t *testing.T, dir string, env []string, argv ...string) string {
	t.Helper()
	pool := process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
	var out bytes.Buffer
	to := io.Writer(&out)
	if *show {
		to = io.MultiWriter(os.Stdout, &out)
	}
	exit, err := pool.Run(t.Context(), process.Spec{Argv: argv, Dir: dir, Env: env, Stdout: to, Stderr: to, Timeout: outer})
	if err != nil || !exit.OK() {
		t.Fatalf("%v, %v:\n%s", exit, err, &out)
	}
	return out.String()
}
