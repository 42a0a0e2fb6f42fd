package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// V9: what an agent may write is what it works with; never settings, keys, caches and programs of the user's.
func TestList(t *testing.T) {
	t.Parallel()
	r := Request{
		Dir: "/state/proj/1/workspace", Checkout: "/src/proj", Own: []string{"~/.claude/", "~/.claude.json"}, Caches: "/state/caches",
		Writable: []string{"~/out", "/data", "build", "../sibling", "/state/caches/x"},
		Keep:     []string{"/home/u", "/state"},
		Environ:  []string{"HOME=/home/u", "TMPDIR=/scratch", "CARGO_HOME=/opt/cargo", "GOPATH=/a:/b", "GOCACHE=/gocache"},
	}
	var got []string
	for _, p := range r.List() {
		got = append(got, p.Path)
	}
	for _, want := range []string{
		"/state/proj/1/workspace", "/scratch", "/tmp", "/var/tmp", "/dev", "/proc", "/home/u/.claude", "/home/u/.claude.json", "/state/caches",
		"/home/u/out", "/data", "/src/sibling",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s may not be written", want)
		}
	}
	for _, never := range []string{
		"/home/u", "/home/u/.ssh", "/home/u/.bashrc", "/home/u/.gitconfig", "/home/u/.config/mulligan", "/home/u/.local/state/mulligan", "/home/u/.local/bin",
		"/opt/cargo/bin", "/opt/cargo/registry", "/a/bin", "/a/pkg", "/gocache", "/home/u/.cache", "/home/u/.npm", "/home/u/.gradle/init.d", "/home/u/.npmrc",
		"/home/u/.m2/repository", "/home/u/.m2/settings.xml", "/etc", "/src", "/src/proj", "/src/proj/build", "/state/sessions", "/state/proj/1/sibling",
	} {
		if i := slices.IndexFunc(got, func(p string) bool { return Covers(p, never) }); i >= 0 {
			t.Errorf("%s may be written by %s", never, got[i])
		}
	}
	// What lies in another path of the list is not looked up: an agent can make a link of it.
	for _, covered := range []string{"/state/proj/1/workspace/build", "/state/caches/x"} {
		if slices.Contains(got, covered) {
			t.Errorf("%s has an entry of its own", covered)
		}
	}
}

// V9: a folder of the system's that the home, the state folder or the checkout lies in is not the agent's.
func TestListKeeps(t *testing.T) {
	t.Parallel()
	r := Request{Dir: "/dev/shm/state/ws", Keep: []string{"/tmp/home", "/dev/shm/state"}, Environ: []string{"HOME=/tmp/home", "TMPDIR=/dev/shm/state/tmp/1"}}
	for _, p := range r.List() {
		for _, never := range []string{"/tmp/home/.bashrc", "/dev/shm/state/journal"} {
			if Covers(p.Path, never) {
				t.Errorf("%s may be written by %s", never, p.Path)
			}
		}
	}
}

func TestListOfRoot(t *testing.T) {
	t.Parallel()
	for _, p := range (Request{Dir: "/w", Root: true}).List() {
		if p.Path == "/dev" || p.Path == "/proc" {
			t.Errorf("root may write %s, where the disks and the kernel's settings are", p.Path)
		}
	}
}

func TestListWithoutHome(t *testing.T) {
	t.Parallel()
	for _, p := range (Request{Dir: "/w", Own: []string{"~/.claude/"}, Writable: []string{"~"}}).List() {
		if !strings.HasPrefix(p.Path, "/") || p.Path == "/" || Covers("/w/.claude", p.Path) {
			t.Errorf("it has %q", p.Path)
		}
	}
}

// Go reads its variables from a file too, and the agents' own module cache is filled from the person's.
func TestMakeCachesOfAFile(t *testing.T) {
	t.Parallel()
	config, modules, dir := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "caches")
	write(t, filepath.Join(config, "go", "env"), "GOMODCACHE="+modules+"\nGOPROXY=https://proxy.example\n")
	if err := os.MkdirAll(filepath.Join(modules, "cache", "download"), 0o700); err != nil {
		t.Fatal(err)
	}
	env, err := MakeCaches(dir, []string{"HOME=/home/u", "XDG_CONFIG_HOME=" + config})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"GOCACHE=" + filepath.Join(dir, "go-build"), "GOMODCACHE=" + filepath.Join(dir, "go-mod"),
		"GOPROXY=file://" + filepath.ToSlash(modules) + "/cache/download,https://proxy.example",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
}

// V9: settings that lie beside a cache come along. A link that an agent put in the place of a folder leads nowhere.
func TestMakeCachesAgain(t *testing.T) {
	t.Parallel()
	home, dir, other := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(home, ".cargo", "config.toml"), "[net]\n")
	write(t, filepath.Join(other, "config.toml"), "theirs\n")
	if err := os.Symlink(other, filepath.Join(dir, "cargo")); err != nil {
		t.Fatal(err)
	}
	if _, err := MakeCaches(dir, []string{"HOME=" + home}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{filepath.Join(dir, "cargo", "config.toml"): "[net]\n", filepath.Join(other, "config.toml"): "theirs\n"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v", path, got, err)
		}
	}
}

// What does not exist cannot be allowed: the folders that an agent's program would make are made, and no others.
func TestMissingFoldersAreMade(t *testing.T) {
	t.Parallel()
	home, ws := t.TempDir(), t.TempDir()
	r := Request{Dir: ws, Own: []string{"~/.claude/", "~/.claude.json"}, Writable: []string{"~/never"}, Environ: []string{"HOME=" + home}}
	c := r.Confinement("landlock")
	names, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != 1 || names[0].Name() != ".claude" {
		t.Errorf("the home has %v", names)
	}
	for _, path := range c.Write {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		folder, path string
		want         bool
	}{
		{"/a", "/a", true},
		{"/a", "/a/b/c", true},
		{"/a/", "/a/b", true},
		{"/a", "/a/", true},
		{"/a", "/ab", false},
		{"/a", "/", false},
		{"/", "/a", true},
		{"/", "/", true},
		{"/a", "/a/../b", false},
		{"/a/../b", "/b/c", true},
		{"/a", "a", false},
		{"a", "/a", false},
		{"a", "a/b", true},
		{"/a", "/a/..b", true},
	} {
		if got := Covers(c.folder, c.path); got != c.want {
			t.Errorf("Covers(%q, %q) is %v", c.folder, c.path, got)
		}
	}
}
