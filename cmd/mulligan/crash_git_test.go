package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/internal/process"
)

// git returns the repository as its user sees it, the session's worktrees too, and what is wrong with it.
func (r *run) git(ctx context.Context, sessions []mulligan.Summary) (text string, faults []string) {
	g := gitReader{env: runEnv(r.dir)}
	g.repository(ctx, filepath.Join(r.dir, "proj"))
	text = g.text.String()
	if r.scenario.shared {
		text = touchedBody.ReplaceAllString(text, "")
	}
	g.text.Reset()
	for _, s := range sessions {
		if s.Dir != s.Root {
			g.status(ctx, s.Dir)
			g.file(filepath.Join(s.Dir, ".git"))
		}
	}
	return text + g.text.String(), g.faults
}

// A gitReader writes what git has, in words that do not depend on when it was made, and lists what may be in no
// repository. A git that fails is a fault too.
type gitReader struct {
	env    []string
	text   strings.Builder
	faults []string
}

// repository reads every ref but those of what was put aside after a kill, with all that is on it, HEAD, the index and
// the worktrees, and has git check the objects. It starts four processes.
func (g *gitReader) repository(ctx context.Context, dir string) {
	g.refs(ctx, dir)
	if head := g.status(ctx, dir); head == "(detached)" {
		g.fault("HEAD is detached")
	}
	g.worktrees(filepath.Join(dir, ".git", "worktrees"))
	g.text.WriteString(g.git(ctx, dir, fsckCommand(dir)...))
	g.locks(filepath.Join(dir, ".git"))
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

// refs writes the refs and the commits that each leads to.
func (g *gitReader) refs(ctx context.Context, dir string) {
	commits := map[string]commit{}
	for text := range strings.SplitSeq(g.git(ctx, dir, "log", "--all", "-z", "--format="+commitFormat), "\x00") {
		if id, c, ok := parseCommit(text); ok {
			commits[id] = c
		}
	}
	for line := range strings.Lines(g.git(ctx, dir, "for-each-ref", "--format=%(objecttype) %(objectname) %(refname) %(symref)")) {
		kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, name, _ := strings.Cut(rest, " ")
		if kind != "commit" {
			g.fault("%s is a %s, and no commit", name, kind)
		}
		if !strings.HasPrefix(name, "refs/mulligan/aside/") {
			fmt.Fprintln(&g.text, name)
			g.history(commits, map[string]int{}, id)
		}
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

// worktrees writes what git's folder of worktrees has of each: where it is, its branch, whether it is locked.
func (g *gitReader) worktrees(dir string) {
	all, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.fault("%v", err)
	}
	for _, worktree := range all {
		in := filepath.Join(dir, worktree.Name())
		fmt.Fprintln(&g.text, "worktree", worktree.Name())
		g.file(filepath.Join(in, "commondir"))
		if place := g.file(filepath.Join(in, "gitdir")); place != "" {
			if _, err := os.Stat(strings.TrimSpace(place)); err != nil {
				fmt.Fprintln(&g.text, "prunable")
			}
		}
		head, err := os.ReadFile(filepath.Join(in, "HEAD"))
		if err != nil {
			g.fault("%v", err)
		}
		if strings.HasPrefix(string(head), "ref: ") {
			g.text.Write(head)
		} else {
			fmt.Fprintln(&g.text, "detached")
		}
		if reason, err := os.ReadFile(filepath.Join(in, "locked")); err == nil {
			fmt.Fprintf(&g.text, "locked %s\n", reason)
		}
	}
}

// file writes a file that has to be there, and returns what it has.
func (g *gitReader) file(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		g.fault("%v", err)
	}
	g.text.Write(data)
	return string(data)
}

// fsckCommand returns the arguments of a git that checks every object, ref and index. Where there is no commit-graph and no
// index over packs, it does not start the processes that would look for them.
func fsckCommand(dir string) []string {
	argv := []string{"fsck", "--no-dangling", "--no-progress"}
	for _, part := range []struct{ file, off string }{
		{"info/commit-graph*", "core.commitGraph=false"},
		{"pack/multi-pack-index*", "core.multiPackIndex=false"},
	} {
		if found, _ := filepath.Glob(filepath.Join(dir, ".git", "objects", filepath.FromSlash(part.file))); len(found) == 0 {
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
