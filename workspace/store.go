package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mulligan"
	"mulligan/internal/gitfolder"
	"mulligan/internal/lockfile"
)

// A Store is the bare repository that mulligan has of a person's repository: a copy of its commits, and the trees and
// commits of its sessions. No agent may write it, and nothing in it is linked to what an agent may write.
type Store struct {
	dir     string
	environ []string
	hold    *os.File
	before  func(string)
	trees   sync.Map // of commits, by their ids
	// compared is the last comparison: a loop asks for the same one more than once.
	compared atomic.Pointer[comparison]
}

// The refs of a store besides the person's own.
const (
	sessionRefs = "refs/sessions/"    // SESSION/LABEL: what sessions keep
	headRef     = "refs/mulligan/now" // HEAD of the person's checkout, as it was last seen
)

// StoreOptions tell where a store is.
type StoreOptions struct {
	Dir     string   // the store; its folder is made where it is missing
	Environ []string // of the person
	// Hold is a file that each git inherits and holds open; nil: none.
	Hold *os.File
	// Before is called before each git that writes for a session, with the command's name. It may be nil.
	Before func(command string)
}

// OpenStore returns a store that is there already, or will be once it is updated.
func OpenStore(opt StoreOptions) *Store {
	return &Store{dir: opt.Dir, environ: opt.Environ, hold: opt.Hold, before: opt.Before}
}

// objects returns the folder of the store's objects.
func (s *Store) objects() string { return filepath.Join(s.dir, "objects") }

// Exists reports whether the store has been made.
func (s *Store) Exists() bool { return exists(filepath.Join(s.dir, "HEAD")) }

// git returns a git on the store. config is the file of a session's settings, "" for none.
func (s *Store) git(config string) git {
	g := newOwnGit(s.dir, config, s.environ)
	g.hold, g.before = s.hold, s.before
	return g
}

// Update makes the store have all that the person's repository has: their branches, tags, remote-tracking branches and
// HEAD. It makes the store where there is none. One process at a time does that.
func (s *Store) Update(ctx context.Context, c Checkout) error {
	if err := os.MkdirAll(filepath.Dir(s.dir), 0o700); err != nil {
		return err
	}
	lock, err := waitForLock(ctx, s.dir+".lock")
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if !s.Exists() {
		if err := s.make(ctx, c); err != nil {
			return err
		}
	}
	if err := s.borrowPartial(ctx, c); err != nil {
		return err
	}
	_, err = s.fetcher(c.Root).run(ctx, append(fetchArgs, "--prune", "--force", c.Root,
		"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+refs/remotes/*:refs/remotes/*", "+HEAD:"+headRef)...)
	if err != nil {
		return fmt.Errorf("copying %s: %w", c.Root, err)
	}
	return nil
}

// borrowPartial has the store look for objects in the person's repository too if that is a partial clone: git does not send
// any from a repository that lacks others.
func (s *Store) borrowPartial(ctx context.Context, c Checkout) error {
	if text, err := gitfolder.ReadFile(filepath.Join(c.Common, "config")); err == nil && !bytes.Contains(bytes.ToLower(text), []byte("promisor")) {
		return nil
	}
	_, err := newPersonGit(c.Root, s.environ).run(ctx, "config", "--get-regexp", `^remote\..*\.promisor$`)
	if _, failed := errors.AsType[*GitError](err); failed {
		return nil
	}
	if err != nil {
		return err
	}
	file, line := filepath.Join(s.objects(), "info", "alternates"), filepath.Join(c.Common, "objects")+"\n"
	had, err := os.ReadFile(file)
	if strings.Contains("\n"+string(had), "\n"+line) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, append(had, line...), 0o600))
}

// fetchArgs begin a fetch from the person's repository.
var fetchArgs = []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow"}

// fetcher returns a git that fetches from the person's repository to the store.
func (s *Store) fetcher(root string) git {
	g := newPersonGit(root, s.environ).with("GIT_DIR=" + s.dir)
	g.hold, g.before, g.limit = s.hold, s.before, cloneLimit
	return g
}

