package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMemory: the program tells where tests write, and leaves nothing there.
func TestMemory(t *testing.T) {
	program := filepath.Join(t.TempDir(), "verify")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free, err := readFreeMemory()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flag   string
		memory bool
	}{{"-disk=false", free >= neededMemory && mayMount(t)}, {"-disk", false}} {
		temporary, cache := t.TempDir(), t.TempDir()
		cmd := exec.Command(program, c.flag, "no-such-step")
		cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "XDG_CACHE_HOME="+cache)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), `no step is called "no-such-step"`) {
			t.Errorf("%s: %v\n%s", c.flag, err, out)
		}
		if told := strings.Contains(string(out), "what tests write is in memory"); told != c.memory {
			t.Errorf("%s: what tests write is in memory: %t, want %t\n%s", c.flag, told, c.memory, out)
		}
		for _, dir := range []string{temporary, cache} {
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%s: it left %v, %v", c.flag, left, err)
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

func TestParseAvailable(t *testing.T) {
	for text, want := range map[string]uint64{
		"MemTotal:       24682416 kB\nMemFree:        1 kB\nMemAvailable:   2048 kB\nBuffers: 3 kB\n": 2 << 20,
		"MemTotal:       24682416 kB\n": 0,
		"MemAvailable: much\n":          0,
		"":                              0,
	} {
		if got := parseAvailable(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestParseLeft(t *testing.T) {
	for _, c := range []struct {
		limit, used string
		want        uint64
	}{
		{"max\n", "12\n", math.MaxUint64},
		{"100\n", "30\n", 70},
		{"100\n", "130\n", 0},
		{"100\n", "", 0},
	} {
		if got := parseLeft(c.limit, c.used); got != c.want {
			t.Errorf("limit %q, used %q: %d, want %d", c.limit, c.used, got, c.want)
		}
	}
}
