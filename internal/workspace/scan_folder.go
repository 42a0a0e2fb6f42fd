package workspace

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mulligan"
	"mulligan/internal/text"
)

// visitFolder updates every entry of a folder. It queues new entries for askGit and changed files for
// readQueued.
func (s *scan) visitFolder(f *folder, prefix string) error {
	stored := f.stored
	f.stored = false
	st, err := f.seen, error(nil)
	if f.seenIn != s.round {
		st, err = lstat(s.fullPath(prefix))
	}
	if err == nil && !st.isFolder() {
		err = errNotFolder
	}
	if err == nil && (st != f.stat || !st.isSettled(f.read)) {
		stored = false
		err = s.listFolder(f, s.fullPath(prefix), st)
	}
	if err != nil {
		return s.handleUnlistable(f, prefix, err)
	}
	for _, n := range f.nodes {
		if s.isStill(n) {
			continue
		}
		if err := s.visitNode(f, n, prefix); err != nil {
			return err
		}
		stored = stored && n.kind == nested && n.sub.stored
	}
	f.stored = stored
	return nil
}

// visitNode brings one entry of a folder up to date. A folder that was seen already is not looked at again.
func (s *scan) visitNode(in *folder, n *node, prefix string) error {
	if n.kind == nested && n.tracked && n.sub != nil && n.sub.seenIn == s.round {
		n.stat = n.sub.seen
		return s.visitFolder(n.sub, prefix+n.name+"/")
	}
	return s.updateNode(in, n, prefix+n.name)
}

// fullPath returns the whole path of a folder in the workspace.
func (s *scan) fullPath(prefix string) string {
	return filepath.Join(s.dir, filepath.FromSlash(prefix))
}

// listFolder reads a folder's names, and keeps the nodes of those that are still there.
func (s *scan) listFolder(f *folder, full string, st stat) error {
	read := time.Now().UnixNano()
	names, err := os.ReadDir(full)
	if err != nil {
		return err
	}
	known := make(map[string]*node, len(f.nodes))
	for _, n := range f.nodes {
		known[n.name] = n
	}
	nodes := make([]*node, 0, len(names))
	f.refused, f.unheld = nil, ""
	for _, d := range names {
		if strings.EqualFold(d.Name(), gitName) {
			if d.Name() != gitName {
				f.refused = append(f.refused, d.Name())
			}
			continue
		}
		n := known[d.Name()]
		if n == nil {
			n = &node{name: d.Name()}
		} else if n.kind == ignored && n.stat.isFolder() != d.IsDir() {
			// A rule may be for folders only.
			n.kind = unknown
		}
		delete(known, d.Name())
		nodes = append(nodes, n)
	}
	if known[ignoreFile] != nil {
		s.rules.changed, s.disturbed = true, true
	}
	f.nodes, f.stat, f.read = nodes, st, read
	return nil
}

// gitName is the name of git's folder or file in a checkout.
const gitName = ".git"

// isTooLong reports whether an error means that a path is longer than the system allows.
func isTooLong(err error) bool { return errors.Is(err, syscall.ENAMETOOLONG) }

// handleUnlistable decides about a folder that cannot be listed: whether the walk starts again, leaves the
// folder out, or fails.
func (s *scan) handleUnlistable(f *folder, prefix string, err error) error {
	path := strings.TrimSuffix(prefix, "/")
	switch {
	case path == "":
		return err
	case isGone(err):
		s.disturbed = true
		return nil
	case errors.Is(err, fs.ErrPermission) && !s.rules.tracksFolder(path):
		s.logOnce("%s cannot be read and is left out of snapshots: %v", path, err)
		*f = folder{unheld: mulligan.UnheldUnreadable}
		return nil
	case isTooLong(err):
		s.logOnce("%s is longer than the system allows, and is left out of snapshots", text.Clip(path, 100))
		*f = folder{unheld: mulligan.UnheldTooLong}
		return nil
	case errors.Is(err, fs.ErrPermission) && s.openForOwner(path, 0o700):
		s.disturbed = true
		return nil
	case errors.Is(err, fs.ErrPermission):
		return &UnreadableError{Path: path, Err: err}
	}
	return err
}

// updateNode brings one entry of a folder up to date.
func (s *scan) updateNode(in *folder, n *node, path string) error {
	if n.kind == ignored && n.name != ignoreFile {
		return nil
	}
	st, err := lstat(filepath.Join(s.dir, filepath.FromSlash(path)))
	if err != nil {
		if isGone(err) {
			in.stat, s.disturbed = stat{}, true
			return nil
		}
		if isTooLong(err) {
			s.logOnce("%s is longer than the system allows, and is left out of snapshots", text.Clip(path, 100))
			in.unheld, n.kind, n.sub = mulligan.UnheldTooLong, odd, nil
			return nil
		}
		return err
	}
	s.classifyNode(n, path, st)
	switch n.kind {
	case unknown:
		return s.queueQuestion(n, path)
	case plain, link, ignored:
		s.queueIfChanged(in, n, path, st)
	case nested:
		n.stat = st
		if !n.tracked && s.skipForeign(n, path) {
			return nil
		}
		return s.visitFolder(n.sub, path+"/")
	case module:
		n.stat = st
		return s.updateModule(n, path)
	default:
	}
	return nil
}

