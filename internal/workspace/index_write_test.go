package workspace

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan/internal/process"
)

// listStats returns the index with the stat of every entry, as git has it, without what it has of its own file.
func (l *lab) listStats() string { return l.git("ls-files", "-s", "--debug") }

// installBoth makes the index that of HEAD, without git and with it, and fails unless both are equal.
func installBoth(t *testing.T, l *lab) {
	t.Helper()
	head := l.git("rev-parse", "HEAD")
	saved, err := os.ReadFile(l.path(".git/index"))
	must(t, err)
	l.Workspace.mu.Lock()
	defer l.Workspace.mu.Unlock()
	_, err = l.scan.walkAndFlush(t.Context())
	must(t, err)
	if !l.writePlainIndex(t.Context(), head) {
		t.Fatal("the index is left to git")
	}
	own := l.listStats()
	tree := l.git("write-tree")
	wantEqual(t, "the index's tree", tree, l.git("rev-parse", "HEAD^{tree}"))
	must(t, os.WriteFile(l.path(".git/index"), saved, 0o644))
	must(t, l.readTree(t.Context(), head))
	_, _ = l.Workspace.git.run(t.Context(), "update-index", "-q", "--refresh")
	if git := l.listStats(); !equalStats(own, git) {
		t.Errorf("the index has\n%s\ngit makes\n%s", own, git)
	}
}

// equalStats reports whether two lists of an index are the same. Git takes the size from a file that it has found to be
// changed, if that is not older than the index.
func equalStats(own, git string) bool {
	const taken = "  size: 0\tflags: 0"
	ours, theirs := strings.Split(own, "\n"), strings.Split(git, "\n")
	return slices.EqualFunc(ours, theirs, func(a, b string) bool {
		return a == b || b == taken && strings.HasPrefix(a, "  size: ")
	})
}

// The index of a commit is what git makes it, with the stat of every file.
func TestWriteIndexLikeGit(t *testing.T) {
	files := map[string]string{"a": "1", "b/c": "2", "b/d/e": "3", "bb": "4", "b-b": "5", "z/y/x": "6", strings.Repeat("long/", 50) + strings.Repeat("n", 250): "7"}
	for name, change := range map[string]func(l *lab){
		"nothing": func(*lab) {},
		"another commit": func(l *lab) {
			l.write("b/new", "n")
			l.remove("bb")
			l.write("a", "2")
			l.git("add", "-A")
			l.git("commit", "-q", "-m", "x")
			l.git("read-tree", "HEAD^")
		},
		"staged":                 func(l *lab) { l.write("b/d/new", "n"); l.write("a", "2"); l.git("add", "-A") },
		"changed":                func(l *lab) { l.write("a", "another") },
		"changed, as long":       func(l *lab) { l.write("a", "9") },
		"touched":                func(l *lab) { must(l.t, os.Chtimes(l.path("a"), time.Now(), time.Now().Add(-time.Hour))) },
		"deleted":                func(l *lab) { l.remove("b") },
		"a folder became a file": func(l *lab) { l.remove("b"); l.write("b", "x") },
		"a file became a folder": func(l *lab) { l.remove("a"); l.write("a/b", "x") },
		"executable":             func(l *lab) { must(l.t, os.Chmod(l.path("a"), 0o755)) },
		"old":                    func(l *lab) { l.makeOld() },
		"an index without trees": func(l *lab) { l.remove(".git/index"); l.git("read-tree", "--empty"); l.git("add", "-A") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, files)
			must(t, os.Symlink("a", l.path("link")))
			must(t, os.Chmod(l.path("bb"), 0o755))
			l.git("add", "-A")
			l.git("commit", "-q", "-m", "two")
			change(l)
			installBoth(t, l)
		})
	}
}

