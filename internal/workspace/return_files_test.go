package workspace

import (
	"context"
	"os"
	"testing"

	"mulligan"
	"mulligan/internal/process"
)

// changeAndReturn commits a change on a branch of a session's, and returns to main. It returns how many gits that took.
func changeAndReturn(t *testing.T, l *lab, change func(l *lab)) int64 {
	t.Helper()
	l.settle("mulligan/x")
	first := l.snap("s/1")
	change(l)
	tree := l.snap("s/2")
	l.done(tree, first.Head)
	l.write("stray", "not committed")
	left := l.snap("s/left")
	before := l.started.Load()
	s, err := l.Return(t.Context(), mulligan.Return{From: "mulligan/x", To: "main", Commit: first.Head, Left: left}, "s/returned", "s/aside")
	must(t, err)
	if !s.Returned || s.Stays != "" || s.Branch != "main" || s.Head != first.Head || len(s.Hidden) > 0 || len(s.Notes) > 0 {
		t.Errorf("the checkout was returned as %+v", s)
	}
	wantEqual(t, "the files", s.Tree, first.ID)
	return l.started.Load() - before
}

// wantReturned fails unless git finds the checkout as if it had checked it out itself.
func wantReturned(t *testing.T, l *lab) {
	t.Helper()
	if _, err := (process.Tool{Dir: l.dir, Argv: []string{"git", "diff-index", "--quiet", "HEAD"}}).Output(context.Background()); err != nil {
		t.Errorf("git takes a file for changed: %v", err)
	}
	l.wantClean()
	wantEqual(t, "the index's tree", l.git("write-tree"), l.git("rev-parse", "main^{tree}"))
	wantEqual(t, "HEAD", l.read(".git/HEAD"), "ref: refs/heads/main\n")
	wantEqual(t, "reflog", l.git("reflog", "-1", "--format=%gs"), "mulligan: return to main")
	l.git("fsck", "--strict")
}

// A checkout with nothing unusual is returned without git.
func TestReturnPlainFiles(t *testing.T) {
	for name, change := range map[string]func(l *lab){
		"nothing":                    func(*lab) {},
		"added":                      func(l *lab) { l.write("b/new", "n"); l.write("c/d/e", "n") },
		"changed":                    func(l *lab) { l.write("a", "2"); l.write("b/c", "1") },
		"deleted":                    func(l *lab) { l.remove("a"); l.remove("b") },
		"modes":                      func(l *lab) { must(l.t, os.Chmod(l.path("a"), 0o755)); must(l.t, os.Chmod(l.path("run"), 0o644)) },
		"a file in a folder's place": func(l *lab) { l.remove("b"); l.write("b", "file") },
		"links":                      func(l *lab) { l.remove("link"); must(l.t, os.Symlink("b", l.path("link"))) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newPlainLab(t)
			wantEqual(t, "processes", changeAndReturn(t, l, change), 0)
			wantReturned(t, l)
		})
	}
}

func newPlainLab(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, map[string]string{"a": "1", "b/c": "2", "run": "#!/bin/sh\n"})
	must(t, os.Chmod(l.path("run"), 0o755))
	must(t, os.Symlink("a", l.path("link")))
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "second")
	return l
}

// Where anything is unusual git returns the checkout, to the same end.
func TestReturnOddFilesWithGit(t *testing.T) {
	for name, test := range map[string]struct{ before, change func(l *lab) }{
		"a kind":       {func(*lab) {}, func(l *lab) { l.remove("a"); must(l.t, os.Symlink("b", l.path("a"))) }},
		"a file":       {func(*lab) {}, func(l *lab) { l.remove("a"); l.write("a/b", "file") }},
		"attributes":   {func(l *lab) { l.write(".gitattributes", "a text eol=crlf\n") }, func(l *lab) { l.write("a", "2\r\n") }},
		"new rules":    {func(*lab) {}, func(l *lab) { l.write(".gitattributes", "* -text\n"); l.write("a", "2\r\n") }},
		"version 4":    {func(l *lab) { l.git("update-index", "--index-version", "4") }, func(l *lab) { l.write("a", "2") }},
		"line ends":    {func(l *lab) { l.git("config", "core.autocrlf", "input") }, func(l *lab) { l.write("a", "2\n") }},
		"shared files": {func(l *lab) { l.git("config", "core.sharedRepository", "group") }, func(l *lab) { l.write("a", "2") }},
		"a name":       {func(l *lab) { l.write("ü", "1") }, func(l *lab) { l.write("ü", "2") }},
	} {
		t.Run(name, func(t *testing.T) {
			l := newPlainLab(t)
			test.before(l)
			l.git("add", "-A")
			l.git("commit", "-q", "--allow-empty", "-m", "third")
			l.reopen()
			if n := changeAndReturn(t, l, test.change); n == 0 {
				t.Error("it is not left to git")
			}
			wantReturned(t, l)
		})
	}
}
