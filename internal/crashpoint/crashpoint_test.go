package crashpoint

import (
	"os"
	"path/filepath"
	"testing"

	"mulligan"
)

func TestTakeRemovesTheVariables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	t.Setenv(killEnv, "3")
	t.Setenv(logEnv, path)
	p, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{killEnv, logEnv} {
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
	session := &mulligan.Session{}
	if p.Session(session) != session || session.Journal != nil || session.Workspace != nil || session.Agent != nil || session.Gates != nil {
		t.Error("a session was wrapped")
	}
}

func TestNotANumber(t *testing.T) {
	for _, value := range []string{"x", "0", "-1"} {
		t.Setenv(killEnv, value)
		if _, err := Take(); err == nil {
			t.Errorf("%q was taken", value)
		}
	}
}
