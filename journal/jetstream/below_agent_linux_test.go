package jetstream_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/internal/process"
	"mulligan/journal/jetstream"
)

// visit runs a writer of the journal under a keeper: as an agent's tool, as a check or hook, or as a program
// of our own.
func visit(t *testing.T, p *process.Pool, dir string, role process.Role, wrap string) (process.Exit, string) {
	t.Helper()
	var out strings.Builder
	exit, err := p.Run(t.Context(), process.Spec{
		Argv: []string{"/bin/sh", "-c", wrap + " " + os.Args[0]}, Role: role, Stdout: &out, Stderr: &out, Timeout: patience,
		Env: append(os.Environ(), writerDir+"="+dir, writerSession+"="+session, writerFrames+"=1"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return exit, out.String()
}

// TestJournalRefusesChildren (J7): by whom they descend from, whatever they do about it. Checks and hooks
// run code that an agent has written.
func TestJournalRefusesChildren(t *testing.T) {
	dir := t.TempDir()
	host := open(t, dir, jetstream.Session)
	p := process.NewPool(process.PoolOptions{State: dir})
	for _, role := range []process.Role{process.RoleAgent, process.RoleCheck, process.RoleHook} {
		for _, wrap := range []string{"exec", "setsid -w"} {
			exit, out := visit(t, p, dir, role, wrap)
			if exit.OK() || !strings.Contains(out, "runs below "+role.String()) || !strings.HasSuffix(out, " true\n") {
				t.Errorf("%s below %s: %v, %q", wrap, role, exit, out)
			}
		}
	}
	if exit, out := visit(t, p, dir, process.RoleNone, "exec"); !exit.OK() || !strings.Contains(out, "ack 2 false") {
		t.Errorf("a program of our own: %v, %q", exit, out)
	}
	if all, err := host.Sessions(t.Context()); err != nil || len(all) != 1 || all[0].ID != session {
		t.Errorf("the journal has %+v, %v", all, err)
	}
}

// An agent, a check or a hook that finds no host does not become it.
func TestChildrenNeverHost(t *testing.T) {
	dir := t.TempDir()
	p := process.NewPool(process.PoolOptions{State: dir})
	for _, role := range []process.Role{process.RoleAgent, process.RoleCheck, process.RoleHook} {
		exit, out := visit(t, p, dir, role, "exec")
		if exit.OK() || !strings.Contains(out, "runs below "+role.String()) {
			t.Errorf("%s: %v, %q", role, exit, out)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "jetstream*")); len(left) > 0 {
			t.Errorf("%s has begun a store: %v", role, left)
		}
	}
	// Below the tests of a project another mulligan may run, with a state folder of its own.
	if exit, out := visit(t, p, t.TempDir(), process.RoleCheck, "exec"); !exit.OK() || !strings.Contains(out, "ack 2 true") {
		t.Errorf("a check, in another state folder: %v, %q", exit, out)
	}
	if exit, out := visit(t, p, dir, process.RoleNone, "exec"); !exit.OK() || !strings.Contains(out, "ack 2 true") {
		t.Errorf("a program of our own: %v, %q", exit, out)
	}
}
