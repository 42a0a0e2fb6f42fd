package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// V9: what an agent may write is what it works with; never settings, keys and programs of the user's.
func TestList(t *testing.T) {
	t.Parallel()
	r := Request{
		Dir: "/src/proj", Own: []string{"~/.claude/", "~/.claude.json"}, Writable: []string{"~/out", "/data", "build", "../sibling", "~/.cache/x"},
		Environ: []string{"HOME=/home/u", "TMPDIR=/scratch", "CARGO_HOME=/opt/cargo", "GOPATH=/a:/b", "GOCACHE=/gocache"},
	}
	var got []string
	for _, p := range r.List() {
		got = append(got, p.Path)
	}
	for _, want := range []string{
		"/src/proj", "/scratch", "/tmp", "/var/tmp", "/dev", "/proc", "/home/u/.claude", "/home/u/.claude.json", "/home/u/.cache", "/home/u/.npm",
		"/opt/cargo/registry", "/a/pkg", "/b/pkg", "/gocache", "/home/u/.m2/repository", "/home/u/out", "/data", "/src/sibling",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s may not be written", want)
		}
	}
	for _, never := range []string{
		"/home/u", "/home/u/.ssh", "/home/u/.bashrc", "/home/u/.gitconfig", "/home/u/.config/mulligan", "/home/u/.local/state/mulligan", "/home/u/.local/bin",
		"/opt/cargo/bin", "/opt/cargo/config.toml", "/a/bin", "/home/u/.gradle/init.d", "/home/u/.npmrc", "/home/u/.m2/settings.xml", "/etc", "/src",
	} {
		if i := slices.IndexFunc(got, func(p string) bool { return Covers(p, never) }); i >= 0 {
			t.Errorf("%s may be written by %s", never, got[i])
		}
	}
	// What lies in another path of the list is not looked up: an agent can make a link of it.
	for _, covered := range []string{"/src/proj/build", "/home/u/.cache/x", "/home/u/.cache/pip"} {
		if slices.Contains(got, covered) {
			t.Errorf("%s has an entry of its own", covered)
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

// Go reads its variables from a file too.
func TestGoCachesOfAFile(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	write(t, filepath.Join(config, "go", "env"), "GOCACHE=/from/file\nGOMODCACHE=/mod/file\n")
	r := Request{Dir: "/w", Environ: []string{"HOME=/home/u", "XDG_CONFIG_HOME=" + config, "GOMODCACHE=/mod/env"}}
	list := r.listGoCaches("/home/u")
	if want := []string{"/from/file", "/mod/env", "/home/u/go/pkg"}; !slices.Equal(list, want) {
		t.Errorf("got %q, want %q", list, want)
	}
}

// V9: of a worktree's repository the agent may write objects, refs and logs and the worktree's own entry,
// and a .git that leads elsewhere opens nothing.
func TestListGit(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	ws, common := filepath.Join(base, "ws"), filepath.Join(base, "main", ".git")
	entry := filepath.Join(common, "worktrees", "ws")
	write(t, filepath.Join(ws, ".git"), "gitdir: "+entry+"\n")
	write(t, filepath.Join(entry, "gitdir"), filepath.Join(ws, ".git")+"\n")
	other := filepath.Join(base, "other", ".git", "worktrees", "o")
	write(t, filepath.Join(other, "gitdir"), filepath.Join(base, "other", "x")+"\n")
	submodule := filepath.Join(base, "main", "sub")
	paths := func(dir string) []string {
		var list []string
		for _, p := range (Request{Dir: dir}).listGit() {
			list = append(list, strings.TrimPrefix(p.Path, base))
		}
		return list
	}
	if got, want := paths(ws), []string{
		"/main/.git/worktrees/ws", "/main/.git/objects", "/main/.git/refs", "/main/.git/logs", "/main/.git/lfs",
	}; !slices.Equal(got, want) {
		t.Errorf("a worktree: got %q", got)
	}
	for name, link := range map[string]string{
		"another's entry":  "gitdir: " + other,
		"any folder":       "gitdir: " + filepath.Join(base, "other"),
		"the home":         "gitdir: /root",
		"another's config": "gitdir: " + filepath.Join(base, "other", ".git", "modules", "x"),
		"nothing":          "",
		"no link":          "hello",
		"above":            "gitdir: ..",
		"all modules":      "gitdir: " + filepath.Join(base, ".git", "modules"),
	} {
		write(t, filepath.Join(ws, ".git"), link)
		if got := paths(ws); got != nil {
			t.Errorf("%s: got %q", name, got)
		}
	}
	write(t, filepath.Join(submodule, ".git"), "gitdir: ../.git/modules/sub\n")
	if got := paths(submodule); !slices.Equal(got, []string{"/main/.git/modules/sub"}) {
		t.Errorf("a submodule: got %q", got)
	}
}

// What does not exist cannot be allowed: folders that the program or an installed tool would make are made.
func TestMissingFoldersAreMade(t *testing.T) {
	t.Parallel()
	home, bin, ws := t.TempDir(), t.TempDir(), t.TempDir()
	for _, tool := range []string{"sh", "npm"} {
		write(t, filepath.Join(bin, tool), "#!/bin/sh\n")
		if err := os.Chmod(filepath.Join(bin, tool), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r := Request{Dir: ws, Own: []string{"~/.claude/", "~/.claude.json"}, Writable: []string{"~/never"}, Environ: []string{"HOME=" + home, "PATH=" + bin}}
	c := r.Confinement("landlock")
	names, err := os.ReadDir(home)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range names {
		got = append(got, n.Name())
	}
	if want := []string{".cache", ".claude", ".npm"}; !slices.Equal(got, want) {
		t.Errorf("the home has %q, want %q", got, want)
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
