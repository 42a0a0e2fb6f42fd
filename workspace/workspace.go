package workspace

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"

	"mulligan"
)

// A Workspace is the clone that an agent works in. Its git folder is the agent's own, and no git of ours reads it.
type Workspace struct {
	site      *Site
	clone     *clone
	candidate string          // the commit of what was last taken
	brought   string          // the commit that the agent's git was brought to last
	lacks     []mulligan.Lack // what the last candidate does not have
	seen      bool            // the files are as they were when they were last taken or laid
}

// Dir returns the workspace's path.
func (w *Workspace) Dir() string { return w.clone.dir }

// Prepare makes the workspace ready for a process that begins to work on a session: its files are a tree, and its git
// folder is made anew. No process may work in it.
func (w *Workspace) Prepare(ctx context.Context, to mulligan.Tree) error {
	if to.Head != "" {
		w.site.SetHead(to.Head)
	}
	if err := w.clone.lay(ctx, to.ID); err != nil {
		return err
	}
	if err := w.renewGit(ctx, w.site.head); err != nil {
		return err
	}
	w.settle()
	if len(w.site.modules) > 0 {
		w.Forget()
	}
	return w.site.layModules(ctx, w.clone, to.ID)
}

// settle tells that the files were laid: but for what no commit can have, and is left alone, they are known.
func (w *Workspace) settle() {
	if w.seen = len(w.clone.refused) == 0; w.seen {
		w.lacks = nil
	}
}

// RemoveUnseen removes what git does not see and an earlier session has left in a workspace that was prepared: pipes, sockets,
// devices, empty folders.
func (w *Workspace) RemoveUnseen(ctx context.Context) error { return w.clone.removeUnseen(ctx) }

// Forget tells that something other than an agent has run in the workspace, or written there.
func (w *Workspace) Forget() { w.seen, w.clone.ignored = false, nil }

// renewGit makes the workspace's git folder anew, with HEAD and the index at a commit.
func (w *Workspace) renewGit(ctx context.Context, commit string) error {
	gitDir := filepath.Join(w.clone.dir, ".git")
	if err := removeAll(gitDir); err != nil {
		return err
	}
	if err := w.site.makeGitFolder(ctx, gitDir); err != nil {
		return err
	}
	w.brought = commit
	if err := w.site.pointHead(w.clone.dir, commit, w.clone.index); err != nil {
		return err
	}
	return w.site.pointModules(ctx, w.clone, commit)
}

// Take commits all that the workspace has and git does not ignore on top of the session's last commit, and keeps it under
// a label. With the label "" it makes no commit, and processes of a turn may live.
func (w *Workspace) Take(ctx context.Context, label string, look mulligan.Look) (tree mulligan.Tree, err error) {
	if look == mulligan.AtHead {
		if err := w.followHead(ctx, label); err != nil {
			return tree, err
		}
	}
	if look == mulligan.AtNothing && w.seen {
		tree = mulligan.Tree{ID: w.clone.tree, Head: w.site.head}
	} else {
		w.seen = false
		w.brought = "" // an agent may have moved it
		if tree, err = w.read(ctx); err != nil || label == "" {
			return tree, err
		}
	}
	w.seen = true
	w.candidate, err = w.site.makeCandidate(ctx, tree.ID, label)
	return tree, err
}

