package workspace

import (
	"bytes"
	"context"
)

const (
	// maxCounted is how many differing files have their lines counted without git.
	maxCounted = 200
	// maxCountedFile is the size of the largest file whose lines are.
	maxCountedFile = 1 << 20
	// binaryProbe is how many bytes git looks at to tell a binary file.
	binaryProbe = 8000
)

// countPlainLines is countLines without git. It reports whether that has only one answer: every way to compare the files
// finds the same lines. It must be called with w.mu held.
func (w *Workspace) countPlainLines(ctx context.Context, found []difference) (lines map[string][2]int, ok bool, err error) {
	if len(found) > maxCounted || hasRules(w.git.folder.Frozen().Attributes) {
		return nil, false, nil
	}
	lines = make(map[string][2]int, len(found))
	for _, d := range found {
		before, ok1, err1 := w.readCounted(ctx, d.from)
		if err1 != nil || !ok1 {
			return nil, false, err1
		}
		after, ok2, err2 := w.readCounted(ctx, d.to)
		if err2 != nil || !ok2 || d.kind() == changeType {
			return nil, false, err2
		}
		added, deleted, ok := countChangedLines(before, after)
		if !ok {
			return nil, false, nil
		}
		lines[d.path] = [2]int{added, deleted}
	}
	return lines, true, nil
}

// readCounted returns the content of a file or link of a snapshot, and whether it is small enough; nothing of nil.
func (w *Workspace) readCounted(ctx context.Context, e *entry) ([]byte, bool, error) {
	if e == nil {
		return nil, true, nil
	}
	if e.mode == modeModule {
		return nil, false, nil
	}
	var b bytes.Buffer
	err := w.snapshots.copyObject(ctx, e.id, &boundedBuffer{to: &b, room: maxCountedFile})
	return b.Bytes(), b.Len() < maxCountedFile, err
}

// countChangedLines returns how many lines were added and deleted, none of binary files. ok is false if that depends on
// which lines are taken for the same.
func countChangedLines(before, after []byte) (added, deleted int, ok bool) {
	if isBinary(before) || isBinary(after) {
		return 0, 0, true
	}
	a, b := splitLines(before), splitLines(after)
	for len(a) > 0 && len(b) > 0 && bytes.Equal(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && bytes.Equal(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return len(b), len(a), true
	}
	has := make(map[string]bool, len(a))
	for _, line := range a {
		has[string(line)] = true
	}
	for _, line := range b {
		if has[string(line)] {
			return 0, 0, false
		}
	}
	return len(b), len(a), true
}

// splitLines returns the lines with their ends.
func splitLines(data []byte) [][]byte {
	if len(data) == 0 {
		return nil
	}
	lines := bytes.SplitAfter(data, []byte{'\n'})
	if len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// isBinary reports whether git takes a file for a binary one.
func isBinary(data []byte) bool {
	return bytes.IndexByte(data[:min(len(data), binaryProbe)], 0) >= 0
}