// classifyNode sets the kind of an entry as far as it is known without asking git.
func (s *scan) classifyNode(n *node, path string, st stat) {
	switch {
	case n.kind == unknown:
		n.stat, n.tracked = st, s.rules.tracksPath(path, st.isFolder())
		if n.tracked {
			n.kind = s.trackedKind(path, st)
		}
	case n.kind == odd && st != n.stat, n.kind == odd && st.isFolder():
		n.kind, n.stat, n.read = unknown, st, 0
		s.classifyNode(n, path, st)
		return
	case n.hasChangedKind(st):
		if n.name == ignoreFile {
			s.rules.changed, s.disturbed = true, true
		}
		*n = node{name: n.name}
		s.classifyNode(n, path, st)
		return
	}
	if n.kind == odd && kindOf(st) == odd {
		s.odd.add(path)
		s.logOnce("%s is neither a file, a link nor a folder, and is left out of snapshots", path)
	}
	if n.kind == nested && n.sub == nil {
		n.sub = &folder{}
	}
}

// hasChangedKind reports whether the entry with this stat is of another kind than the node.
func (n *node) hasChangedKind(st stat) bool {
	switch n.kind {
	case plain, link, nested:
		return kindOf(st) != n.kind
	case module:
		return !st.isFolder()
	default:
		return false
	}
}

// queueQuestion queues an entry that git has to be asked about. The entries of a new folder are queued
// with it, as far as there is room.
func (s *scan) queueQuestion(n *node, path string) error {
	if s.skipForeign(n, path) {
		return nil
	}
	s.questions = append(s.questions, question{path: path, node: n})
	s.aheadRoom--
	if !n.stat.isFolder() || s.aheadRoom <= 0 {
		return nil
	}
	if n.sub == nil {
		n.sub = &folder{}
	}
	return s.visitFolder(n.sub, path+"/")
}

// skipForeign reports whether a folder is another repository that git does not track, and if so marks and
// logs that it is left out. A folder with tracked files is the workspace's own.
func (s *scan) skipForeign(n *node, path string) bool {
	if !n.stat.isFolder() || s.rules.tracksFolder(path) {
		return false
	}
	if _, ok := findGitFolder(filepath.Join(s.dir, filepath.FromSlash(path))); !ok {
		return false
	}
	s.logOnce("%s is a repository of its own, and is left out of snapshots", path)
	n.kind, n.sub = odd, nil
	return true
}

// queueIfChanged queues a file for reading if it may have changed.
func (s *scan) queueIfChanged(in *folder, n *node, path string, st stat) {
	if n.kind == ignored && !st.isRegular() {
		return
	}
	n.mode = s.modeOf(n, path, st)
	if n.read != 0 && st == n.stat && (st.isSettled(n.read) || n.read >= s.began) {
		return
	}
	s.readQueue = append(s.readQueue, readTask{path: path, node: n, in: in, stat: st})
}

// modeOf returns the mode that git would give to a file. If the file system does not store the executable
// bit, that is the index's.
func (s *scan) modeOf(n *node, path string, st stat) uint32 {
	switch {
	case n.kind == link:
		return modeLink
	case s.rules.fileMode && st.isExec(), !s.rules.fileMode && s.rules.files[path].mode == modeExec:
		return modeExec
	}
	return modeFile
}

// updateModule sets a module's id to the commit that is checked out there, or to the index's if none is.
func (s *scan) updateModule(n *node, path string) error {
	head := cmp.Or(readModuleHead(s.dir, path), s.rules.files[path].id)
	id, err := parseOID(shortLink(head))
	if err != nil {
		return err
	}
	n.mode, n.id = modeModule, id
	return nil
}

// readModuleHead returns the commit that is checked out in the module at path, or "" if none is.
func readModuleHead(dir, path string) string {
	git, ok := findGitFolder(filepath.Join(dir, filepath.FromSlash(path)))
	if !ok {
		return ""
	}
	_, commit, _ := readHead(git, commonFolder(git)) // "" if HEAD cannot be read
	return commit
}

// shortLink shortens the id of a module's commit to the length of the snapshot repository's ids.
func shortLink(commit string) string {
	return commit[:min(len(commit), 2*len(oid{}))]
}