// makeOld sets the times of all files back, so that no git looks at their content again.
func (l *lab) makeOld() {
	l.t.Helper()
	old := time.Now().Add(-time.Hour)
	for name := range strings.SplitSeq(l.git("ls-files", "-z"), "\x00") {
		if name != "" && name != "link" {
			must(l.t, os.Chtimes(l.path(name), old, old))
		}
	}
	l.git("update-index", "-q", "--refresh")
}

// A file that changes after the index was written is found to be changed, however soon that is, and although nothing but
// its content differs.
func TestIndexHidesNoLaterChange(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.Workspace.mu.Lock()
	defer l.Workspace.mu.Unlock()
	for _, text := range []string{"2", "3", "4"} {
		l.git("checkout", "-q", "-f", "HEAD")
		at := time.Now()
		must(t, os.Chtimes(l.path("a"), at, at))
		_, err := l.scan.walkAndFlush(t.Context())
		must(t, err)
		wantEqual(t, "written", l.writePlainIndex(t.Context(), l.git("rev-parse", "HEAD")), true)
		index, err := os.Stat(l.path(".git/index"))
		must(t, err)
		wantEqual(t, "the index is younger than the file", index.ModTime().After(at), false)
		f, err := os.OpenFile(l.path("a"), os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteString(text)
		must(t, err)
		must(t, f.Close())
		must(t, os.Chtimes(l.path("a"), at, at))
		wantEqual(t, "status", l.git("status", "--porcelain"), " M a")
	}
}

// What is unusual is left to git, and the index as it was.
func TestLeaveIndexToGit(t *testing.T) {
	for name, change := range map[string]func(l *lab){
		"version 4": func(l *lab) { l.git("update-index", "--index-version", "4") },
		"untracked": func(l *lab) { l.git("update-index", "--force-untracked-cache") },
		"skipped":   func(l *lab) { l.git("update-index", "--skip-worktree", "a") },
		"assumed":   func(l *lab) { l.git("update-index", "--assume-unchanged", "a") },
		"split":     func(l *lab) { l.git("update-index", "--split-index") },
		"attributes": func(l *lab) {
			l.write("b/.gitattributes", "* text\n")
			l.git("add", "-A")
			l.git("commit", "-q", "-m", "x")
		},
		"index config": func(l *lab) { l.git("config", "index.version", "4") },
		"line ends":    func(l *lab) { l.git("config", "core.autocrlf", "true") },
		"no modes":     func(l *lab) { l.git("config", "core.fileMode", "false") },
		"shared":       func(l *lab) { l.git("config", "core.sharedRepository", "all") },
		"locked":       func(l *lab) { l.write(".git/index.lock", "") },
		"a module": func(l *lab) {
			l.git("update-index", "--add", "--cacheinfo", "160000,"+l.git("rev-parse", "HEAD")+",mod")
			l.git("commit", "-q", "-m", "x")
		},
		"gone":    func(l *lab) { l.remove(".git/index") },
		"damaged": func(l *lab) { l.damageIndex(func(data []byte) []byte { return data[:40] }) },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"a": "1", "b/c": "2"})
			l.git("config", "core.untrackedCache", "keep")
			head := l.git("rev-parse", "HEAD")
			change(l)
			l.reopen()
			before, _ := os.ReadFile(l.path(".git/index"))
			l.Workspace.mu.Lock()
			defer l.Workspace.mu.Unlock()
			_, _ = l.scan.walkAndFlush(t.Context())
			if name == "attributes" || name == "a module" {
				head = l.git("rev-parse", "HEAD")
			}
			if l.writePlainIndex(t.Context(), head) {
				t.Error("it is not left to git")
			}
			after, _ := os.ReadFile(l.path(".git/index"))
			wantEqual(t, "the index", string(after), string(before))
			wantEqual(t, "a lock is left", l.exists(".git/index.lock"), name == "locked")
		})
	}
}

