package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/durable"
)

// snapshotRefs is the prefix of the refs that label snapshots in the snapshot repository.
const snapshotRefs = "refs/mulligan"

// A Snapshot is a stored state of the workspace.
type Snapshot struct {
	Label  string
	Tree   mulligan.Tree
	Branch string // the branch that HEAD named; "" if HEAD was detached
	Time   time.Time
}

// labels matches the labels that we accept, all of which git accepts in refs.
var labels = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*(/[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*)+$`)
})

// Snapshot stores the tree under the label ("SESSION/ITERATION") and returns it. It walks, unless it has walked a moment
// ago and nothing has run since. The same state under the same label again costs nothing; another state becomes the
// label's newest.
func (w *Workspace) Snapshot(ctx context.Context, label string) (mulligan.Tree, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.snapshotWalked(ctx, label, w.walkForSnapshot)
}

// snapshotLocked is Snapshot with a walk of its own. It must be called with w.mu held.
func (w *Workspace) snapshotLocked(ctx context.Context, label string) (mulligan.Tree, error) {
	return w.snapshotWalked(ctx, label, w.scan.walkTree)
}

// snapshotWalked stores the tree that walk returns. It must be called with w.mu held.
func (w *Workspace) snapshotWalked(ctx context.Context, label string, walk func(context.Context) (string, error)) (mulligan.Tree, error) {
	if !labels().MatchString(label) || strings.HasSuffix(label, ".lock") {
		return mulligan.Tree{}, fmt.Errorf("%q cannot be the label of a snapshot", label)
	}
	id, err := walk(ctx)
	if err != nil {
		return mulligan.Tree{}, fmt.Errorf("cannot snapshot the workspace: %w", err)
	}
	ref, commit, err := w.currentHead(ctx)
	if err != nil {
		return mulligan.Tree{}, err
	}
	tree := mulligan.Tree{ID: id, Head: commit}
	if w.lastTrees[label] == tree {
		return tree, w.store.flush()
	}
	if err := w.labelSnapshot(Snapshot{Label: label, Tree: tree, Branch: strings.TrimPrefix(ref, headsPrefix), Time: time.Now()}); err != nil {
		return mulligan.Tree{}, fmt.Errorf("cannot keep snapshot %s: %w", label, err)
	}
	w.lastTrees[label] = tree
	return tree, nil
}

// labelSnapshot stores the snapshot as a commit and points the label's ref at it. The commit that had the
// label before becomes its parent, and so stays reachable.
func (w *Workspace) labelSnapshot(s Snapshot) error {
	ref := path.Join(snapshotRefs, s.Label)
	before, err := readRef(w.store.dir, w.store.dir, ref)
	if err != nil {
		return err
	}
	file := filepath.Join(w.store.dir, filepath.FromSlash(ref))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if before == "" && w.newest.isStateOf(s) {
		if err := w.store.flush(); err != nil {
			return err
		}
		if os.Link(w.newest.file, file) == nil { // else that file is gone, or the file system has no links
			return nil
		}
	}
	id, err := w.store.putObject("commit", s.encodeCommit(before))
	if err != nil {
		return err
	}
	if err := w.writeLabel(file, id); err != nil {
		return err
	}
	w.newest = labelled{s, file}
	return nil
}

// writeLabel points a label's ref at a commit, when that and all that was stored before are on the disk.
func (w *Workspace) writeLabel(file string, commit oid) error {
	ref, err := durable.Prepare(file, []byte(commit.String()+"\n"))
	if err != nil {
		return err
	}
	if err := w.store.flushBeside(ref.Flush); err != nil {
		return errors.Join(err, ref.Abandon())
	}
	return ref.Place()
}

// A labelled is a snapshot and the file of its label's ref.
type labelled struct {
	Snapshot
	file string
}

// sharedFor is how long a snapshot may have the commit of another, whose time it then has too.
const sharedFor = time.Second

// isStateOf reports whether another snapshot has found the same, a moment later. Then its label can be a second name of the
// file, whose content is on the disk already: nothing has to be written but a name.
func (l labelled) isStateOf(s Snapshot) bool {
	age := s.Time.Round(0).Sub(l.Time.Round(0)) // by the wall clock, which does not stop while the machine sleeps
	return l.file != "" && l.Tree == s.Tree && l.Branch == s.Branch && age >= 0 && age < sharedFor
}

// encodeCommit returns the snapshot as a commit object.
func (s Snapshot) encodeCommit(parent string) []byte {
	var b strings.Builder
	who := fmt.Sprintf("%s %d +0000", fallbackIdentity, s.Time.Unix())
	fmt.Fprintf(&b, "tree %s\n", s.Tree.ID)
	if parent != "" {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\nsnapshot %s\n\nhead %s\nbranch %s\n", who, who, s.Label, s.Tree.Head, s.Branch)
	return []byte(b.String())
}

// Snapshots returns the snapshots of a session, or of every session if session is "", oldest first.
func (w *Workspace) Snapshots(ctx context.Context, session string) ([]Snapshot, error) {
	return listSnapshots(ctx, w.snapshots.git, path.Join(snapshotRefs, session))
}

// listSnapshots returns the snapshots of a snapshot repository whose refs match a pattern, oldest first.
func listSnapshots(ctx context.Context, g git, pattern string) ([]Snapshot, error) {
	format := "%(refname)%00%(tree)%00%(committerdate:unix)%00%(contents:body)%00"
	out, err := g.run(ctx, "for-each-ref", "--sort=committerdate", "--format="+format, pattern)
	if err != nil {
		return nil, err
	}
	var all []Snapshot
	fields := strings.Split(string(out), "\x00")
	for ; len(fields) > 4; fields = fields[4:] {
		s, err := parseSnapshot(fields)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// parseSnapshot parses the four fields of Snapshots' format.
func parseSnapshot(fields []string) (Snapshot, error) {
	label, ok := strings.CutPrefix(strings.TrimSpace(fields[0]), snapshotRefs+"/")
	seconds, err := strconv.ParseInt(fields[2], 10, 64)
	if !ok || err != nil {
		return Snapshot{}, errors.Join(fmt.Errorf("the snapshot repository has a ref that is no snapshot: %q", fields[0]), err)
	}
	s := Snapshot{Label: label, Time: time.Unix(seconds, 0), Tree: mulligan.Tree{ID: fields[1]}}
	for line := range strings.Lines(fields[3]) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "head":
			s.Tree.Head = value
		case "branch":
			s.Branch = value
		}
	}
	return s, nil
}
