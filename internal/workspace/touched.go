package workspace

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/internal/touched"
)

// How much of a change is named.
const (
	maxTop       = 5
	maxTouched   = 20
	maxExamined  = 500     // test files whose content is compared
	maxTestBytes = 1 << 20 // of a test file that is read
)

// Touched returns what differs between two snapshots: figures, the most changed files, the tests and the
// files that steer the checks. It starts nothing but git.
func (w *Workspace) Touched(ctx context.Context, from, to mulligan.Tree) (mulligan.Touched, error) {
	var t mulligan.Touched
	if from.ID == to.ID {
		return t, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found, err := w.compareSnapshots(ctx, from.ID, to.ID)
	if err != nil {
		return t, err
	}
	lines, err := w.countLines(ctx, from.ID, to.ID, found)
	if err != nil {
		return t, err
	}
	files := make([]mulligan.TouchedFile, len(found))
	for i, d := range found {
		f := mulligan.TouchedFile{Path: quotePath(d.path), Change: describeChange(d), Added: lines[d.path][0], Deleted: lines[d.path][1]}
		t.Added, t.Deleted = t.Added+f.Added, t.Deleted+f.Deleted
		files[i] = f
		if err := w.nameTouched(ctx, &t, d, f, i < maxExamined); err != nil {
			return t, err
		}
	}
	t.Files = len(files)
	slices.SortStableFunc(files, func(a, b mulligan.TouchedFile) int { return cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted) })
	t.Top = files[:min(len(files), maxTop)]
	return t, nil
}

// describeChange returns how a path differs.
func describeChange(d difference) mulligan.TouchKind {
	switch d.kind() {
	case changeAdded:
		return mulligan.FileAdded
	case changeDeleted:
		return mulligan.FileDeleted
	case changeModified, changeMode, changeType:
	}
	return mulligan.FileChanged
}

// nameTouched adds a file to those that are named, if it is a test that is not simply new, or steers the
// checks.
func (w *Workspace) nameTouched(ctx context.Context, t *mulligan.Touched, d difference, f mulligan.TouchedFile, examine bool) error {
	isTest, steers := touched.IsTest(d.path), touched.Steers(d.path)
	if !isTest && !steers {
		return nil
	}
	var before, after []byte
	if examine {
		var err error
		if before, err = w.readSmall(ctx, d.from); err == nil {
			after, err = w.readSmall(ctx, d.to)
		}
		if err != nil {
			return err
		}
	}
	if isTest && examine && d.to != nil {
		var change mulligan.TouchKind
		change, f.Skips, f.Fewer = touched.CompareTests(string(before), string(after))
		if d.from != nil {
			f.Change = change
		}
	}
	if steers && (path.Base(d.path) != "package.json" || !examine || touched.SteersPackage(before, after)) {
		t.Steering, t.MoreSteering = nameFile(t.Steering, t.MoreSteering, f)
	}
	if isTest && (f.Change != mulligan.FileAdded || f.Skips > 0) {
		t.Tests, t.MoreTests = nameFile(t.Tests, t.MoreTests, f)
	}
	return nil
}

// nameFile adds a file to a list that is bounded, or counts it among those that are not listed.
func nameFile(list []mulligan.TouchedFile, more int, f mulligan.TouchedFile) ([]mulligan.TouchedFile, int) {
	if len(list) >= maxTouched {
		return list, more + 1
	}
	return append(list, f), more
}

// readSmall returns the content of a file of a snapshot, or nil if there is none or it is large. It must be
// called with w.mu held.
func (w *Workspace) readSmall(ctx context.Context, e *entry) ([]byte, error) {
	if e == nil || e.mode != modeFile && e.mode != modeExec {
		return nil, nil
	}
	var b bytes.Buffer
	err := w.snapshots.copyObject(ctx, e.id, &boundedBuffer{to: &b, room: maxTestBytes})
	return b.Bytes(), err
}

// A boundedBuffer keeps the beginning of what is written to it.
type boundedBuffer struct {
	to   *bytes.Buffer
	room int
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), b.room)
	b.room -= n
	b.to.Write(p[:n])
	return len(p), nil
}

// countLines returns how many lines of each path were added and deleted between two trees, of which found has the
// differences; none of binary files.
func (w *Workspace) countLines(ctx context.Context, from, to string, found []difference) (map[string][2]int, error) {
	if lines, ok, err := w.countPlainLines(ctx, found); ok || err != nil {
		return lines, err
	}
	return w.askLineCounts(ctx, from, to)
}

// askLineCounts asks git for what countLines returns.
func (w *Workspace) askLineCounts(ctx context.Context, from, to string) (map[string][2]int, error) {
	g := newSnapshotGit(w.store.dir, &w.started)
	g.before, g.hold = w.git.before, w.git.hold
	out, err := g.run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--numstat", "-z", from, to, "--")
	if err != nil {
		return nil, err
	}
	lines := map[string][2]int{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		fields := strings.SplitN(line, "\t", 3)
		if len(fields) < 3 {
			continue
		}
		added, _ := strconv.Atoi(fields[0]) // "-" of a binary file
		deleted, _ := strconv.Atoi(fields[1])
		lines[fields[2]] = [2]int{added, deleted}
	}
	return lines, nil
}
