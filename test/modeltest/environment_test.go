package modeltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/internal/process"
)

// TestNoProgramWithoutAStandIn: whatever is not a port of this machine is refused, before
// anything could be run.
func TestNoProgramWithoutAStandIn(t *testing.T) {
	for name := range programs {
		for _, s := range []*Server{
			nil,
			{},
			{URL: "https://api.example.invalid"},
			{URL: "http://127.0.0.1"},
			{URL: "http://127.0.0.1.example.invalid:80"},
			{URL: "http://10.0.0.1:80"},
			{URL: "http://%zz"},
		} {
			if env, err := Environment(t.TempDir(), s, name); err == nil {
				t.Errorf("%s with %+v: %q", name, s, env)
			}
		}
	}
}

// TestEnvironmentIsEmptied: nothing of ours reaches a program, its PATH least of all.
func TestEnvironmentIsEmptied(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "somebody's")
	t.Setenv("OPENAI_API_KEY", "somebody's")
	t.Setenv("HOME", "/home/somebody's")
	t.Setenv("MY_TOKEN", "somebody's")
	path := os.Getenv("PATH")
	t.Setenv("PATH", path+":/somebody's/bin")
	s := start(t)
	for name := range programs {
		home := t.TempDir()
		env, err := Environment(home, s, name)
		if err != nil {
			t.Log(name, err) // no node here
			continue
		}
		if all := strings.Join(env, "\n"); strings.Contains(all, "somebody") || !strings.Contains(all, s.URL) && name != "codex" {
			t.Errorf("%s: %s", name, all)
		}
		for variable, want := range map[string]string{
			"HOME": home, "TMPDIR": filepath.Join(home, "tmp"), "PATH": filepath.Join(home, "bin") + ":/usr/bin:/bin",
			"HTTPS_PROXY": s.URL, "NO_PROXY": "127.0.0.1,localhost",
		} {
			if got, _ := process.Lookup(env, variable); got != want {
				t.Errorf("%s: %s=%s, want %s", name, variable, got, want)
			}
		}
	}
}

func TestInstalledLooksInTheCheckoutAlone(t *testing.T) {
	root := t.TempDir()
	for name, p := range programs {
		if path, err := Installed(root, name); err == nil {
			t.Errorf("%s: found %s in an empty folder", name, path)
		}
		if strings.HasPrefix(p.path, "/") || strings.Contains(p.path, "..") {
			t.Errorf("%s: %s is not below node_modules", name, p.path)
		}
	}
	if _, err := Installed(root, "sh"); err == nil {
		t.Error("a program that nobody pinned was found")
	}
}
