package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

const (
	// AsidePrefix begins the names of snapshots ("SESSION/aside-1") of files that were put aside.
	AsidePrefix = mulligan.AsideLabel + "-"
	// asideRefs is the prefix of the refs ("…/SESSION/1") in the user's repository that keep commits that
	// were put aside.
	asideRefs = "refs/mulligan/aside"
)

// An Aside is something that a session has put aside, because it could not tell whose it is: the files of
// the workspace, as a snapshot, or commits, under a ref in the user's repository.
type Aside struct {
	Snapshot string // the snapshot's name, "aside-1"; "" for commits
	Ref      string // the ref that keeps commits; "" for files
	Commit   string // the last of the commits, or the one that was checked out when the files were kept
	Files    int    // how many files differ from Commit; -1 if that is not known
	Commits  int    // how many commits are on no branch; -1 if that is not known
	Subject  string // of the last of the commits
	Time     time.Time
}

// ListAside returns what a session has put aside, the files first, oldest first. dir is the session's
// checkout, snapshots its snapshot repository. It only reads, and starts nothing but git. Where the
// checkout is gone, so are the commits, and the files are not counted.
func ListAside(ctx context.Context, dir, snapshots, session string) ([]Aside, error) {
	if !mayHaveAside(dir, snapshots, session) {
		return nil, nil
	}
	l := newAsideLister(dir, snapshots)
	defer l.close()
	var (
		all []Aside
		err error
	)
	if hasHead(snapshots) {
		if all, err = l.listFiles(ctx, session); err != nil {
			return nil, fmt.Errorf("cannot list the files put aside: %w", err)
		}
	}
	if !l.found {
		return all, nil
	}
	commits, err := l.listCommits(ctx, session)
	if err != nil {
		return nil, fmt.Errorf("cannot list the commits put aside: %w", err)
	}
	return append(all, commits...), nil
}

// mayHaveAside reports whether a session may have put something aside. It starts no process: most sessions
// have not, and are asked for often.
func mayHaveAside(dir, snapshots, session string) bool {
	if hasHead(snapshots) && mayHaveRefs(snapshots, path.Join(snapshotRefs, session, AsidePrefix)) {
		return true
	}
	root, err := Find(dir)
	return err == nil && mayHaveRefs(root.common, path.Join(asideRefs, session))
}

// An asideLister lists what was put aside.
type asideLister struct {
	snapshots git
	user      git
	found     bool // there is a user's repository
	done      func()
}

// newAsideLister returns a lister for the checkout dir and its snapshot repository.
func newAsideLister(dir, snapshots string) asideLister {
	l := asideLister{snapshots: newSnapshotGit(snapshots, new(atomic.Int64))}
	if g, done, err := gitForRefs(dir); err == nil {
		l.user, l.done, l.found = g, done, true
	}
	return l
}

// close removes what the lister has made for its gits.
func (l *asideLister) close() {
	if l.done != nil {
		l.done()
	}
}

// listFiles returns the files that were put aside.
func (l *asideLister) listFiles(ctx context.Context, session string) ([]Aside, error) {
	list, err := listSnapshots(ctx, l.snapshots, path.Join(snapshotRefs, session, AsidePrefix+"*"))
	if err != nil {
		return nil, err
	}
	var all []Aside
	for _, s := range list {
		all = append(all, l.describeFiles(ctx, s))
	}
	slices.SortStableFunc(all, func(a, b Aside) int { return cmp.Compare(trailingNumber(a.Snapshot), trailingNumber(b.Snapshot)) })
	return all, nil
}

// describeFiles returns a snapshot as something that was put aside.
func (l *asideLister) describeFiles(ctx context.Context, s Snapshot) Aside {
	a := Aside{Snapshot: path.Base(s.Label), Commit: s.Tree.Head, Files: -1, Time: s.Time}
	if l.found && s.Tree.Head != "" {
		if n, err := l.countFiles(ctx, s); err == nil { // the commit may be gone: then the number is not known
			a.Files = n
		}
	}
	return a
}

// countFiles returns how many files of a snapshot differ from the commit that was checked out. Line ends do
// not count: git may have been told to convert them.
func (l *asideLister) countFiles(ctx context.Context, s Snapshot) (int, error) {
	tree, err := l.user.line(ctx, "rev-parse", "-q", "--verify", s.Tree.Head+"^{tree}")
	if err != nil {
		return 0, err
	}
	from, to := &objectReader{git: l.user}, &objectReader{git: l.snapshots}
	defer from.close()
	defer to.close()
	c := comparison{from: from, to: to, same: func(a, b entry) (bool, error) { return sameText(ctx, from, to, a, b) }}
	found, err := c.compareTrees(ctx, tree, s.Tree.ID)
	return len(found), err
}

// sameText reports whether two files have the same content but for the ends of their lines.
func sameText(ctx context.Context, from, to *objectReader, a, b entry) (bool, error) {
	if a.mode == modeModule {
		return shortLink(a.id) == b.id, nil
	}
	committed, err := from.readObject(ctx, a.id)
	if err != nil {
		return false, err
	}
	kept, err := to.readObject(ctx, b.id)
	crlf, lf := []byte("\r\n"), []byte("\n")
	return bytes.Equal(bytes.ReplaceAll(committed, crlf, lf), bytes.ReplaceAll(kept, crlf, lf)), err
}

// listCommits returns the commits that were put aside.
func (l *asideLister) listCommits(ctx context.Context, session string) ([]Aside, error) {
	format := "%(refname)%00%(objectname)%00%(committerdate:unix)%00%(contents:subject)"
	out, err := l.user.run(ctx, "for-each-ref", "--format="+format, path.Join(asideRefs, session))
	if err != nil {
		return nil, err
	}
	var all []Aside
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		if len(fields) != 4 {
			return nil, fmt.Errorf("git lists a ref as %q", line)
		}
		seconds, _ := strconv.ParseInt(fields[2], 10, 64) // a ref that is no commit has no time
		a := Aside{Ref: fields[0], Commit: fields[1], Files: -1, Commits: -1, Subject: text.OneLine(fields[3]), Time: time.Unix(seconds, 0)}
		count, err := l.user.line(ctx, "rev-list", "--count", a.Ref, "--not", "--branches")
		if n, wrong := strconv.Atoi(count); errors.Join(err, wrong) == nil {
			a.Commits = n
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b Aside) int { return cmp.Compare(trailingNumber(a.Ref), trailingNumber(b.Ref)) })
	return all, nil
}

// trailingNumber returns the number at the end of a name, or 0 if there is none.
func trailingNumber(name string) int {
	n, _ := strconv.Atoi(name[strings.LastIndexAny(name, "-/")+1:])
	return n
}
