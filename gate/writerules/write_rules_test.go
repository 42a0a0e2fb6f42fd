package writerules

import (
	"slices"
	"testing"

	"mulligan"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		glob, file string
		want       bool
	}{
		{"src/**", "src/a/b.go", true},
		{"src/**", "src", true}, // a file or link in the folder's place
		{"src/**", "srcs/a", false},
		{"src", "src/a/b.go", true},
		{"src/", "src/a", true},
		{"./src", "src/a", true},
		{"*", "a", true},
		{"*", "a/b", false},
		{"*.json", "package.json", true},
		{"*.json", "a/package.json", false},
		{"**/*.test.js", "a.test.js", true},
		{"**/*.test.js", "a/b/c.test.js", true},
		{"packages/*/test", "packages/x/test/y", true},
		{"packages/*", "packages/x/y", false},
		{"src/**/*.{ts,tsx}", "src/a/b.tsx", true},
		{"src/**/*.{ts,tsx}", "src/a/b.js", false},
		{"package.json", "package.json", true},
		{"**", "a/b/.c", true},
		{"test/**", "test/.hidden/x", true},
	} {
		if got := Match([]string{"other", c.glob}, c.file) != ""; got != c.want {
			t.Errorf("%q matches %q: %v", c.glob, c.file, got)
		}
	}
}

// src/** lets an agent write what is in src, and put nothing in the place of src.
func TestAllowWriteOfAFolder(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		kind       mulligan.ChangeKind
		want       bool
	}{
		{"src/**", "src", mulligan.BecameLink, false},
		{"src/**", "src", mulligan.Created, false},
		{"{src,lib}/**", "lib", mulligan.BecameOther, false},
		{"src/**", "src", mulligan.Edited, true}, // a submodule
		{"src/**", "src/a", mulligan.BecameLink, true},
		{"src/**", "src/a/b", mulligan.Deleted, true},
		{"src/**/", "src/.a", mulligan.Created, true},
		{"src", "src", mulligan.Created, true},
		{"src", "src/a", mulligan.Created, true},
		{"**", "src", mulligan.BecameLink, true},
		{"src/**/*.go", "src/a.go", mulligan.Created, true},
	} {
		rules := mulligan.WriteCase{Rules: mulligan.WriteRules{Limited: true, AllowWrite: []string{c.glob}}}
		if got := len(Find(rules, []mulligan.Change{{Path: c.path, Kind: c.kind}})) == 0; got != c.want {
			t.Errorf("%q lets %q be %s: %v", c.glob, c.path, c.kind, got)
		}
	}
}

func TestFind(t *testing.T) {
	files := []mulligan.ProtectedFile{
		{Path: "mulligan.yaml", Role: mulligan.RoleConfig},
		{Path: "run.sh", Role: mulligan.RoleScript},
		{Path: "p.md", Role: mulligan.RolePrompt},
		{Path: "new.sh", Role: mulligan.RoleScript},
	}
	changes := []mulligan.Change{
		{Path: "mulligan.yaml", Kind: mulligan.Edited},
		{Path: "new.sh", Kind: mulligan.Created},
		{Path: "other", Kind: mulligan.Created},
		{Path: "p.md", Kind: mulligan.Deleted},
		{Path: "run.sh", Kind: mulligan.MadePlain},
		{Path: "src/a", Kind: mulligan.Edited},
		{Path: "test/a", Kind: mulligan.BecameLink},
	}
	for _, c := range []struct {
		name  string
		rules mulligan.WriteRules
		only  bool
		want  []string
	}{
		{"no file_access", mulligan.WriteRules{}, false, []string{"mulligan.yaml", "p.md", "run.sh"}},
		{"nothing may be written", mulligan.WriteRules{Limited: true}, false, []string{"mulligan.yaml", "new.sh", "other", "p.md", "run.sh", "src/a", "test/a"}},
		{"allow_write", mulligan.WriteRules{Limited: true, AllowWrite: []string{"src/**"}}, false, []string{"mulligan.yaml", "new.sh", "other", "p.md", "run.sh", "test/a"}},
		{"checks may create beside it", mulligan.WriteRules{Limited: true, AllowWrite: []string{"src/**"}, Protect: []string{"test/**"}}, true, []string{"mulligan.yaml", "p.md", "run.sh", "test/a"}},
		{"protect wins", mulligan.WriteRules{Limited: true, AllowWrite: []string{"**"}, Protect: []string{"src", "test/**"}}, false, []string{"mulligan.yaml", "p.md", "run.sh", "src/a", "test/a"}},
		{"a wildcard lifts nothing", mulligan.WriteRules{Limited: true, AllowWrite: []string{"**", "run.*"}}, false, []string{"mulligan.yaml", "p.md", "run.sh"}},
		{"a name lifts all but the config", mulligan.WriteRules{Limited: true, AllowWrite: []string{"**", "run.sh", "./p.md", "mulligan.yaml"}}, false, []string{"mulligan.yaml"}},
		{"protect wins over a name", mulligan.WriteRules{Limited: true, AllowWrite: []string{"**", "run.sh"}, Protect: []string{"*.sh"}}, false, []string{"mulligan.yaml", "new.sh", "p.md", "run.sh"}},
	} {
		var got []string
		for _, v := range Find(mulligan.WriteCase{Rules: c.rules, Files: files, ProtectedOnly: c.only}, changes) {
			got = append(got, v.Path)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", c.name, got, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, good := range []string{"src/**", "a b/*.go", "{a,b}/**", "x/..y", "[ab]c", "./src", ".env*"} {
		if wrong := Check(good); wrong != "" {
			t.Errorf("%q %s", good, wrong)
		}
	}
	for _, bad := range []string{"", " ", "/etc", "~/x", "..", "../x", "a/../b", "{..,a}/x", "[a", "{a", "!a", ".", "./"} {
		if Check(bad) == "" {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestPrefix(t *testing.T) {
	for glob, want := range map[string]string{"src/**": "src", "src/a*/b": "src", "**/x": "", "a/b": "a/b", "*.go": "", "./a/": "a"} {
		if got := Prefix(glob); got != want {
			t.Errorf("the prefix of %q is %q", glob, got)
		}
	}
}
