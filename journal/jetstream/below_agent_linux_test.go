package jetstream_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/internal/process"
	"mulligan/journal/jetstream"
)

// visit runs a writer of the journal under a keeper: as an agent's tool, or as a command of
// the user's own.
func visit(t *testing.T, p *process.Pool, dir string, agent bool, wrap string) (process.Exit, string) {
	t.Helper()
	var out strings.Builder
	exit, err := p.Run(t.Context(), process.Spec{
		Argv: []string{"/bin/sh", "-c", wrap + " " + os.Args[0]}, Agent: agent, Stdout: &out, Stderr: &out, Timeout: patience,
		Env: append(os.Environ(), writerDir+"="+dir, writerSession+"="+session, writerFrames+"=1"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return exit, out.String()
}

// TestJournalRefusesAgents (J7): by whom they descend from, whatever they do about it; a
// check or a hook of the user's may come in, under the same keeper.
func TestJournalRefusesAgents(t *testing.T) {
	dir := t.TempDir()
	host := open(t, dir, jetstream.Session)
	p := process.NewPool(process.PoolOptions{})
	t.Cleanup(p.Close)
	for _, wrap := range []string{"exec", "setsid -w"} {
		exit, out := visit(t, p, dir, true, wrap)
		if exit.OK() || !strings.Contains(out, jetstream.ErrBelowAgent.Error()) || !strings.HasSuffix(out, " true\n") {
			t.Errorf("%s below an agent: %v, %q", wrap, exit, out)
		}
	}
	if exit, out := visit(t, p, dir, false, "exec"); !exit.OK() || !strings.Contains(out, "ack 2 false") {
		t.Errorf("a hook: %v, %q", exit, out)
	}
	if all, err := host.Sessions(t.Context()); err != nil || len(all) != 1 || all[0].ID != session {
		t.Errorf("the journal has %+v, %v", all, err)
	}
}

// An agent that finds no host does not become it.
func TestAgentNeverHosts(t *testing.T) {
	dir := t.TempDir()
	p := process.NewPool(process.PoolOptions{})
	t.Cleanup(p.Close)
	exit, out := visit(t, p, dir, true, "exec")
	if exit.OK() || !strings.Contains(out, jetstream.ErrBelowAgent.Error()) {
		t.Errorf("%v, %q", exit, out)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "jetstream*")); len(left) > 0 {
		t.Errorf("it has begun a store: %v", left)
	}
	if exit, out := visit(t, p, dir, false, "exec"); !exit.OK() || !strings.Contains(out, "ack 2 true") {
		t.Errorf("a hook: %v, %q", exit, out)
	}
}
