// Package workspace keeps three places apart: the person's checkout, which it only reads; the workspace, a clone in which an
// agent works; and the proof, a second clone, which no agent can write, in which checks run. A bare repository of
// mulligan's own, the store, has the commits of all of them. It uses plain git for everything.
package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"mulligan"
	"mulligan/internal/gitfolder"
)

// A Site is what one session has of its repository: a slot with its workspace and its proof, over the store. Both are
// caches of commits: where they are gone or damaged they are made anew. It is not safe for concurrent use.
type Site struct {
	mu            sync.Mutex // of head and last
	store         *Store
	slot          string // the folder of the slot
	checkout      Checkout
	branch        string // of the session
	frozen        *gitfolder.Frozen
	settings      gitfolder.Settings // of the session's start
	filterRunner  FilterRunner       // runs a git that has the filters
	personObjects string             // a folder beside which git-lfs finds the person's large files
	maxFile       int64
	modules       []module // the submodules that the person has
	head          string   // the last commit of the session's work; candidates are on top of it
	last          candidate
	missing       *[]string // what fillIdentity has found
	environ       []string
	Workspace     *Workspace
	Proof         *Proof
}

// SiteOptions are what a site is made of.
type SiteOptions struct {
	Store    *Store
	Slot     string // the folder of the slot, which this process has locked
	Checkout Checkout
	Branch   string // of the session, without refs/heads/
	Head     string // the commit that the session is at
	Environ  []string
	MaxFile  int64 // the size of the largest file that is committed; 0: DefaultMaxFile
	Filters  FilterRunner
}

// OpenSite returns the site of a session. The clones are made, or brought to the session's commit, by Prepare.
func OpenSite(ctx context.Context, opt SiteOptions) (*Site, error) {
	s := &Site{
		store: opt.Store, slot: opt.Slot, checkout: opt.Checkout, branch: opt.Branch, head: opt.Head, environ: opt.Environ,
		filterRunner: opt.Filters, maxFile: cmp.Or(opt.MaxFile, DefaultMaxFile),
	}
	if err := s.freeze(ctx); err != nil {
		return nil, err
	}
	if err := s.openModules(ctx); err != nil {
		return nil, err
	}
	s.Workspace = &Workspace{site: s, clone: s.newClone(WorkspaceIn(s.slot), filepath.Join(settingsIn(s.slot), "workspace.index"))}
	s.Workspace.clone.ownIndex = filepath.Join(s.Workspace.Dir(), ".git", "index")
	s.Proof = &Proof{site: s, clone: s.newClone(ProofIn(s.slot), filepath.Join(settingsIn(s.slot), "proof.index"))}
	s.Proof.clone.isProof = true
	return s, nil
}

// freeze writes git's settings of now for the gits of the site.
func (s *Site) freeze(ctx context.Context) (err error) {
	if s.frozen, err = s.checkout.freeze(ctx, s.environ); err != nil {
		return err
	}
	var failed []error
	for _, e := range s.frozen.AddPrograms(s.checkout.Root) {
		failed = append(failed, e)
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if !hasFilters(s.frozen) {
		s.filterRunner = nil
	}
	if s.settings, err = s.frozen.WriteSettings(settingsIn(s.slot)); err != nil {
		return err
	}
	return errors.Join(s.writeSparse(), s.linkLargeFiles())
}

// newClone returns a clone of the site's repository that is in a folder and has its index in a file.
func (s *Site) newClone(dir, index string) *clone {
	c := &clone{
		site: s, dir: dir, index: index, maxFile: s.maxFile, filters: s.filterRunner, pipes: &pipeWatch{dir: dir},
		git: s.git().in(dir).with("GIT_WORK_TREE="+dir, "GIT_INDEX_FILE="+index),
	}
	// Without patterns that has git see files again that were left out before.
	c.git.options = append(slices.Clone(c.git.options), "-c", "core.sparseCheckout=true")
	if s.isSparse() {
		c.git = c.git.with("GIT_DIR="+s.sparseGit(), "GIT_COMMON_DIR="+s.store.dir)
	}
	c.git.watch = c.pipes.start
	return c
}

// git returns a git on the store, with the settings of the session's start. It starts no filter.
func (s *Site) git() git { return s.store.git(s.settings.Unfiltered) }

// Head returns the last commit of the session's work.
func (s *Site) Head() string { return s.head }

// SetHead makes a commit the one that candidates are on top of.
func (s *Site) SetHead(commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.head = commit
}

// commitOf returns the commit that stands for a tree in a proof, which may be made while the workspace is taken.
func (s *Site) commitOf(to mulligan.Tree) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.commit != "" && (s.last.tree == to.ID || to.Head == "") {
		return s.last.commit
	}
	return cmp.Or(to.Head, s.head)
}

