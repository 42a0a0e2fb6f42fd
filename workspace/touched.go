package workspace

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/internal/touched"
)

// How much of a change is named.
const (
	maxTop       = 5
	maxTouched   = 20
	maxExamined  = 500     // test files whose content is compared
	maxTestBytes = 1 << 20 // of a test file that is read
)

// Touched returns what differs between two trees: figures, the most changed files, the tests and the files that steer the
// checks.
func (s *Store) Touched(ctx context.Context, from, to mulligan.Tree) (t mulligan.Touched, err error) {
	if from.ID == to.ID {
		return t, nil
	}
	found, err := s.compare(ctx, from.ID, to.ID)
	if err != nil {
		return t, err
	}
	lines, err := s.countLines(ctx, from.ID, to.ID)
	if err != nil {
		return t, err
	}
	contents, err := s.readExamined(ctx, found)
	if err != nil {
		return t, err
	}
	files := make([]mulligan.TouchedFile, len(found))
	for i, d := range found {
		f := mulligan.TouchedFile{Path: text.QuotePath(d.path), Change: describeChange(d), Added: lines[d.path][0], Deleted: lines[d.path][1]}
		t.Added, t.Deleted = t.Added+f.Added, t.Deleted+f.Deleted
		files[i] = f
		nameTouched(&t, d, f, contents, i < maxExamined)
	}
	t.Files = len(files)
	slices.SortStableFunc(files, func(a, b mulligan.TouchedFile) int { return cmp.Compare(b.Added+b.Deleted, a.Added+a.Deleted) })
	t.Top = files[:min(len(files), maxTop)]
	return t, nil
}

// describeChange returns how a path differs.
func describeChange(d difference) mulligan.TouchKind {
	switch d.letter() {
	case "A":
		return mulligan.FileAdded
	case "D":
		return mulligan.FileDeleted
	}
	return mulligan.FileChanged
}

// isNamed reports whether a file is one that a reader of a green verdict wants to know of.
func isNamed(path string) bool { return touched.IsTest(path) || touched.Steers(path) }

// nameTouched adds a file to those that are named, if it is a test that is not simply new, or steers the checks.
func nameTouched(t *mulligan.Touched, d difference, f mulligan.TouchedFile, contents map[string][]byte, examine bool) {
	isTest, steers := touched.IsTest(d.path), touched.Steers(d.path)
	if !isTest && !steers {
		return
	}
	before, after := contents[d.from.id], contents[d.to.id]
	if isTest && examine && d.to != (entry{}) {
		var change mulligan.TouchKind
		change, f.Skips, f.Fewer = touched.CompareTests(string(before), string(after))
		if d.from != (entry{}) {
			f.Change = change
		}
	}
	if steers && (path.Base(d.path) != "package.json" || !examine || touched.SteersPackage(before, after)) {
		t.Steering, t.MoreSteering = nameFile(t.Steering, t.MoreSteering, f)
	}
	if isTest && (f.Change != mulligan.FileAdded || f.Skips > 0) {
		t.Tests, t.MoreTests = nameFile(t.Tests, t.MoreTests, f)
	}
}

// nameFile adds a file to a list that is bounded, or counts it among those that are not listed.
func nameFile(list []mulligan.TouchedFile, more int, f mulligan.TouchedFile) ([]mulligan.TouchedFile, int) {
	if len(list) >= maxTouched {
		return list, more + 1
	}
	return append(list, f), more
}

// countLines returns how many lines of each path were added and deleted; none of binary files.
func (s *Store) countLines(ctx context.Context, from, to string) (map[string][2]int, error) {
	out, err := s.git("").run(ctx, "diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--numstat", from, to)
	if err != nil {
		return nil, err
	}
	lines := map[string][2]int{}
	for _, line := range splitNull(out) {
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

// readExamined returns the contents of the files whose content tells something, by id.
func (s *Store) readExamined(ctx context.Context, found []difference) (map[string][]byte, error) {
	var ids []string
	for _, d := range found[:min(len(found), maxExamined)] {
		for _, e := range []entry{d.from, d.to} {
			if isNamed(d.path) && e.isFile() {
				ids = append(ids, e.id)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	small, err := s.findSmall(ctx, ids)
	if err != nil || len(small) == 0 {
		return nil, err
	}
	out, err := s.git("").feed(ctx, []byte(strings.Join(small, "\n")+"\n"), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	return parseBatch(out)
}

// findSmall returns those of the files that are small enough to be read.
func (s *Store) findSmall(ctx context.Context, ids []string) (small []string, err error) {
	out, err := s.git("").feed(ctx, []byte(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch-check=%(objectname) %(objectsize)")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		var id string
		var size int64
		if _, err := fmt.Sscan(line, &id, &size); err == nil && size <= maxTestBytes {
			small = append(small, id)
		}
	}
	return small, nil
}

// parseBatch returns the contents that git cat-file --batch has printed, by id.
func parseBatch(out []byte) (map[string][]byte, error) {
	contents := map[string][]byte{}
	r := bufio.NewReader(bytes.NewReader(out))
	for {
		head, err := r.ReadString('\n')
		if err != nil {
			return contents, nil
		}
		var id, kind string
		var size int
		if _, err := fmt.Sscan(head, &id, &kind, &size); err != nil {
			continue // one that is missing
		}
		content := make([]byte, size+1)
		if _, err := io.ReadFull(r, content); err != nil {
			return nil, err
		}
		contents[id] = content[:size]
	}
}
