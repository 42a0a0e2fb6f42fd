package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"unicode"

	"mulligan/internal/escape"
	"mulligan/internal/gitfolder"
	"mulligan/internal/text"
)

// A Diff is how a working tree differs from a commit.
type Diff struct {
	// Base is the commit that the tree is compared with, or "" if the repository has none.
	Base string
	// Paths are all the paths that differ, as "A path", "M path", "D path" and "T path", quoted as in
	// Changed.
	Paths []string
	// Text has a list of the paths first, then their patches, as far as there is room.
	Text string
	// Cut reports whether something is missing from Text.
	Cut bool
}

// HeadCommit returns the commit of HEAD in the checkout that holds dir, or "" if there is none yet. It
// starts a process only where the refs are not files.
func HeadCommit(ctx context.Context, dir string) (string, error) {
	root, err := Find(dir)
	if err != nil {
		return "", err
	}
	w := &Workspace{root: root, refs: newLiveGit(root, new(atomic.Int64))}
	_, commit, err := w.currentHead(ctx)
	if err == nil && commit != "" && !isObjectID(commit) {
		_, commit, err = w.askGitForHead(ctx)
	}
	return commit, err
}

// isObjectID reports whether s is the whole id of an object.
func isObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// maxDiffed is the size up to which a file's patch is shown.
const maxDiffed = 16 << 20

// A treeDiffer compares a working tree with a commit. Git works on a copy of the index and writes
// objects to a scratch folder, so that nothing of the person's changes, and an agent can go on
// working in the tree.
type treeDiffer struct {
	root    Root
	git     git // with the scratch folder's index and objects
	base    string
	scratch string
	notes   []string     // what cannot be shown, by path
	changes []treeChange // by path
}

// A treeChange is a path that differs.
type treeChange struct {
	letter  string
	path    string
	exclude bool // its patch cannot be made
}

