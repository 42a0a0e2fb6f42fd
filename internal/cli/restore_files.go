package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
)

// keptPrefix begins the names of snapshots that `restore` takes of what was there.
const keptPrefix = "before-restore-"

// A restoration makes the files of a workspace equal to one of its session's snapshots.
type restoration struct {
	app     *App
	ws      *workspace.Workspace
	session mulligan.Summary
	list    []workspace.Snapshot // all of the session's
	snap    workspace.Snapshot   // the one to restore
	name    string               // the snapshot's, without its session
	given   string               // the session as the person named it; "" if they did not
	force   bool
}

// run restores the files, and prints the command that brings back what was there.
func (r *restoration) run(ctx context.Context) error {
	branch, head, err := r.ws.Head(ctx)
	if err != nil && !errors.Is(err, workspace.ErrUnborn) {
		return err
	}
	if !r.force && !r.fits(branch, head) {
		return r.refuseBranch(ctx, branch, head)
	}
	doing := r.ws.InProgress(ctx)
	if doing != "" && !r.force {
		return usererror.Usage(fmt.Sprintf("%s is in the middle of %s", r.session.Dir, doing),
			"finish or abort it first, or restore the files all the same with --force: what is staged stays as it is")
	}
	kept := keptPrefix + time.Now().UTC().Format("20060102-150405.000")
	err = r.ws.RestoreFiles(ctx, r.snap.Tree, r.session.ID+"/"+kept)
	if hidden, ok := errors.AsType[*workspace.HiddenError](err); ok {
		return usererror.Usage(hidden.Error(), "nothing was changed; move them away, then give the command again")
	}
	if err != nil {
		return err
	}
	undo := fmt.Sprintf("mulligan restore %s %s", r.session.ID, kept)
	if doing != "" {
		undo += " --force"
	}
	fmt.Fprintf(r.app.Stdout, "%s is as snapshot %s; what was there is kept: %s\n", r.session.Dir, r.name, undo)
	return nil
}

// fits reports whether the snapshot belongs to what is checked out: a branch, or with branch "" the commit
// head. That is where its session worked, and, for what a person's files are in, where it was taken.
func (r *restoration) fits(branch, head string) bool {
	if r.isPersons() && r.snap.Branch == branch && (branch != "" || r.snap.Tree.Head == head) {
		return true
	}
	if branch != "" || r.session.Branch != "" {
		return branch == r.session.Branch
	}
	return head == r.session.Commit || slices.ContainsFunc(r.list, func(snap workspace.Snapshot) bool {
		return snap.Branch == "" && snap.Tree.Head == head && !strings.HasPrefix(snap.Label, r.session.ID+"/"+keptPrefix)
	})
}

// isPersons reports whether the snapshot may have been taken where the session did not work: by `restore`,
// or after a crash.
func (r *restoration) isPersons() bool {
	return strings.HasPrefix(r.name, keptPrefix) || strings.HasPrefix(r.name, workspace.AsidePrefix)
}

// refuseBranch returns the refusal to restore the snapshot onto another branch.
func (r *restoration) refuseBranch(ctx context.Context, branch, head string) error {
	here := "the branch " + branch
	if branch == "" {
		here = fmt.Sprintf("the commit %.10s", head)
	}
	words := fmt.Sprintf("session %s did not work on %s, which is checked out in %s, but on ", r.session.ID, here, r.session.Dir)
	home := r.session.Branch
	if r.isPersons() && r.snap.Branch != home {
		words = fmt.Sprintf("%s is checked out in %s, and %s was taken on ", here, r.session.Dir, r.name)
		home = r.snap.Branch
	}
	if home == "" {
		commit := fmt.Sprintf("%.10s", r.snap.Tree.Head)
		return usererror.Usage(words+"the commit "+commit, r.suggestSwitch("--detach "+commit))
	}
	words += home
	tip, err := r.ws.BranchTip(ctx, home)
	if err != nil {
		return err
	}
	if tip == "" {
		return usererror.Usage(words+", which is gone", "--force restores its files here all the same; no branch is moved")
	}
	return usererror.Usage(words, r.suggestSwitch(usererror.QuotePath(home)))
}

// suggestSwitch returns the hint with the commands that restore the snapshot where it belongs.
func (r *restoration) suggestSwitch(to string) string {
	git := "git"
	if root, err := r.app.Root(); err != nil || root != r.session.Dir {
		git += " -C " + usererror.QuotePath(r.session.Dir)
	}
	again := "mulligan restore " + r.name
	if r.given != "" {
		again = fmt.Sprintf("mulligan restore %s %s", usererror.QuotePath(r.given), r.name)
	}
	return fmt.Sprintf("`%s switch %s && %s` restores it there; --force restores its files here", git, to, again)
}
