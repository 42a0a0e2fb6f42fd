package workspace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/process"
)

// gitsOwn is the tree that `git add -A` would make of the workspace.
func (l *lab) gitsOwn() string {
	l.t.Helper()
	index := filepath.Join(l.t.TempDir(), "index")
	data, err := os.ReadFile(l.path(".git/index"))
	must(l.t, err)
	must(l.t, os.WriteFile(index, data, 0o600))
	// An index that is older than all files has git look at their content.
	must(l.t, os.Chtimes(index, time.Unix(1, 0), time.Unix(1, 0)))
	env := append(os.Environ(), "GIT_INDEX_FILE="+index)
	for _, args := range [][]string{{"git", "update-index", "--really-refresh", "-q"}, {"git", "add", "-A"}, {"git", "write-tree"}} {
		data, err = process.Tool{Dir: l.dir, Env: env, Argv: args}.Output(l.t.Context())
		if args[1] != "update-index" { // which says by its exit that files differ
			must(l.t, err)
		}
	}
	return strings.TrimSpace(string(data))
}

// mischief does something that an agent might.
func (l *lab) mischief(r *rand.Rand) string {
	names := []string{"a", "b", "c.log", "d", "sub"}
	path := names[r.IntN(len(names))]
	for range r.IntN(3) {
		path += "/" + names[r.IntN(len(names))]
	}
	clear := func() {
		// Whatever stands where a folder is needed, or at the path itself, goes.
		for _, dir := range append(parentFolders(path), path) {
			if st, err := os.Lstat(l.path(dir)); err == nil && (!st.IsDir() || dir == path) {
				l.remove(dir)
			}
		}
		must(l.t, os.MkdirAll(filepath.Dir(l.path(path)), 0o755))
	}
	switch r.IntN(10) {
	case 0, 1, 2:
		clear()
		l.write(path, fmt.Sprint(r.IntN(20)))
		return "write " + path
	case 3, 4:
		_ = os.RemoveAll(l.path(path)) // a file may stand where its folder would be
		return "remove " + path
	case 5:
		clear()
		must(l.t, os.Symlink(fmt.Sprintf("target-%d", r.IntN(3)), l.path(path)))
		return "link " + path
	case 6:
		clear()
		l.write(path, "run")
		must(l.t, os.Chmod(l.path(path), 0o755))
		return "exec " + path
	case 7:
		rules := []string{"*.log\n", "d/\n", "", "sub\n!a\n", "*\n!b\n"}
		dir := ""
		if st, err := os.Lstat(l.path("sub")); err == nil && st.IsDir() && r.IntN(2) == 0 {
			dir = "sub/"
		}
		l.write(dir+".gitignore", rules[r.IntN(len(rules))])
		return "rules " + dir
	case 8:
		l.git("add", "-A")
		return "add"
	default:
		l.git("commit", "-q", "--allow-empty", "-am", "agent")
		return "commit"
	}
}

// ancestor is a commit some steps back, as far as there are any.
func (l *lab) ancestor(commit string, steps int) string {
	line := strings.Fields(l.git("rev-list", "--first-parent", commit))
	return line[min(steps, len(line)-1)]
}

// What a snapshot keeps is what git itself would add, whatever has been done, and restore
// brings any of them back.
func TestRandomWalk(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 15
	}
	for seed := range uint64(2) {
		r := rand.New(rand.NewPCG(seed, 1))
		l := newLab(t, map[string]string{"a": "1", "sub/b": "1", ".gitignore": "*.log\n", "d/c.log": "1"})
		var trees []mulligan.Tree
		var did []string
		for i := range rounds {
			for range 1 + r.IntN(4) {
				did = append(did, l.mischief(r))
			}
			tree := l.snap(fmt.Sprintf("s/%d", i))
			if own := l.gitsOwn(); own != tree.ID {
				t.Fatalf("seed %d: after %q the snapshot is\n%s\nand git has\n%s", seed, did, strings.Join(l.files(tree), "\n"), l.git("ls-tree", "-r", own))
			}
			if tree.Head != "" && r.IntN(4) == 0 {
				did = append(did, "done")
				id := l.done(tree, l.ancestor(tree.Head, r.IntN(3)))
				wantEqual(t, "the tree of the commit", l.git("rev-parse", id+"^{tree}"), tree.ID)
				l.wantClean()
			}
			if trees = append(trees, tree); r.IntN(4) == 0 {
				did = append(did, "restore")
				to := trees[r.IntN(len(trees))]
				must(t, l.Restore(t.Context(), to, fmt.Sprintf("s/before-restore-%d", i)))
				wantEqual(t, "the tree after restore", l.snap(fmt.Sprintf("s/%d", i)).ID, to.ID)
			}
		}
		l.kept("fsck", "--strict", "--full")
	}
}

// A walk while something is writing ends, and the one after it is right.
func TestSnapshotWhileWriting(t *testing.T) {
	l := newLab(t, map[string]string{"a": "1"})
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			dir := l.path(fmt.Sprintf("t%d", i%7))
			_ = os.Mkdir(dir, 0o755)
			_ = os.WriteFile(filepath.Join(dir, fmt.Sprint(i%11)), []byte(strings.Repeat("x", i%5000)), 0o644)
			if i%5 == 0 {
				_ = os.RemoveAll(dir)
			}
		}
	})
	for range 10 {
		l.ForgetWalk()
		if _, err := l.Snapshot(t.Context(), "s/1"); err != nil && !strings.Contains(err.Error(), "keeps changing") {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	wantEqual(t, "tree", l.snap("s/2").ID, l.gitsOwn())
}