// WorkingDiff returns how the working tree that holds dir differs from a commit (since, or HEAD if it
// is ""; from an empty tree if there is no commit yet). New files that git does not ignore are part of
// it. Text has at most limit characters, divided among the files, so that a huge one does not hide the
// others. Changes inside of submodules are not part of it, only other commits of them.
//
// It changes nothing, and starts no hook and none of the programs that are set up for diffs. A
// *GoneError means that there is no such commit.
func WorkingDiff(ctx context.Context, dir, since string, limit int) (d Diff, err error) {
	root, err := Find(dir)
	if err != nil {
		return Diff{}, err
	}
	scratch, err := os.MkdirTemp("", "mulligan-diff-")
	if err != nil {
		return Diff{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	objects := filepath.Join(scratch, "objects")
	if err := os.Mkdir(objects, 0o700); err != nil {
		return Diff{}, err
	}
	t := &treeDiffer{root: root, scratch: scratch, base: since}
	g, done, err := gitForTree(ctx, root, root.Dir)
	if err != nil {
		return Diff{}, err
	}
	defer done()
	t.git = g.withEnv(
		"GIT_INDEX_FILE="+filepath.Join(scratch, "index"), "GIT_OBJECT_DIRECTORY="+objects,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteForGit(filepath.Join(root.common, "objects")))
	if t.base == "" {
		if t.base, err = HeadCommit(ctx, root.Dir); err != nil {
			return Diff{}, err
		}
	} else if err := (&Differ{git: t.git}).require(ctx, since); err != nil {
		return Diff{}, err
	}
	d.Base = t.base
	if t.base == "" {
		if t.base, err = t.git.line(ctx, "hash-object", "-w", "-t", "tree", os.DevNull); err != nil {
			return Diff{}, err
		}
	}
	if err := t.prepareIndex(ctx); err != nil {
		return Diff{}, err
	}
	if err := t.listChanges(ctx); err != nil {
		return Diff{}, err
	}
	patches, err := t.readPatches(ctx, limit)
	if err != nil {
		return Diff{}, err
	}
	d.Paths = t.describePaths()
	d.Text, d.Cut = t.compose(patches, limit)
	return d, nil
}

// prepareIndex makes the scratch index: a copy of the person's, in which no flag hides a file, with the
// new files added. An index that cannot be used is replaced by that of the commit.
func (t *treeDiffer) prepareIndex(ctx context.Context) error {
	err := copyIndex(filepath.Join(t.root.git, "index"), filepath.Join(t.scratch, "index"))
	if err == nil {
		err = t.unhideFiles(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_ = os.Remove(filepath.Join(t.scratch, "index")) // read-tree reports it if it is still there
		if _, err := t.git.run(ctx, "read-tree", t.base); err != nil {
			return err
		}
	}
	return t.addNewFiles(ctx)
}

// copyIndex copies git's index with its time: by that git knows which files it has to read.
func copyIndex(from, to string) error {
	in, err := gitfolder.OpenFile(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, st.ModTime(), st.ModTime())
}

// unhideFiles takes off the flags of files that git is to believe unchanged. In a sparse checkout
// files that are left out keep theirs.
func (t *treeDiffer) unhideFiles(ctx context.Context) error {
	out, err := t.git.run(ctx, "ls-files", "-z", "-s", "-v")
	if err != nil {
		return err
	}
	files, err := parseIndex(out)
	if err != nil {
		return err
	}
	sparse := t.git.folder.Frozen().Config.Bool("core.sparsecheckout", false)
	var assumed, skipped strings.Builder
	for path, f := range files {
		if f.assume {
			assumed.WriteString(path + "\x00")
		}
		if f.hidden && !sparse {
			skipped.WriteString(path + "\x00")
		}
	}
	for flag, paths := range map[string]string{"--no-assume-unchanged": assumed.String(), "--no-skip-worktree": skipped.String()} {
		if paths == "" {
			continue
		}
		if _, err := t.git.runWithInput(ctx, []byte(paths), "update-index", "-z", flag, "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// addNewFiles adds the files that git neither tracks nor ignores to the scratch index, as empty ones:
// git then compares what is in the tree.
func (t *treeDiffer) addNewFiles(ctx context.Context) error {
	out, err := t.git.run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	if len(out) == 0 {
		return nil
	}
	empty, err := t.git.line(ctx, "hash-object", "-t", "blob", os.DevNull)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if strings.HasSuffix(path, "/") {
			t.notes = append(t.notes, quotePath(path)+" is a repository of its own and is not shown")
			continue
		}
		fmt.Fprintf(&lines, "100644 %s\t%s\x00", empty, path)
	}
	if lines.Len() == 0 {
		return nil
	}
	_, err = t.git.runWithInput(ctx, []byte(lines.String()), "update-index", "-z", "--index-info")
	return err
}

// diffArgs returns a diff against the base. It never looks into submodules, where git would run with
// their own config.
func (t *treeDiffer) diffArgs(args ...string) []string {
	all := []string{
		"-c", "core.quotePath=true", "-c", "diff.orderFile=" + os.DevNull, "-c", "diff.suppressBlankEmpty=false",
		"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=dirty", "--submodule=short",
	}
	return append(append(all, args...), t.base, "--")
}

// listChanges finds the paths that differ.
func (t *treeDiffer) listChanges(ctx context.Context) error {
	out, err := t.git.run(ctx, t.diffArgs("--name-status", "-z")...)
	if err != nil {
		return err
	}
	words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(words); i += 2 {
		if words[i] == "U" { // unmerged: the path comes again
			continue
		}
		c := treeChange{letter: words[i], path: words[i+1]}
		if why := t.whyUnshown(c); why != "" {
			c.exclude = true
			t.notes = append(t.notes, quotePath(c.path)+" "+why)
		}
		t.changes = append(t.changes, c)
	}
	return nil
}

// whyUnshown returns why the patch of a path cannot be made, or "" if it can.
func (t *treeDiffer) whyUnshown(c treeChange) string {
	full := filepath.Join(t.root.Dir, filepath.FromSlash(c.path))
	st, err := os.Lstat(full)
	if err != nil || !st.Mode().IsRegular() {
		return ""
	}
	if st.Size() > maxDiffed {
		return fmt.Sprintf("has %d MB and is not shown", st.Size()>>20)
	}
	f, err := os.OpenFile(full, openFlags, 0)
	if err != nil {
		return "cannot be read"
	}
	f.Close()
	return ""
}

// describePaths returns the changes as Diff.Paths has them.
func (t *treeDiffer) describePaths() []string {
	paths := make([]string, len(t.changes))
	for i, c := range t.changes {
		paths[i] = c.letter + " " + quotePath(c.path)
	}
	return paths
}

// cleanPatch returns a patch as valid text without escape sequences and control characters.
func cleanPatch(p string) string {
	var b strings.Builder
	b.Grow(len(p))
	var escapes escape.Parser
	for _, r := range p {
		if escapes.Next(r) == escape.Text && (r == '\n' || r == '\t' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// describeCount returns the first line of a diff's text.
func (t *treeDiffer) describeCount() string {
	return fmt.Sprintf("%s changed since %.10s:\n", text.Count(len(t.changes), "file"), t.base)
}
