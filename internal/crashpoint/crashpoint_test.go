package crashpoint

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mulligan/loop"
)

func TestTakeRemovesTheVariables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	t.Setenv(killEnv, "3")
	t.Setenv(logEnv, path)
	t.Setenv(panicEnv, "2")
	t.Setenv(holdEnv, "a point=no-such-file")
	p, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{killEnv, logEnv, panicEnv, holdEnv} {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("%s is still %q: a child would get it", name, value)
		}
	}
	if err := p.Around("work", func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if log, err := os.ReadFile(path); err != nil || string(log) != "before work\nafter work\n" {
		t.Errorf("the log has %q, %v", log, err)
	}
}

func TestNobodyAsked(t *testing.T) {
	p, err := Take()
	if p != nil || err != nil {
		t.Fatalf("points %v, error %v", p, err)
	}
	p.Pass("a point")
	session := &loop.Session{}
	if p.Session(session) != session || session.Journal != nil || session.Workspace != nil || session.Proof != nil || session.Store != nil || session.Agent != nil || session.Gates != nil || session.Hooks != nil {
		t.Error("a session was wrapped")
	}
}

func TestNotANumber(t *testing.T) {
	for _, name := range []string{killEnv, panicEnv} {
		for _, value := range []string{"x", "0", "-1"} {
			t.Setenv(name, value)
			if _, err := Take(); err == nil {
				t.Errorf("%s: %q was taken", name, value)
			}
		}
		os.Unsetenv(name)
	}
}

func TestThatTurnPanics(t *testing.T) {
	t.Setenv(panicEnv, "2")
	p, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	panics := func() (value any) {
		defer func() { value = recover() }()
		p.countTurn()
		return nil
	}
	for turn, want := range []bool{false, true, false} {
		if got := panics() != nil; got != want {
			t.Errorf("turn %d: panicked is %v", turn+1, got)
		}
	}
}

func TestHolds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "go")
	t.Setenv(holdEnv, "after work="+path)
	p, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	p.Pass("before work") // is not held
	passed := make(chan struct{})
	go func() {
		p.Pass("after work")
		close(passed)
	}()
	select {
	case <-passed:
		t.Fatal("it was not held")
	case <-time.After(50 * time.Millisecond):
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-passed
	for _, bad := range []string{"after work", "=file", "after work="} {
		t.Setenv(holdEnv, bad)
		if _, err := Take(); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