// make makes the store: a local clone, whose packs are hard links where the file system allows that. They never change.
func (s *Store) make(ctx context.Context, c Checkout) error {
	temp := s.dir + ".new"
	if err := os.RemoveAll(temp); err != nil {
		return err
	}
	g := newPersonGit(c.Root, s.environ).in(filepath.Dir(s.dir))
	g.hold, g.before, g.limit = s.hold, s.before, cloneLimit
	if _, err := g.run(ctx, "clone", "--quiet", "--bare", "--template=", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "uploadpack.allowAnySHA1InWant=true", "-c", "core.logAllRefUpdates=false", c.Root, temp); err != nil {
		return errors.Join(fmt.Errorf("copying %s: %w", c.Root, err), os.RemoveAll(temp))
	}
	// The remote that clone has made leads to the person's repository, by the path that it has now.
	if _, err := g.with("GIT_DIR="+temp).run(ctx, "config", "--remove-section", "remote.origin"); err != nil {
		return errors.Join(err, os.RemoveAll(temp))
	}
	return os.Rename(temp, s.dir)
}

// waitForLock takes the lock at path, as soon as another process lets go of it.
func waitForLock(ctx context.Context, path string) (*lockfile.File, error) {
	for {
		lock, err := lockfile.Lock(path)
		if _, busy := errors.AsType[*lockfile.BusyError](err); !busy {
			return lock, err
		}
		if err := sleep(ctx, lockPoll); err != nil {
			return nil, err
		}
	}
}

// Commit returns the commit that a name of the store's stands for, or "" if there is none.
func (s *Store) Commit(ctx context.Context, name string) (string, error) {
	id, err := s.git("").line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if _, failed := errors.AsType[*GitError](err); failed {
		return "", nil
	}
	return id, err
}

// TreeOf returns the tree of a commit. It keeps those of commits that are given by their full id.
func (s *Store) TreeOf(ctx context.Context, commit string) (string, error) {
	if tree, ok := s.trees.Load(commit); ok {
		return tree.(string), nil
	}
	tree, err := s.git("").line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", commit+"^{tree}")
	if err == nil && len(commit) == len(tree) && isObjectID(commit) {
		s.trees.Store(commit, tree)
	}
	return tree, err
}

// Contains reports whether a commit is in the history of another, or is that itself.
func (s *Store) Contains(ctx context.Context, head, commit string) (bool, error) {
	_, err := s.git("").run(ctx, "merge-base", "--is-ancestor", commit, head)
	if failed, ok := errors.AsType[*GitError](err); ok && strings.TrimSpace(failed.Stderr) == "" {
		return false, nil
	}
	return err == nil, err
}

// Label gives a commit, or a tree, a name below the session's refs. What has one is kept.
func (s *Store) Label(ctx context.Context, label, id string) error {
	_, err := s.git("").run(ctx, "update-ref", sessionRefs+label, id)
	return err
}

// A Kept is something that a session keeps in the store.
type Kept struct {
	Label  string // SESSION/NAME
	Commit string // "" of a tree that is kept alone
	Tree   string
	Time   time.Time
	Parent string // of the commit
}

// Name returns the label without the session.
func (k Kept) Name() string {
	_, name, _ := strings.Cut(k.Label, "/")
	return name
}

// The names under which a session keeps its last verified commit, and what killed turns had begun, with a number behind.
const (
	VerifiedLabel = "verified"
	AsidePrefix   = "aside-"
)

// List returns what a session keeps, by label, numbers in their order; of all sessions if session is "".
func (s *Store) List(ctx context.Context, session string) ([]Kept, error) {
	if !s.Exists() {
		return nil, nil
	}
	pattern := sessionRefs
	if session != "" {
		pattern += session + "/"
	}
	out, err := s.git("").run(ctx, "for-each-ref", "--sort=version:refname", "--format=%(refname) %(objectname) %(tree) %(committerdate:unix) %(parent)", pattern)
	if err != nil {
		return nil, err
	}
	var list []Kept
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		switch k := (Kept{Label: strings.TrimPrefix(fields[0], sessionRefs)}); {
		case len(fields) == 2:
			k.Tree = fields[1]
			list = append(list, k)
		case len(fields) >= 4:
			k.Commit, k.Tree = fields[1], fields[2]
			if at, err := strconv.ParseInt(fields[3], 10, 64); err == nil {
				k.Time = time.Unix(at, 0)
			}
			if len(fields) > 4 {
				k.Parent = fields[4]
			}
			list = append(list, k)
		}
	}
	return list, nil
}

