package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRepositoryIsCompared damages a repository in every way that the crash matrix has to see.
func TestRepositoryIsCompared(t *testing.T) {
	base := t.TempDir()
	in := func(name string) string { return filepath.Join(base, name) }
	env := runEnv(base)
	script(t, base, env, `
mkdir -p bin home template && cd template && git init -q -b main && git config user.name A && git config user.email a@example.com
echo one >file && echo '*.ignored' >.gitignore && git add -A && git commit -q -m start && git branch other
echo two >file && mkdir folder && echo more >folder/file && git add -A && git commit -q -m second`)
	read := func(dir string) (string, []string) {
		g := gitReader{env: env, words: func(text string) string { return text }}
		g.repository(t.Context(), dir)
		return g.text.String(), g.faults
	}
	want, faults := read(in("template"))
	if len(faults) > 0 {
		t.Fatalf("faults of a whole repository: %q", faults)
	}
	cases := map[string]string{
		"nothing":                      "true",
		"HEAD detached":                "git checkout -q --detach",
		"another branch checked out":   "git checkout -q other",
		"a branch that does not exist": "git symbolic-ref HEAD refs/heads/none",
		"a branch gone":                "git branch -q -D other",
		"a branch made":                "git branch made",
		"a branch moved":               "git branch -q -f other main",
		"a ref to a tree":              "git update-ref refs/mulligan/x HEAD^{tree}",
		"a ref to a blob":              "git update-ref refs/mulligan/x HEAD:file",
		"a tag with a message":         "git tag -a -m text v1",
		"a ref to nothing":             "echo 1234567890123456789012345678901234567890 >.git/refs/heads/other",
		"a symbolic ref":               "git symbolic-ref refs/heads/other refs/heads/main",
		"a commit lost":                "git reset -q --hard HEAD~1",
		"another message":              "git commit -q --amend -m changed",
		"another author":               "git commit -q --amend --no-edit --author='B <b@example.com>'",
		"no parent":                    "git reset -q --soft $(git commit-tree -m second HEAD^{tree})",
		"a parent too many":            "git reset -q --soft $(git commit-tree -m second -p HEAD~1 -p $(git commit-tree -m second HEAD^{tree}) HEAD^{tree})",
		"a change that is staged":      "echo three >file && git add file",
		"a change that is not":         "echo three >file",
		"a new file":                   "echo new >folder/new",
		"another index":                "git read-tree HEAD~1",
		"a damaged index":              "echo damage >.git/index",
		"a missing blob":               "rm $(git rev-parse HEAD~1:file | sed 's,^..,.git/objects/&/,')",
		"a damaged blob":               "f=$(git rev-parse HEAD~1:file | sed 's,^..,.git/objects/&/,') && chmod u+w $f && echo damage >$f",
		"a missing tree":               "rm $(git rev-parse HEAD:folder | sed 's,^..,.git/objects/&/,')",
		"a missing commit":             "rm $(git rev-parse HEAD~1 | sed 's,^..,.git/objects/&/,')",
		"a damaged commit-graph":       "git commit-graph write --reachable && chmod u+w .git/objects/info/commit-graph && echo damage >.git/objects/info/commit-graph",
		"a damaged index over packs":   "git repack -q -a -d && git multi-pack-index write --no-progress && chmod u+w .git/objects/pack/multi-pack-index && echo damage >.git/objects/pack/multi-pack-index",
		"a lock":                       "touch .git/refs/heads/main.lock",
		"a worktree too many":          "git worktree add -q -b more ../more-$$",
	}
	same := map[string]bool{"nothing": true}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "repo")
			if err := os.CopyFS(dir, os.DirFS(in("template"))); err != nil {
				t.Fatal(err)
			}
			script(t, dir, env, damage)
			got, faults := read(dir)
			if found := got != want || len(faults) > 0; found == same[name] {
				t.Errorf("a difference is found: %v; faults %q, and\n%s", found, faults, lineDiff(want, got))
			}
		})
	}
}

func script(t *testing.T, dir string, env []string, text string) {
	t.Helper()
	if _, err := sh(t.Context(), dir, env, "set -e\n"+text); err != nil {
		t.Fatal(err)
	}
}