// Store returns the store of the session's repository.
func (s *Site) Store() *Store { return s.store }

// makeGitFolder makes the git folder of a clone anew: one that has all refs of the person's repository, their remotes,
// and the store's objects as alternates. HEAD is on the session's branch. No process may work in the clone.
func (s *Site) makeGitFolder(ctx context.Context, gitDir string) error {
	if err := os.RemoveAll(gitDir); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(gitDir), 0o700); err != nil {
		return err
	}
	g := newOwnGit(gitDir, "", s.environ).in(filepath.Dir(gitDir))
	g.hold = s.store.hold
	if _, err := g.run(ctx, "init", "--quiet", "--bare", "--template=", "--object-format="+s.checkout.Format, gitDir); err != nil {
		return err
	}
	alternates := filepath.Join(gitDir, "objects", "info", "alternates")
	if err := os.MkdirAll(filepath.Dir(alternates), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(alternates, []byte(s.store.objects()+"\n"), 0o600); err != nil {
		return err
	}
	if _, err := g.run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--update-shallow", s.store.dir,
		"+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+refs/remotes/*:refs/remotes/*"); err != nil {
		return err
	}
	if _, err := g.run(ctx, "pack-refs", "--all"); err != nil {
		return err
	}
	// A fetch of what is there already says nothing of where the history of a shallow clone ends.
	if err := copyFile(filepath.Join(gitDir, "shallow"), filepath.Join(s.store.dir, "shallow")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.writeConfig(gitDir); err != nil {
		return err
	}
	for _, m := range s.modules {
		if err := m.site.makeGitFolder(ctx, filepath.Join(gitDir, "modules", filepath.FromSlash(m.name))); err != nil {
			return err
		}
	}
	return nil
}

// makeConfig returns the config of a clone's git folder: the person's remotes and upstreams, what their repository says of
// files, and some entries more. A program is not among it.
func (s *Site) makeConfig(more ...gitfolder.Entry) gitfolder.Config {
	config := gitfolder.Config{
		{Key: "core.repositoryformatversion", Value: "0"}, {Key: "core.bare", Value: "false"}, {Key: "core.logallrefupdates", Value: "true"},
	}
	if s.checkout.Format != "sha1" {
		config[0].Value = "1"
		config = append(config, gitfolder.Entry{Key: "extensions.objectformat", Value: s.checkout.Format})
	}
	config = append(config, s.frozen.CloneConfig(s.checkout.Root, s.checkout.Branch, s.branch)...)
	return append(config, more...)
}

