package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"mulligan"
	"mulligan/gate/scope"
)

// maxWatched is the size up to which a file that git ignores is read.
const maxWatched = 1 << 20

// A watchList is what git ignores and is still compared. It is kept as a blob of the snapshot repository.
type watchList struct {
	What    mulligan.Watch `json:"what"`
	Entries []watchedEntry `json:"entries"` // sorted by path
}

// A watchedEntry is a file or link that no snapshot has.
type watchedEntry struct {
	Path   string               `json:"path"` // relative to the checkout; absolute for a file of the user's
	Reason mulligan.WatchReason `json:"reason"`
	Mode   uint32               `json:"mode"`
	ID     string               `json:"id,omitempty"`   // of its content, or of the link's target
	Size   int64                `json:"size,omitempty"` // of a file that is too large to be read
	// Real is the file inside the checkout that a link on a check's way leads to, RealID its content.
	Real     string `json:"real,omitempty"`
	RealMode uint32 `json:"real_mode,omitempty"`
	RealID   string `json:"real_id,omitempty"`
	// Outside is the file that such a link leads to if that lies elsewhere.
	Outside string `json:"outside,omitempty"`
	// Top is the folder of installed packages that a path on a check's way lies in.
	Top string `json:"top,omitempty"`
}

// WatchIgnored looks at what git ignores and the write rules still want to be left alone, stores it, and
// returns the id of the list, or "" if there is nothing. Unchanged files are not read again.
func (w *Workspace) WatchIgnored(ctx context.Context, what mulligan.Watch) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.scan.known {
		if _, err := w.scan.walkAndFlush(ctx); err != nil {
			return "", fmt.Errorf("cannot look at what git ignores: %w", err)
		}
	}
	l := watcher{w: w, what: what, seen: make(map[string]bool)}
	if err := l.visitFolder(&w.scan.root, ""); err != nil {
		return "", fmt.Errorf("cannot look at what git ignores: %w", err)
	}
	for _, file := range what.User {
		if err := l.add(file, mulligan.WatchedUser, ""); err != nil {
			return "", fmt.Errorf("cannot look at %s: %w", file, err)
		}
	}
	slices.SortFunc(l.found, func(a, b watchedEntry) int { return strings.Compare(a.Path, b.Path) })
	data, err := json.Marshal(watchList{What: what, Entries: l.found})
	if err != nil {
		return "", err
	}
	id, err := w.store.putObject("blob", data)
	return id.String(), errors.Join(err, w.store.flush())
}

// A watcher is one run of WatchIgnored.
type watcher struct {
	w     *Workspace
	what  mulligan.Watch
	seen  map[string]bool
	found []watchedEntry
}