// An Aside is what a killed turn had begun.
type Aside struct {
	Kept
	Files int // how many differ from the parent's
}

// ListAside returns what a session has put aside.
func (s *Store) ListAside(ctx context.Context, session string) ([]Aside, error) {
	list, err := s.List(ctx, session)
	var aside []Aside
	for _, k := range list {
		if err == nil && strings.HasPrefix(k.Name(), AsidePrefix) && k.Parent != "" {
			a := Aside{Kept: k}
			_, a.Files, err = s.Changed(ctx, mulligan.Tree{ID: k.Parent}, mulligan.Tree{ID: k.Tree}, 0)
			aside = append(aside, a)
		}
	}
	return aside, err
}

// newAside returns the first label for what a session puts aside that it has not used, or that has the commit already, which
// may be "".
func (s *Store) newAside(ctx context.Context, session, commit string) (string, error) {
	for n := 1; ; n++ {
		label := fmt.Sprintf("%s/%s%d", session, AsidePrefix, n)
		if had, err := s.Commit(ctx, sessionRefs+label); had == "" || had == commit || err != nil {
			return label, err
		}
	}
}

// KeepLeft keeps what a session has under one of its labels, which is about to be given to something else, as put aside.
func (s *Store) KeepLeft(ctx context.Context, session, name string) (Kept, error) {
	commit, err := s.Commit(ctx, sessionRefs+session+"/"+name)
	if err != nil || commit == "" {
		return Kept{}, err
	}
	label, err := s.newAside(ctx, session, commit)
	if err == nil {
		err = s.Label(ctx, label, commit)
	}
	return Kept{Label: sessionRefs + label, Commit: commit}, err
}

// ReadFolder returns the files of a folder of a commit that without, another commit, does not have, by name.
func (s *Store) ReadFolder(ctx context.Context, commit, folder, without string) (map[string][]byte, error) {
	names := func(of string) ([]string, error) {
		out, err := s.git("").run(ctx, "ls-tree", "-z", "--name-only", of+":"+folder)
		if _, failed := errors.AsType[*GitError](err); failed {
			return nil, nil
		}
		return splitNull(out), err
	}
	all, err := names(commit)
	if err != nil {
		return nil, err
	}
	had, err := names(without)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, name := range all {
		if slices.Contains(had, name) {
			continue
		}
		text, err := s.git("").run(ctx, "cat-file", "blob", commit+":"+folder+"/"+name)
		if _, failed := errors.AsType[*GitError](err); failed {
			continue // a folder
		}
		if err != nil {
			return nil, err
		}
		files[name] = text
	}
	return files, nil
}

// outlivesThinning reports whether thinning leaves something that a session keeps.
func outlivesThinning(name string) bool {
	return slices.Contains([]string{VerifiedLabel, "left", "given", "carried"}, name) || strings.HasPrefix(name, AsidePrefix) || strings.HasPrefix(name, keepPrefix)
}

// keepPrefix begins the names of trees that thinning keeps for a later run.
const keepPrefix = "keep-"

// Thin drops what a session has kept, but for what was verified, left or put aside, and the trees of keep. It reports whether
// there was anything to drop.
func (s *Store) Thin(ctx context.Context, session string, keep []string) (bool, error) {
	list, err := s.List(ctx, session)
	if err != nil {
		return false, err
	}
	var drop strings.Builder
	for _, k := range list {
		if !outlivesThinning(k.Name()) {
			fmt.Fprintf(&drop, "delete %s%s\n", sessionRefs, k.Label)
		}
	}
	if drop.Len() == 0 {
		return false, nil
	}
	for _, tree := range keep {
		fmt.Fprintf(&drop, "update %s%s/%s%s %s\n", sessionRefs, session, keepPrefix, tree, tree)
	}
	_, err = s.git("").feed(ctx, []byte(drop.String()), "update-ref", "--stdin")
	return true, err
}
