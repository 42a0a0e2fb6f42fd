package main

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/process"
)

// git returns the person's repository as they see it, the attempts in the store, and what is wrong with either.
func (r *run) git(ctx context.Context, words func(string) string) (text string, faults []string) {
	g := gitReader{env: runEnv(r.dir), words: words}
	g.repository(ctx, filepath.Join(r.dir, "proj"))
	stores, _ := filepath.Glob(filepath.Join(r.dir, "state", "mulligan", "repositories", "*", "store.git"))
	for _, store := range stores {
		g.store(ctx, store)
	}
	return words(g.text.String()), g.faults
}

// A gitReader writes what git has, in words that do not depend on when it was made, and lists what may be in no
// repository. A git that fails is a fault too.
type gitReader struct {
	env    []string
	words  func(string) string // what refs are called in every run
	text   strings.Builder
	faults []string
}

// repository reads every ref with all that is on it, HEAD and the index, and has git check the objects. It starts four
// processes.
func (g *gitReader) repository(ctx context.Context, dir string) {
	g.refs(ctx, dir)
	if head := g.status(ctx, dir); head == "(detached)" {
		g.fault("HEAD is detached")
	}
	if _, err := os.Stat(filepath.Join(dir, ".git", "worktrees")); err == nil {
		g.fault("the repository has a worktree")
	}
	g.text.WriteString(g.git(ctx, dir, fsckCommand(filepath.Join(dir, ".git"))...))
	g.locks(filepath.Join(dir, ".git"))
}

// store reads what sessions verified and left, and has git check the objects, of attempts too.
func (g *gitReader) store(ctx context.Context, dir string) {
	g.refs(ctx, dir, "refs/sessions/*/verified", "refs/sessions/*/left")
	g.text.WriteString(g.git(ctx, dir, fsckCommand(dir)...))
	g.locks(dir)
}

func (g *gitReader) fault(format string, args ...any) {
	g.faults = append(g.faults, fmt.Sprintf(format, args...))
}

func (g *gitReader) git(ctx context.Context, dir string, argv ...string) string {
	out, err := process.Tool{Dir: dir, Env: g.env, Argv: append([]string{"git"}, argv...)}.Output(ctx)
	if err != nil {
		g.fault("%v\n%s", err, out)
	}
	return string(out)
}

// refs writes the refs whose names match a pattern, and the commits that each leads to, in the order of what they are called:
// the ids of sessions that begin in one second have none.
func (g *gitReader) refs(ctx context.Context, dir string, patterns ...string) {
	commits := map[string]commit{}
	for text := range strings.SplitSeq(g.git(ctx, dir, "log", "--all", "-z", "--format="+commitFormat), "\x00") {
		if id, c, ok := parseCommit(text); ok {
			commits[id] = c
		}
	}
	lines := slices.Collect(strings.Lines(g.git(ctx, dir, append([]string{"for-each-ref", "--format=%(objecttype) %(objectname) %(refname) %(symref)"}, patterns...)...)))
	nameOf := func(line string) string { return g.words(line[strings.Index(line, " refs/"):]) }
	slices.SortStableFunc(lines, func(a, b string) int { return cmp.Compare(nameOf(a), nameOf(b)) })
	for _, line := range lines {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, name, _ := strings.Cut(rest, " ")
		if kind != "commit" {
			g.fault("%s is a %s, and no commit", name, kind)
		}
		fmt.Fprintln(&g.text, name)
		g.history(commits, map[string]int{}, id)
	}
}

// A commit is all of one that does not depend on when it was made.
type commit struct {
	parents []string
	text    string
}

const commitFormat = "%H%n%P%ntree %T%nby %an <%ae> and %cn <%ce>%n%B"

func parseCommit(text string) (id string, c commit, ok bool) {
	id, rest, _ := strings.Cut(text, "\n")
	parents, rest, ok := strings.Cut(rest, "\n")
	return id, commit{parents: strings.Fields(parents), text: rest}, ok
}

// history writes a commit and those before it, each once; met again, a commit is named by its place.
func (g *gitReader) history(commits map[string]commit, seen map[string]int, id string) {
	if seen[id] > 0 {
		fmt.Fprintf(&g.text, "again commit %d\n", seen[id])
		return
	}
	seen[id] = len(seen) + 1
	c, known := commits[id]
	if !known {
		g.fault("commit %s cannot be read", id)
		return
	}
	fmt.Fprintf(&g.text, "%s\n%d parents\n", c.text, len(c.parents))
	for _, parent := range c.parents {
		g.history(commits, seen, parent)
	}
}

// status writes the branch that is checked out in a folder, and how the index and the files there differ from it.
func (g *gitReader) status(ctx context.Context, dir string) (head string) {
	for line := range strings.Lines(g.git(ctx, dir, "status", "--porcelain=v2", "--branch", "--untracked-files=all")) {
		if name, ok := strings.CutPrefix(line, "# branch.head "); ok {
			head = strings.TrimSpace(name)
		}
		if !strings.HasPrefix(line, "# branch.oid ") { // a commit has the time of the run
			g.text.WriteString(line)
		}
	}
	return head
}

// fsckCommand returns the arguments of a git that checks every object, ref and index. Where there is no commit-graph and no
// index over packs, it does not start the processes that would look for them.
func fsckCommand(dir string) []string {
	argv := []string{"fsck", "--no-dangling", "--no-progress"}
	for _, part := range []struct{ file, off string }{
		{"info/commit-graph*", "core.commitGraph=false"},
		{"pack/multi-pack-index*", "core.multiPackIndex=false"},
	} {
		if found, _ := filepath.Glob(filepath.Join(dir, "objects", filepath.FromSlash(part.file))); len(found) == 0 {
			argv = append([]string{"-c", part.off}, argv...)
		}
	}
	return argv
}

// locks finds the locks that a git has left in its folder.
func (g *gitReader) locks(dir string) {
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".lock" {
			g.fault("a lock is left: %s", path)
		}
		return err
	})
	if err != nil {
		g.fault("%v", err)
	}
}