// HEAD is switched as git does it, with the same line in its log.
func TestSwitchHeadLikeGit(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.git("branch", "one")
	l.git("commit", "-q", "--allow-empty", "-m", "more")
	for _, why := range []string{"mulligan: start one", "  two\n lines \tand  more "} {
		done, err := l.switchPlainHead(t.Context(), "refs/heads/one", why)
		must(t, err)
		wantEqual(t, "switched", done, true)
		own, head := l.lastHeadLog(), l.read(".git/HEAD")
		wantEqual(t, "the branch", l.git("symbolic-ref", "HEAD"), "refs/heads/one")
		l.git("symbolic-ref", "HEAD", "refs/heads/main")
		l.git("symbolic-ref", "-m", why, "HEAD", "refs/heads/one")
		wantEqual(t, "the line", own, l.lastHeadLog())
		wantEqual(t, "HEAD", head, l.read(".git/HEAD"))
		l.git("symbolic-ref", "HEAD", "refs/heads/main")
	}
}

// lastHeadLog returns the last line of HEAD's log, without its time.
func (l *lab) lastHeadLog() string {
	l.t.Helper()
	lines := strings.Split(strings.TrimSuffix(l.read(".git/logs/HEAD"), "\n"), "\n")
	before, after, _ := strings.Cut(lines[len(lines)-1], "> ")
	_, after, _ = strings.Cut(after, " ")
	return before + "> " + after
}

// HEAD is left to git where a log is not certain, and where nobody is known who would be logged.
func TestLeaveHeadToGit(t *testing.T) {
	for name, change := range map[string]func(l *lab){
		"no logs":      func(l *lab) { l.git("config", "core.logAllRefUpdates", "false") },
		"always":       func(l *lab) { l.git("config", "core.logAllRefUpdates", "always") },
		"nobody":       func(l *lab) { l.git("config", "--unset", "user.name") },
		"no such":      func(l *lab) { l.git("branch", "-D", "one") },
		"a folder":     func(l *lab) { l.remove(".git/logs/HEAD"); must(l.t, os.Mkdir(l.path(".git/logs/HEAD"), 0o700)) },
		"an odd owner": func(l *lab) { l.git("config", "core.sharedRepository", "group") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, map[string]string{"a": "1"})
			l.git("branch", "one")
			change(l)
			l.reopen()
			done, err := l.switchPlainHead(t.Context(), "refs/heads/one", "why")
			must(t, err)
			wantEqual(t, "switched", done, false)
			wantEqual(t, "HEAD", l.read(".git/HEAD"), "ref: refs/heads/main\n")
		})
	}
}

// A locked HEAD is not switched, and nothing is logged.
func TestLockedHeadStays(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	l.git("branch", "one")
	before := l.read(".git/logs/HEAD")
	l.write(".git/HEAD.lock", "")
	if _, err := l.switchPlainHead(t.Context(), "refs/heads/one", "why"); err == nil {
		t.Error("a locked HEAD was switched")
	}
	wantEqual(t, "the log", l.read(".git/logs/HEAD"), before)
	wantEqual(t, "the lock stays", l.exists(".git/HEAD.lock"), true)
}

// A whole commit without anything unusual starts one git, which moves the branch.
func TestPlainCommitStartsOneGit(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1", "b/c": "2"})
	l.settle("mulligan/x")
	first := l.snap("s/1")
	l.write("a", "2")
	l.write("b/new", "3")
	tree := l.snap("s/2")
	before := l.started.Load()
	l.done(tree, first.Head)
	wantEqual(t, "processes", l.started.Load()-before, 1)
	wantEqual(t, "status", l.git("status", "--porcelain"), "")
	if _, err := (process.Tool{Dir: l.dir, Argv: []string{"git", "diff-index", "--quiet", "HEAD"}}).Output(context.Background()); err != nil {
		t.Errorf("git takes a file for changed: %v", err)
	}
	wantEqual(t, "HEAD's log", strings.Count(l.read(".git/logs/HEAD"), "\n"), 3)
}
