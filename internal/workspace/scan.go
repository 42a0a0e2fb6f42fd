package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"mulligan"
)

// A scan walks the workspace and remembers its entries, so that the next walk costs one stat per file. It
// does not enter folders that git ignores; a tracked file is never ignored.
type scan struct {
	dir    string
	store  *objectStore
	rules  *rules
	root   folder
	log    func(string)
	logged map[string]bool
	known  bool // a walk has been completed
	odd    oddRules
	lost   uint64 // the store's, when the content that is remembered was stored
	// lookFrom is the number of known entries from which a walk looks at them side by side first.
	lookFrom int

	// Of the present walk.
	began     int64
	round     uint64     // counts the looks at the whole tree, over all walks
	questions []question // entries that git has to be asked about
	readQueue []readTask // files to read
	aheadRoom int        // how many entries of unknown folders may still be asked about ahead
	disturbed bool       // something moved under our feet, or the rules changed
}

// A node is an entry of a folder.
type node struct {
	name    string
	kind    kind
	tracked bool
	stat    stat
	read    int64 // when its content was read
	mode    uint32
	id      oid
	sub     *folder
	stillIn uint64 // the round in which it was seen to be as it was
}

type kind uint8

const (
	unknown kind = iota // git has to be asked whether it ignores the entry
	plain               // a file
	link
	nested  // a folder
	module  // another repository that git tracks: kept by the id of its commit
	ignored // by git's rules
	odd     // a socket, a device, a repository that git does not track …: not kept
)

type folder struct {
	stat  stat
	read  int64
	nodes []*node // by name
	tree  oid
	// stored is set if tree, and empty, are those of the nodes as they are. seen is the folder's stat in the round seenIn.
	stored, empty bool
	seen          stat
	seenIn        uint64
	// refused are names that git takes for its own where the case of letters does not count: no commit has
	// them. unheld is why the folder itself could not be looked into, or "".
	refused []string
	unheld  mulligan.UnheldKind
}

type question struct {
	path string
	node *node
}

type readTask struct {
	path string
	node *node
	in   *folder
	stat stat
	full string // the whole path; "": path in the scan's folder
}

const (
	// maxDisturbed bounds how often a walk starts again because the tree has changed meanwhile.
	maxDisturbed = 20
	// maxAhead is how many entries of unknown folders are queued before it is known
	// whether git ignores the folder: enough for what an agent adds, too few to walk an
	// installation of packages.
	maxAhead = 512
)

// walkAndFlush walks the workspace, stores new content and returns the id of the tree. All objects are on
// disk when it returns.
func (s *scan) walkAndFlush(ctx context.Context) (string, error) {
	id, err := s.walkTree(ctx)
	return id, errors.Join(err, s.store.flush())
}

// walkTree is walkAndFlush without the flush, which the caller must do. The objects can be read when it returns.
func (s *scan) walkTree(ctx context.Context) (string, error) {
	s.forgetLost()
	s.store.beginBatch()
	id, err := s.walkInBatch(ctx)
	if err = errors.Join(err, s.store.endBatch()); err != nil {
		return "", err
	}
	return id, nil
}

// walkInBatch is walkTree in an open batch.
func (s *scan) walkInBatch(ctx context.Context) (string, error) {
	s.began = time.Now().UnixNano()
	for disturbed := 0; disturbed < maxDisturbed; {
		done, err := s.walkOnce(ctx)
		if err != nil {
			return "", err
		}
		if done {
			s.known = true
			id, _, err := s.storeFolder(&s.root)
			return id.String(), err
		}
		if s.disturbed {
			disturbed++
		}
	}
	return "", fmt.Errorf("%s keeps changing while it is looked at; end what is still writing there", s.dir)
}

// walkOnce walks once, and reports whether nothing is left to ask or to read again.
func (s *scan) walkOnce(ctx context.Context) (done bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, context.Cause(ctx)
	}
	if err := s.checkPresent(); err != nil {
		return false, err
	}
	if err := s.rules.refresh(ctx); err != nil {
		return false, err
	}
	s.round++
	if s.rules.changed {
		s.reclassify(&s.root, "")
		s.rules.changed = false
	} else {
		s.lookAtKnown()
	}
	s.questions, s.readQueue, s.aheadRoom, s.disturbed = s.questions[:0], s.readQueue[:0], maxAhead, false
	if err := s.visitFolder(&s.root, ""); err != nil {
		return false, err
	}
	if err := s.readQueued(ctx); err != nil {
		return false, err
	}
	if s.disturbed {
		return false, nil
	}
	if len(s.questions) == 0 {
		return true, nil
	}
	return false, s.askGit(ctx)
}

// checkPresent returns a *LostError if a folder that a walk needs is gone. Without it the walk would take
// a deleted workspace for one that changes, or fail with git's message about a missing folder.
func (s *scan) checkPresent() error {
	_, err := os.Stat(s.dir)
	switch {
	case isGone(err):
		return &LostError{What: "the workspace", Path: s.dir, Snapshots: s.store.dir}
	case !hasHead(s.rules.root.git):
		return &LostError{What: "the workspace's git folder", Path: s.rules.root.git, Snapshots: s.store.dir}
	case !hasHead(s.store.dir):
		return &LostError{What: "the snapshot repository", Path: s.store.dir}
	}
	return nil
}

// askGit asks git which of the queued entries it ignores, and sets their kinds.
func (s *scan) askGit(ctx context.Context) error {
	paths := make([]string, len(s.questions))
	for i, a := range s.questions {
		paths[i] = a.path
	}
	out, err := s.rules.listIgnored(ctx, paths)
	if err != nil {
		return err
	}
	for _, a := range s.questions {
		if !out[a.path] && !s.rules.hidden[a.path] {
			a.node.kind = kindOf(a.node.stat)
			continue
		}
		a.node.kind, a.node.sub = ignored, nil
		if a.node.name == ignoreFile {
			// A .gitignore that ignores itself still rules its folder: it is read to notice changes.
			a.node.read = 0
		}
	}
	return nil
}

// kindOf returns the kind of an entry that git does not ignore.
func kindOf(st stat) kind {
	switch {
	case st.isRegular():
		return plain
	case st.isLink():
		return link
	case st.isFolder():
		return nested
	}
	return odd
}

// reclassify resets the kinds that are known from git's answers under other rules. Those of tracked
// entries are known without asking.
func (s *scan) reclassify(f *folder, prefix string) {
	f.stored = false
	for _, n := range f.nodes {
		path := prefix + n.name
		was := n.tracked
		n.tracked = s.rules.tracksPath(path, n.stat.isFolder())
		switch {
		case n.tracked && was && n.kind != ignored && n.kind != odd:
		case n.tracked:
			n.kind = s.trackedKind(path, n.stat)
		default:
			n.kind = unknown
		}
		if (n.kind == module) != s.rules.isModule(path) {
			n.kind = unknown
		}
		if n.sub != nil {
			s.reclassify(n.sub, path+"/")
		}
	}
}

// trackedKind returns the kind of a tracked entry.
func (s *scan) trackedKind(path string, st stat) kind {
	if st.isFolder() && s.rules.isModule(path) {
		return module
	}
	return kindOf(st)
}

// logOnce logs a text, unless it was logged before.
func (s *scan) logOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !s.logged[text] {
		s.logged[text] = true
		s.log(text)
	}
}
