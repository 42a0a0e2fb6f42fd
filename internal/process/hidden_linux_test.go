package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A8: a keeper's own environment is empty, so that a child that reads it learns nothing.
func TestKeeperHasNoEnvironment(t *testing.T) {
	t.Setenv("MULLIGAN_TEST_SECRET", "sesame")
	p := newPool(t)
	var out strings.Builder
	_, err := p.Run(t.Context(), Spec{
		Argv: shell(`tr '\0' '\n' </proc/$PPID/environ; echo own: $WANTED`), Env: []string{"PATH=" + os.Getenv("PATH"), "WANTED=yes"},
		Role: RoleAgent, Stdout: &out, Stderr: &out,
	})
	if err != nil || strings.Contains(out.String(), "sesame") || !strings.HasSuffix(out.String(), "own: yes\n") {
		t.Errorf("the keeper shows %q, %v", out.String(), err)
	}
}

// nobody is a user without rights.
const nobody = 65534

// V10: other processes of the same user read neither the memory of a keeper nor that of mulligan. Root
// can, so that the test runs as another user where it is root's.
func TestMemoryIsHidden(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "hidden")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "program")
	syscall.ForkLock.RLock() // a child that another test starts now would have the file open for writing, which cannot be executed
	err = os.WriteFile(own, program, 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(own, "act", "hidden")
	cmd.Dir, cmd.Env = "/", append(os.Environ(), "MULLIGAN_TEST_SECRET=sesame")
	if os.Geteuid() == 0 {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "sesame") {
		t.Fatalf("%v: %s", err, out)
	}
	if n := strings.Count(string(out), "denied"); n < 4 || !strings.Contains(string(out), "\nagent ") {
		t.Errorf("%d refusals: %s", n, out)
	}
}
