package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMemory: the program tells where tests write, if it runs some, and leaves nothing there.
func TestMemory(t *testing.T) {
	program := filepath.Join(t.TempDir(), "verify")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	may := readFreeMemory("/") >= neededMemory && mayMount(t)
	for _, c := range []struct {
		args   []string
		memory bool
		code   int
		says   string
	}{
		{[]string{"-exec", "sh", "-c", `echo "is in $TMPDIR"; >"$TMPDIR/left"; exit 3`}, may, 3, "is in "},
		{[]string{"-disk", "-exec", "sh", "-c", `exit 3`}, false, 3, ""},
		{[]string{"-exec", "sh", "-c", "kill -KILL $$"}, may, 1, ""},
		{[]string{"-exec"}, may, 2, "-exec needs a command"},
		{[]string{"-exec", "no-such-program"}, may, 2, "no-such-program"},
		{[]string{"-root=" + t.TempDir(), "test"}, may, 2, "is not the repository's root"},
		{[]string{"-root=" + t.TempDir(), "gofumpt"}, false, 2, "is not the repository's root"},
		{[]string{"no-such-step"}, false, 2, `no step is called "no-such-step"`},
	} {
		temporary, cache := t.TempDir(), t.TempDir()
		cmd := exec.Command(program, c.args...)
		cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "XDG_CACHE_HOME="+cache)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("%q: %v\n%s", c.args, err, out)
		}
		if told := strings.Contains(string(out), "what tests write is in memory"); told != c.memory {
			t.Errorf("%q: what tests write is in memory: %t, want %t\n%s", c.args, told, c.memory, out)
		}
		for _, dir := range []string{temporary, cache} {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%q: it left %v, %v", c.args, left, err)
			}
		}
	}
}

// mayMount reports whether this process may mount for itself.
func mayMount(t *testing.T) bool {
	dir, may := t.TempDir(), make(chan bool)
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine, and its mounts with the thread
		may <- mountPrivately([]string{dir}, 1<<20) == nil
	}()
	return <-may
}