// visitFolder looks at the ignored entries of a folder that git does not ignore, and of those below it.
func (l *watcher) visitFolder(f *folder, prefix string) error {
	for _, n := range f.nodes {
		var err error
		switch {
		case n.kind == nested && n.sub != nil:
			err = l.visitFolder(n.sub, prefix+n.name+"/")
		case n.kind == ignored:
			err = l.visitIgnored(prefix+n.name, n.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visitIgnored looks at an entry that git ignores.
func (l *watcher) visitIgnored(name, base string) error {
	st, err := lstat(l.w.fullPath(name))
	switch {
	case isGone(err):
		return nil
	case err != nil:
		return err
	case !st.isFolder():
		if reason := l.reasonFor(name, base); reason != "" {
			return l.add(name, reason, "")
		}
		return nil
	}
	if err := l.visitPackages(name, base); err != nil {
		return err
	}
	for _, file := range l.what.Files {
		if strings.HasPrefix(file, name+"/") {
			if err := l.add(file, mulligan.WatchedByRule, ""); err != nil {
				return err
			}
		}
	}
	into := slices.DeleteFunc(slices.Clone(l.what.Globs), func(glob string) bool { return !reachesInto(glob, name) })
	if len(into) == 0 {
		return nil
	}
	return l.addBelow(name, func(path string) mulligan.WatchReason {
		if scope.Match(into, path) != "" {
			return mulligan.WatchedByRule
		}
		return ""
	}, "")
}

// reasonFor returns why an ignored file is looked at, or "" if it is not.
func (l *watcher) reasonFor(name, base string) mulligan.WatchReason {
	switch {
	case slices.Contains(l.what.Files, name), scope.Match(l.what.Globs, name) != "":
		return mulligan.WatchedByRule
	case strings.HasPrefix(base, ".env"):
		return mulligan.WatchedEnv
	}
	return ""
}

// visitPackages looks at the programs of a folder of installed packages: checks find them on their way.
func (l *watcher) visitPackages(name, base string) error {
	onWay := func(string) mulligan.WatchReason { return mulligan.WatchedOnWay }
	if base == "node_modules" {
		return l.addBelow(name+"/.bin", onWay, name)
	}
	if base == "vendor" {
		return l.addBelow(name, onWay, name)
	}
	if l.isVenv(name, base) {
		return l.addBelow(name+"/bin", onWay, name)
	}
	return nil
}

// isVenv reports whether an ignored folder is an environment of Python's: by its name, or by what it has.
// Some tools write no pyvenv.cfg.
func (l *watcher) isVenv(name, base string) bool {
	if base == ".venv" || base == "venv" {
		return true
	}
	for _, sign := range []string{"pyvenv.cfg", "bin/python", "bin/python3", "bin/activate"} {
		if _, err := os.Lstat(l.w.fullPath(name + "/" + sign)); err == nil {
			return true
		}
	}
	return false
}

// addBelow adds the files and links below a folder for which there is a reason. A folder that is a link is
// not entered.
func (l *watcher) addBelow(dir string, reason func(path string) mulligan.WatchReason, top string) error {
	return filepath.WalkDir(l.w.fullPath(dir), func(full string, entry fs.DirEntry, err error) error {
		switch {
		case isGone(err) || errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		}
		rel, err := filepath.Rel(l.w.root.Dir, full)
		if err != nil {
			return err
		}
		if why := reason(filepath.ToSlash(rel)); why != "" {
			return l.add(filepath.ToSlash(rel), why, top)
		}
		return nil
	})
}

// add adds a file or link. What cannot be read, and what is neither, is left out.
func (l *watcher) add(name string, reason mulligan.WatchReason, top string) error {
	if l.seen[name] {
		return nil
	}
	l.seen[name] = true
	e := watchedEntry{Path: name, Reason: reason, Top: top}
	full := l.fullPath(name)
	ok, err := l.w.readWatched(full, &e.Mode, &e.ID, &e.Size)
	if err != nil || !ok {
		return err
	}
	if e.Mode == modeLink && reason == mulligan.WatchedOnWay {
		if err := l.addReal(full, &e); err != nil {
			return err
		}
	}
	l.found = append(l.found, e)
	return nil
}

func (l *watcher) fullPath(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return l.w.fullPath(name)
}

// addReal adds the file that a link leads to: with its content, if that lies in the checkout.
func (l *watcher) addReal(full string, e *watchedEntry) error {
	target, err := filepath.EvalSymlinks(full)
	if err != nil {
		return nil // it leads nowhere
	}
	root, err := filepath.EvalSymlinks(l.w.root.Dir)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, target)
	if err != nil || !filepath.IsLocal(rel) {
		e.Outside = target
		return nil
	}
	var size int64
	if ok, err := l.w.readWatched(target, &e.RealMode, &e.RealID, &size); err != nil || !ok {
		return err
	}
	e.Real = filepath.ToSlash(rel)
	return nil
}

// A watchedFileID is a file's content as it was last read.
type watchedFileID struct {
	stat stat
	read int64
	id   string
	lost uint64 // the store's, when the content was stored
}

// readWatched stores the content of a file, or the target of a link, and sets mode and id; or size, if the
// file is too large. It reports whether there is one. Unchanged files are not read again. It must be called
// with w.mu held.
func (w *Workspace) readWatched(full string, mode *uint32, id *string, size *int64) (bool, error) {
	st, err := lstat(full)
	switch {
	case isGone(err) || errors.Is(err, fs.ErrPermission):
		return false, nil
	case err != nil:
		return false, err
	case st.isLink():
		target, err := w.scan.storeLink(full)
		*mode, *id = modeLink, target.String()
		return err == nil, ignoreDisturbance(err)
	case !st.isRegular():
		return false, nil
	}
	if *mode = modeFile; st.isExec() {
		*mode = modeExec
	}
	if st.size > maxWatched {
		*size = st.size
		return true, nil
	}
	if had, ok := w.watched[full]; ok && had.stat == st && st.isSettled(had.read) && had.lost == w.store.lost.Load() {
		*id = had.id
		return true, nil
	}
	lost := w.store.lost.Load()
	r := w.scan.readContent(readTask{path: "", node: &node{kind: plain}, stat: st, full: full})
	if r.err != nil {
		return false, ignoreDisturbance(r.err)
	}
	*id = r.id.String()
	w.watched[full] = watchedFileID{stat: r.stat, read: r.at, id: *id, lost: lost}
	return true, nil
}

// ignoreDisturbance returns nil for an error which means that a file is not there or cannot be read.
func ignoreDisturbance(err error) error {
	if err == nil || isDisturbance(err) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// reachesInto reports whether a glob names paths in an ignored folder: its part before the first wildcard
// leads to the folder, or into it. A glob that begins with a wildcard means no installation of packages.
func reachesInto(glob, dir string) bool {
	prefix := scope.Prefix(glob)
	return prefix != "" && (prefix == dir || strings.HasPrefix(prefix, dir+"/") || strings.HasPrefix(dir, prefix+"/"))
}

// IgnoredChanges returns what differs between two lists that WatchIgnored stored, sorted by path. tree is
// the snapshot that was taken with the first: what that has was not ignored then, and is not new.
func (w *Workspace) IgnoredChanges(ctx context.Context, tree mulligan.Tree, from, to string) ([]mulligan.Change, error) {
	if from == to || from == "" || to == "" {
		return nil, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before, err := w.readWatchList(ctx, from)
	if err != nil {
		return nil, err
	}
	after, err := w.readWatchList(ctx, to)
	if err != nil {
		return nil, err
	}
	sameRules := reflect.DeepEqual(before.What, after.What)
	now := make(map[string]watchedEntry, len(after.Entries))
	for _, e := range after.Entries {
		now[e.Path] = e
	}
	var changes []mulligan.Change
	had := make(map[string]bool, len(before.Entries))
	for _, e := range before.Entries {
		had[e.Path] = true
		if kind := w.compareWatched(e, now); kind != "" {
			changes = append(changes, mulligan.Change{Path: e.Path, Kind: kind, Watched: e.Reason})
		}
	}
	for _, e := range after.Entries {
		if had[e.Path] || e.Reason == mulligan.WatchedByRule && !sameRules {
			continue // under other rules it was not looked at
		}
		known, err := w.hasPath(ctx, tree, e.Path)
		if err != nil {
			return nil, err
		}
		if !known {
			changes = append(changes, mulligan.Change{Path: e.Path, Kind: mulligan.Created, Watched: e.Reason})
		}
	}
	slices.SortFunc(changes, func(a, b mulligan.Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// compareWatched returns what was done to an entry, or "" if nothing was. An entry that only the rules of
// git show now is in the tree, and compared there.
func (w *Workspace) compareWatched(was watchedEntry, entries map[string]watchedEntry) mulligan.ChangeKind {
	now, ok := entries[was.Path]
	if !ok {
		return w.compareMissing(was)
	}
	if was.Reason == mulligan.WatchedOnWay && was.content() != "" && was.content() == now.content() {
		return "" // a link or a copy, it runs the same program
	}
	if was.Mode == modeLink && now.Mode == modeLink && was.Outside != "" && was.Outside == now.Outside {
		return "" // an environment that was made anew: another way to the same program
	}
	switch {
	case was.Mode == now.Mode && was.ID == now.ID && was.RealID == now.RealID && was.Size == now.Size:
		return ""
	case was.ID == "" || now.ID == "":
		if was.ID == "" && now.ID == "" {
			w.scan.logOnce("%s is over 1 MiB and has changed; git ignores it, so that it cannot be put back", was.Path)
			return ""
		}
		return mulligan.Edited
	case was.Mode != now.Mode && now.Mode == modeLink:
		return mulligan.BecameLink
	case was.Mode != now.Mode && was.Mode == modeLink:
		return mulligan.BecameOther
	case was.Mode != now.Mode && was.ID == now.ID && now.Mode == modeExec:
		return mulligan.MadeExecutable
	case was.Mode != now.Mode && was.ID == now.ID:
		return mulligan.MadePlain
	}
	return mulligan.Edited
}

// compareMissing returns what was done to an entry that is not looked at any more. Where it is not ignored
// now the tree has it; where all of its packages are gone nothing can be run from there.
func (w *Workspace) compareMissing(was watchedEntry) mulligan.ChangeKind {
	if !filepath.IsAbs(was.Path) {
		if n := w.scan.root.findNode(was.Path); n != nil && n.kind != ignored && n.kind != odd && n.kind != nested {
			if n.name == path.Base(was.Path) && was.ID == n.id.String() {
				return ""
			}
		}
	}
	if was.Top != "" {
		if _, err := lstat(w.fullPath(was.Top)); isGone(err) {
			return ""
		}
	}
	full := was.Path
	if !filepath.IsAbs(full) {
		full = w.fullPath(full)
	}
	if _, err := lstat(full); err == nil {
		return mulligan.BecameOther // a folder, say
	}
	return mulligan.Deleted
}

// content returns what an entry on a check's way runs, "" if that is not known.
func (e watchedEntry) content() string {
	if e.Mode == modeLink {
		return e.RealID
	}
	return e.ID
}

// readWatchList returns a list that WatchIgnored stored.
func (w *Workspace) readWatchList(ctx context.Context, id string) (l watchList, err error) {
	if _, err := parseOID(id); err != nil {
		return l, err
	}
	data, err := w.snapshots.readObject(ctx, id)
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(data, &l)
}

// hasPath reports whether a snapshot has a file or link at a path.
func (w *Workspace) hasPath(ctx context.Context, tree mulligan.Tree, name string) (bool, error) {
	if filepath.IsAbs(name) || tree.ID == "" {
		return false, nil
	}
	at := tree.ID
	parts := strings.Split(name, "/")
	for i, part := range parts {
		entries, err := w.snapshots.readEntries(ctx, at)
		if err != nil {
			return false, err
		}
		found := slices.IndexFunc(entries, func(e entry) bool { return e.name == part })
		if found < 0 {
			return false, nil
		}
		if i == len(parts)-1 {
			return true, nil
		}
		if entries[found].mode != modeFolder {
			return false, nil
		}
		at = entries[found].id
	}
	return false, nil
}