// writeConfig writes the config of a clone's git folder, and what else git keeps beside it.
func (s *Site) writeConfig(gitDir string) error {
	if err := os.WriteFile(filepath.Join(gitDir, "config"), s.makeConfig().Encode(), 0o600); err != nil {
		return err
	}
	// As in any clone, these folders are there: tools and people write into them without making them.
	for _, name := range []string{"hooks", "info"} {
		if err := os.MkdirAll(filepath.Join(gitDir, name), 0o700); err != nil {
			return err
		}
	}
	if s.isSparse() {
		if err := os.WriteFile(filepath.Join(gitDir, filepath.FromSlash(sparseFile)), []byte(s.frozen.SparseCheckout), 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(gitDir, "info", "exclude"), []byte(s.frozen.InfoExclude), 0o600)
}

// pointHead puts the HEAD of the git folder in dir on the session's branch, that on a commit, and makes the index a copy of
// ours. Nothing outside of dir is written, whatever links are there. No process may work in dir.
func (s *Site) pointHead(dir, commit, index string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	branch := s.branch
	if branch == "" {
		branch = "mulligan/work"
	}
	ref := ".git/refs/heads/" + branch
	if err := errors.Join(root.RemoveAll(ref), root.MkdirAll(path.Dir(ref), 0o700)); err != nil {
		return err
	}
	return errors.Join(root.WriteFile(ref, []byte(commit+"\n"), 0o600), putHead(root, ".git", "ref: refs/heads/"+branch, index))
}

// putHead makes HEAD of a git folder in a root what is given, and its index a copy of ours. What was begun and not ended
// there goes.
func putHead(root *os.Root, gitDir, head, index string) error {
	for _, name := range append(unfinished, "HEAD", "index", "index.lock") {
		if err := root.RemoveAll(gitDir + "/" + name); err != nil {
			return err
		}
	}
	return errors.Join(root.WriteFile(gitDir+"/HEAD", []byte(head+"\n"), 0o600), copyInto(root, gitDir+"/index", index))
}

// unfinished are the marks of what an agent has begun with git and not ended: a merge, a rebase.
var unfinished = []string{
	"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "sequencer",
}

// copyInto copies a file, with its time, to a new one of a root. Where there is none to copy it does nothing.
func copyInto(root *os.Root, to, from string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	info, err := in.Stat()
	if err != nil {
		return err
	}
	return root.Chtimes(to, info.ModTime(), info.ModTime())
}

// Combine returns a tree that is like base, but has the given paths as from has them.
func (s *Site) Combine(ctx context.Context, base, from mulligan.Tree, paths []string) (mulligan.Tree, error) {
	id, err := s.combineTrees(ctx, base.ID, from.ID, paths)
	base.ID = id
	return base, err
}

// combineTrees is Combine, by the trees' ids.
func (s *Site) combineTrees(ctx context.Context, base, from string, paths []string) (string, error) {
	index := filepath.Join(settingsIn(s.slot), "combine.index")
	defer os.Remove(index)
	g := s.git().with("GIT_INDEX_FILE="+index, "GIT_WORK_TREE="+settingsIn(s.slot))
	if _, err := g.run(ctx, "read-tree", base); err != nil {
		return "", err
	}
	if _, err := g.feed(ctx, joinNull(paths), "update-index", "-z", "--force-remove", "--stdin"); err != nil {
		return "", err
	}
	entries, err := s.listEntries(ctx, from, paths)
	if err != nil {
		return "", err
	}
	if _, err := g.feed(ctx, entries, "update-index", "-z", "--replace", "--add", "--index-info"); err != nil {
		return "", err
	}
	return g.line(ctx, "write-tree")
}

// listEntries returns the entries that a tree has of some paths, as update-index reads them.
func (s *Site) listEntries(ctx context.Context, tree string, paths []string) ([]byte, error) {
	const most = 500 // paths for one git: a command has room for so many
	var entries []byte
	for len(paths) > 0 {
		n := min(len(paths), most)
		out, err := s.git().with("GIT_LITERAL_PATHSPECS=1").run(ctx, append([]string{"ls-tree", "-r", "-z", "--full-tree", tree, "--"}, paths[:n]...)...)
		if err != nil {
			return nil, err
		}
		entries, paths = append(entries, out...), paths[n:]
	}
	return entries, nil
}

// IgnoredAt reports whether git ignored a path of the repository at a commit.
func (s *Site) IgnoredAt(ctx context.Context, commit, path string) (bool, error) {
	dir, err := os.MkdirTemp(settingsIn(s.slot), "rules-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	g := s.git().in(dir).with("GIT_INDEX_FILE="+filepath.Join(dir, "index"), "GIT_WORK_TREE="+dir)
	if _, err := g.run(ctx, "read-tree", commit); err != nil {
		return false, err
	}
	out, err := g.run(ctx, "ls-files", "-z", "--cached", "--", ":(glob)**/.gitignore")
	if err != nil {
		return false, err
	}
	if _, err := g.feed(ctx, out, "checkout-index", "-z", "--stdin"); err != nil {
		return false, err
	}
	_, err = g.run(ctx, "check-ignore", "--quiet", "--no-index", "--", path)
	if failed, ok := errors.AsType[*GitError](err); ok && failed.Stderr == "" {
		return false, nil
	}
	return err == nil, err
}

// ErrNoIdentity means that git has no identity to commit with, and that the user has told git to make none up.
var ErrNoIdentity = errors.New("git has no user.name and user.email to commit with, and user.useConfigOnly forbids another")

// Who makes a commit, as git's variables call them.
const (
	author        = "AUTHOR"
	committer     = "COMMITTER"
	fallbackName  = "mulligan"
	fallbackEmail = "mulligan@localhost"
)

// CheckIdentity returns a note for a person if commits will be made by the fallback identity, because the user's config
// has none. The error is ErrNoIdentity if the user's config forbids that.
func (s *Site) CheckIdentity(ctx context.Context) (note string, err error) {
	missing, err := s.fillIdentity(ctx)
	if err != nil || len(missing) == 0 {
		return "", err
	}
	return fmt.Sprintf("git has no identity here, so commits are made by %s <%s>; to commit as yourself: git config user.name 'Your Name' && git config user.email you@example.com", fallbackName, fallbackEmail), nil
}

// fillIdentity returns variables for the author and the committer if the user's config has no name for them.
func (s *Site) fillIdentity(ctx context.Context) ([]string, error) {
	if s.missing == nil {
		missing, err := s.findMissingIdentity(ctx)
		if err != nil {
			return nil, err
		}
		s.missing = &missing
	}
	return *s.missing, nil
}

// findMissingIdentity is fillIdentity by git.
func (s *Site) findMissingIdentity(ctx context.Context) ([]string, error) {
	var env []string
	for _, who := range []string{author, committer} {
		if _, err := s.git().run(ctx, "-c", "user.useConfigOnly=true", "var", "GIT_"+who+"_IDENT"); err != nil {
			if _, failed := errors.AsType[*GitError](err); !failed {
				return nil, err
			}
			env = append(env, "GIT_"+who+"_NAME="+fallbackName, "GIT_"+who+"_EMAIL="+fallbackEmail)
		}
	}
	if len(env) > 0 && s.frozen.Config.Bool("user.useconfigonly", false) {
		return nil, ErrNoIdentity
	}
	return env, nil
}

// Commit makes a commit of exactly c's tree on top of c's parent. Its id depends on c alone, so that the same call makes
// the same commit. Where the tree is the parent's it returns the parent.
func (s *Site) Commit(ctx context.Context, session string, c mulligan.Commit) (id string, err error) {
	parent, err := s.store.TreeOf(ctx, c.Parent)
	if err != nil {
		return "", err
	}
	if parent == c.Tree.ID {
		s.standOn(c.Parent)
		return c.Parent, nil
	}
	made := sessionRefs + session + "/verified"
	if c.Sign { // a signature has its own time, so that one made before a crash has another id
		if id = s.findMadeBefore(ctx, made, c); id != "" {
			s.standOn(id)
			return id, nil
		}
	}
	missing, err := s.fillIdentity(ctx)
	if err != nil {
		return "", err
	}
	when := fmt.Sprintf("@%d +0000", c.Time.Unix())
	g := s.git().with(append(missing, "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)...)
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-p", c.Parent}
	if c.Sign {
		args = append(args, "-S")
	}
	out, err := g.feed(ctx, []byte(c.Message), append(args, "-F", "-", c.Tree.ID)...)
	if err != nil {
		return "", err
	}
	id = string(trimLine(out))
	if err := s.store.Label(ctx, session+"/verified", id); err != nil {
		return "", err
	}
	s.standOn(id)
	return id, nil
}

// standOn makes a commit what comes next is on top of. The agent's branch is brought to it before something looks at that.
func (s *Site) standOn(commit string) {
	s.SetHead(commit)
	s.Workspace.candidate, s.Workspace.brought = "", ""
}

// findMadeBefore returns the commit at a ref if that is what c asks for, made before a crash; else "".
func (s *Site) findMadeBefore(ctx context.Context, ref string, c mulligan.Commit) string {
	out, err := s.git().line(ctx, "log", "-1", "--format=%H%n%P%n%T%n%at", ref, "--")
	if err != nil {
		return ""
	}
	var id, parent, tree string
	var at int64
	if _, err := fmt.Sscan(out, &id, &parent, &tree, &at); err != nil || parent != c.Parent || tree != c.Tree.ID || at != c.Time.Unix() {
		return ""
	}
	return id
}

// Branch returns the session's branch, without refs/heads/.
func (s *Site) Branch() string { return s.branch }

// Uncommitted lists what the person's checkout has that its HEAD does not, as "M path" lines.
func (s *Site) Uncommitted(ctx context.Context) ([]string, error) {
	return s.checkout.Uncommitted(ctx, s.environ)
}

// Ignored lists what git ignores in the person's checkout: of a folder that is ignored whole the folder, with a slash.
func (s *Site) Ignored(ctx context.Context) ([]string, error) {
	out, err := newPersonGit(s.checkout.Root, s.environ).run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	return splitNull(out), err
}

// IgnoredAmong returns those of some paths of files in the person's checkout that git ignores there.
func (s *Site) IgnoredAmong(ctx context.Context, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	args := []string{"--literal-pathspecs", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--"}
	out, err := newPersonGit(s.checkout.Root, s.environ).run(ctx, append(args, paths...)...)
	return splitNull(out), err
}