// followHead makes the commit that hooks have moved HEAD to, as a pull does, what later commits are on top of. No agent may
// have worked in the workspace since it was prepared.
func (w *Workspace) followHead(ctx context.Context, label string) error {
	gitDir := filepath.Join(w.clone.dir, ".git")
	head, err := newOwnGit(gitDir, "", w.site.environ).in(w.clone.dir).line(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if _, failed := errors.AsType[*GitError](err); failed {
		return nil // the hooks have left no branch
	}
	if err == nil && head != w.brought && head != w.candidate && head != w.site.head {
		ref := sessionRefs + label + "-head"
		if _, err = w.site.git().run(ctx, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", gitDir, "+HEAD:"+ref); err == nil {
			w.site.SetHead(head)
			err = w.adoptLinks(ctx, head)
		}
	}
	return err
}

// read makes a tree of the workspace.
func (w *Workspace) read(ctx context.Context) (mulligan.Tree, error) {
	if !w.clone.isThere() {
		return mulligan.Tree{}, &mulligan.BoundError{Gone: true}
	}
	tree, lacks, err := w.clone.take(ctx)
	w.lacks = lacks
	return mulligan.Tree{ID: tree, Head: w.site.head}, err
}

// maxLacks is how many of the paths that no commit has are listed.
const maxLacks = 200

// Lacks lists what the workspace has and no commit does: what was left out when it was last taken, pipes and the like, empty
// folders, what git ignores, with the rule, and what was changed in submodules. Of a folder that is ignored whole it names
// the folder.
func (w *Workspace) Lacks(ctx context.Context) ([]mulligan.Lack, error) {
	if !w.clone.isThere() {
		return w.lacks, nil
	}
	hidden, err := w.clone.listHidden(ctx)
	if err != nil {
		return nil, err
	}
	lacks := slices.Concat(w.lacks, w.clone.pipes.listRemoved(), hidden)
	if w.clone.tree == "" {
		return lacks, nil
	}
	inModules, err := w.site.listModuleLacks(ctx, w.clone, w.clone.tree)
	return append(lacks, inModules...), err
}

// Lay makes the workspace's files a tree, and has later candidates on top of the tree's commit.
func (w *Workspace) Lay(ctx context.Context, to mulligan.Tree) error {
	if to.Head != "" {
		w.site.SetHead(to.Head)
	}
	if err := w.clone.lay(ctx, to.ID); err != nil {
		return err
	}
	w.settle()
	return w.layModules(ctx, to.ID)
}

// layModules makes the submodules what a tree has of them. Git folders that an agent has damaged are made anew first.
func (w *Workspace) layModules(ctx context.Context, tree string) error {
	if len(w.site.modules) == 0 {
		return nil
	}
	if !w.serves(ctx) {
		if err := w.renewGit(ctx, w.site.head); err != nil {
			return err
		}
	}
	return w.site.layModules(ctx, w.clone, tree)
}

// serves reports whether the workspace's git folder still serves as one, and those of submodules in it.
func (w *Workspace) serves(ctx context.Context) bool {
	root, err := os.OpenRoot(w.clone.dir)
	if err != nil {
		return false
	}
	defer root.Close()
	return w.site.servesAgent(ctx, root, ".git")
}

// PutBack makes the given paths what a tree has them to be, and returns what is there then. What a .gitignore that was put
// back hides again is no part of that.
func (w *Workspace) PutBack(ctx context.Context, to mulligan.Tree, paths []string) (mulligan.Tree, error) {
	now, err := w.read(ctx)
	if err != nil {
		return now, err
	}
	if now, err = w.site.Combine(ctx, now, to, paths); err != nil {
		return now, err
	}
	w.seen = false // what is ignored may change
	if err := w.clone.lay(ctx, now.ID); err != nil {
		return now, err
	}
	if slices.ContainsFunc(paths, func(p string) bool { return w.clone.modules[p] != nil }) {
		if err := w.layModules(ctx, now.ID); err != nil {
			return now, err
		}
	}
	if !slices.ContainsFunc(paths, func(p string) bool { return path.Base(p) == ".gitignore" }) {
		return now, nil
	}
	if err := w.hideIgnored(ctx, to); err != nil {
		return now, err
	}
	now.ID = w.clone.tree
	return now, nil
}

// hideIgnored takes what git ignores, and before did not have, out of what the workspace is taken to have.
func (w *Workspace) hideIgnored(ctx context.Context, before mulligan.Tree) error {
	had, err := w.site.git().run(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", before.ID)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, path := range splitNull(had) {
		known[path] = true
	}
	return w.clone.dropIgnored(ctx, func(path string) bool { return !known[path] })
}

// Ready puts the agent's branch on the commit of what was last taken, as HEAD and index, before a turn. A git folder
// that does not serve is made anew. No process may work in the workspace.
func (w *Workspace) Ready(ctx context.Context) error {
	commit := w.candidate
	if commit == "" {
		commit = w.site.head
	}
	if w.brought == commit {
		return nil
	}
	if w.serves(ctx) && removeLocks(filepath.Join(w.clone.dir, ".git")) == nil && w.site.pointHead(w.clone.dir, commit, w.clone.index) == nil {
		w.brought = commit
		return nil
	}
	return w.renewGit(ctx, commit)
}

// KeepAside keeps what the workspace has under a label of its own, if an earlier process has left there something other than a
// tree. The label is "" if there was nothing to keep.
func (w *Workspace) KeepAside(ctx context.Context, session string, from mulligan.Tree) (Kept, error) {
	if !w.IsThere() {
		return Kept{}, nil
	}
	if now, err := w.read(ctx); err != nil || now.ID == from.ID {
		return Kept{}, err
	}
	label, err := w.site.store.newAside(ctx, session, "")
	if err != nil {
		return Kept{}, err
	}
	tree, err := w.Take(ctx, label, mulligan.AtFiles)
	return Kept{Label: sessionRefs + label, Commit: w.candidate, Tree: tree.ID}, err
}

// IsThere reports whether the workspace has been made.
func (w *Workspace) IsThere() bool { return exists(w.clone.index) && exists(w.clone.dir) }
