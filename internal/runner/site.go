package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/workspace"
)

// maxSlots is how many sessions of one repository work side by side.
const maxSlots = 64

// claimSlot locks a slot of the repository: that of dir, if it is given and free, or the first one that is free.
func (r *Runner) claimSlot(ctx context.Context, id, dir string) (*job, error) {
	var slots []string
	if dir != "" {
		slots = append(slots, filepath.Dir(dir))
	}
	for n := range maxSlots {
		slots = append(slots, r.folders.Slot(r.Root, n+1))
	}
	for _, slot := range slots {
		lock, err := worklock.Take(ctx, r.folders.Lock(workspace.WorkspaceIn(slot)), r.isOver(ctx))
		if busy, ok := errors.AsType[*usererror.Error](err); ok && busy.Code == mulligan.ExitBusy {
			continue
		}
		if err != nil {
			return nil, err
		}
		j := r.newJob(slot)
		j.lock = lock
		if err = r.endLeftovers(worklock.ParseHolder(lock.Before()).Session); err == nil {
			err = errors.Join(lock.Note(worklock.SessionNote(id)), workspace.ClaimSlot(slot, id))
		}
		return j.closeOnError(err)
	}
	return nil, usererror.New(mulligan.ExitBusy, fmt.Sprintf("%d sessions work in this repository, and there is no room for another", maxSlots), "`mulligan status` lists them")
}

// openStore brings the store to what the person's repository has now.
func (j *job) openStore(ctx context.Context) (c workspace.Checkout, err error) {
	if err := process.LeadSession(); err != nil {
		return c, err
	}
	j.pool = process.NewPool(process.PoolOptions{State: j.folders.State, Inherit: []*os.File{j.lock.File()}, Lost: j.noteLostKeeper})
	j.Runner.pool = j.pool
	j.store = workspace.OpenStore(workspace.StoreOptions{
		Dir: j.folders.Store(j.Root), Environ: j.Env.Environ, Hold: j.lock.File(),
		Before: func(command string) { j.Env.Points.Pass("before git " + command) },
	})
	if c, err = workspace.LookAt(ctx, j.Root, j.Env.Environ); err != nil {
		return c, err
	}
	return c, j.store.Update(ctx, c)
}

// openSite opens the slot for a session of a plan that is at a place and a commit.
func (j *job) openSite(ctx context.Context, p *mulligan.Plan, c workspace.Checkout, place mulligan.Place, head string) (err error) {
	j.site, err = workspace.OpenSite(ctx, workspace.SiteOptions{
		Store: j.store, Slot: j.slot, Checkout: c, Branch: place.Branch, Head: head, Environ: j.Env.Environ,
		MaxFile: p.Ready.MaxFile, Filters: j.runFiltered,
	})
	if err != nil {
		return err
	}
	j.proof = newProof(j)
	if err := j.makeDoor(); err != nil {
		return err
	}
	return j.outfitAgents()
}

// beginSession makes a new session in a slot of the repository.
func (r *Runner) beginSession(ctx context.Context, p *mulligan.Plan) (*job, error) {
	id := sessions.NewID(r.Env.SessionClock().Now())
	j, err := r.claimSlot(ctx, id, "")
	if err != nil {
		return nil, err
	}
	if err := r.claimWork(ctx, p, id, r.folders.Lock(workspace.WorkspaceIn(j.slot))); err != nil {
		return j.closeOnError(err)
	}
	if err := j.startSession(ctx, p, id); err != nil {
		return j.closeOnError(errors.Join(err, r.releaseWork(ctx, p, id)))
	}
	return j, nil
}

// startSession stores that a session begins, once its workspace is ready.
func (j *job) startSession(ctx context.Context, p *mulligan.Plan, id string) error {
	c, err := j.openStore(ctx)
	if err != nil {
		return err
	}
	if err := j.nameMissingModules(ctx, c); err != nil {
		return err
	}
	place := mulligan.Place{Dir: workspace.WorkspaceIn(j.slot), Root: j.Root, Origin: c.Branch, OriginHead: c.Head, Base: c.Head}
	if p.Git.Commit {
		place.Branch = nameBranch(p, id)
	}
	if err := j.continueFolder(ctx, p, c, &place); err != nil {
		return err
	}
	if err := j.openSite(ctx, p, c, place, place.Base); err != nil {
		return err
	}
	if p.Git.Commit {
		note, err := j.site.CheckIdentity(ctx)
		if err != nil {
			return err
		}
		if note != "" {
			p.Notes = append(p.Notes, note)
		}
	}
	j.noteOutfit(p)
	if place.Base, err = j.present(ctx, p, place.Base, id); err != nil {
		return err
	}
	if err := j.prepareSite(ctx, p, place.Base, ""); err != nil {
		return err
	}
	j.session = j.assemble(p, id)
	if err := j.session.Start(id, p, place); err != nil {
		return err
	}
	return j.session.Announce(ctx)
}

// continueFolder has the next task of a folder build on what the last one left, on the same branch, unless that branch is
// gone or merged.
func (j *job) continueFolder(ctx context.Context, p *mulligan.Plan, c workspace.Checkout, place *mulligan.Place) error {
	if p.Task.Folder == "" || j.Options.Restart || place.Branch == "" {
		return nil
	}
	branch, tip, err := j.findFolderBranch(ctx, j.store, p.Task.Folder, c.Head)
	if err == nil && branch != "" {
		place.Branch, place.Base = branch, tip
	}
	return err
}

// present commits the files that the plan is made of, as they are in the person's checkout, on top of a commit; with
// --carry all other uncommitted work too. It prints what was taken and what was not.
func (j *job) present(ctx context.Context, p *mulligan.Plan, base, id string) (string, error) {
	files := slices.Clone(p.Files)
	if task := p.Task.Path; task != "" && filepath.IsLocal(task) {
		if _, err := os.Lstat(filepath.Join(j.Root, task)); err == nil { // else an earlier task of the folder has added it
			files = append(files, filepath.ToSlash(task))
		}
	}
	files, err := j.leaveIgnored(ctx, files)
	if err != nil {
		return "", err
	}
	commit, taken, err := j.site.Present(ctx, base, files, false, "The files of the plan, as they are in the checkout\n\nMulligan-Session: "+id, id+"/given")
	if err != nil {
		return "", err
	}
	if len(taken) > 0 {
		j.say("taken from your checkout as it is, as commit %.7s: %s", commit, joinPaths(trimLetters(taken)))
	}
	if !j.Options.Carry {
		return commit, j.nameUncommitted(ctx, files)
	}
	if j.carried {
		return commit, nil
	}
	tree, err := j.store.TreeOf(ctx, commit)
	if err != nil {
		return "", err
	}
	to, err := j.carry(ctx, mulligan.Tree{ID: tree, Head: commit}, id)
	return to.Head, err
}

// carry takes all uncommitted work of the person along, as a commit on top of to's, and prints what it was.
func (j *job) carry(ctx context.Context, to mulligan.Tree, id string) (mulligan.Tree, error) {
	to, paths, err := j.site.Carry(ctx, to, "Work in progress, taken along by mulligan session "+id, id+"/carried")
	if both, ok := errors.AsType[*workspace.CarryError](err); ok {
		return to, usererror.Usage(both.Error()+"; nothing was changed", "`mulligan diff "+id+"` shows the session's; commit or stash yours, or leave --carry out")
	}
	if err != nil {
		return to, err
	}
	j.carried = true
	if len(paths) > 0 {
		j.say("your uncommitted work is taken along, as commit %.7s: %s", to.Head, joinPaths(paths))
	}
	return to, nil
}

// nameUncommitted prints what uncommitted work stays in the checkout, but for files.
func (j *job) nameUncommitted(ctx context.Context, files []string) error {
	left, err := j.site.Uncommitted(ctx)
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(line string) bool { return slices.Contains(files, line[2:]) })
	if len(left) > 0 {
		j.say("uncommitted work stays in your checkout and is not part of this session (--carry takes it along): %s", joinPaths(trimLetters(left)))
	}
	return nil
}

// nameMissingModules prints which submodules the session does not have.
func (j *job) nameMissingModules(ctx context.Context, c workspace.Checkout) error {
	missing, err := c.MissingModules(ctx, j.Env.Environ)
	for _, m := range missing {
		j.say("the submodule %s is empty in this session: %s", text.QuotePath(m.Path), m.Why)
	}
	return err
}

// leaveIgnored returns files of the plan, sorted, without those that git ignores in the person's checkout: these are copied to
// the clones, and no commit has them.
func (j *job) leaveIgnored(ctx context.Context, files []string) ([]string, error) {
	slices.Sort(files)
	files = slices.Compact(files)
	var err error
	if j.ignored, err = j.site.IgnoredAmong(ctx, files); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(files, func(path string) bool { return slices.Contains(j.ignored, path) }), nil
}

// trimLetters returns the paths of lines such as "M path".
func trimLetters(lines []string) []string {
	paths := make([]string, len(lines))
	for i, line := range lines {
		paths[i] = line[2:]
	}
	return paths
}

// prepareSite makes workspace and proof ready for the session: at a commit where it begins, or at a tree on top of it.
func (j *job) prepareSite(ctx context.Context, p *mulligan.Plan, commit, tree string) (err error) {
	begins := tree == ""
	if begins {
		if tree, err = j.store.TreeOf(ctx, commit); err != nil {
			return err
		}
	}
	to := mulligan.Tree{ID: tree, Head: commit}
	if err := j.forgetLostSetup(j.site.Workspace.Dir(), "workspace"); err != nil {
		return err
	}
	if err := j.Env.Points.Around("workspace", func() error { return j.site.Workspace.Prepare(ctx, to) }); err != nil {
		return fmt.Errorf("making the workspace: %w", err)
	}
	if begins {
		if err := j.site.Workspace.RemoveUnseen(ctx); err != nil {
			return err
		}
	}
	took, err := j.furnish(ctx, p, j.site.Workspace.Dir(), inWorkspace)
	if err != nil {
		return err
	}
	j.noteSetups(p, j.site.Workspace.Dir())
	j.proof.prepare(ctx, p, to, took)
	return nil
}

// slotEnv returns what a child is told of the slot.
func (j *job) slotEnv() []string {
	if j.slot == "" {
		return nil
	}
	if _, err := strconv.Atoi(filepath.Base(j.slot)); err != nil {
		return nil
	}
	return []string{"MULLIGAN_SLOT=" + filepath.Base(j.slot)}
}

// resumePrior resumes a session that was begun before: one that was interrupted or killed where it stood, one that failed with
// its failed step's attempts counted anew. It works in the same slot where that is free.
func (r *Runner) resumePrior(ctx context.Context, prior priorSession, p *mulligan.Plan) (*job, error) {
	if err := r.refuseRunning(ctx, *prior.summary); err != nil {
		return nil, err
	}
	j, err := r.claimSlot(ctx, prior.summary.ID, prior.summary.Dir)
	if err != nil {
		return nil, err
	}
	err = r.endLeftovers(prior.summary.ID)
	if err == nil {
		err = j.takeOver(ctx, prior, p)
	}
	return j.closeOnError(err)
}

// takeOver reads the session's state, brings a slot to it, and resumes the session.
func (j *job) takeOver(ctx context.Context, prior priorSession, p *mulligan.Plan) error {
	state, err := j.readState(ctx, prior.summary.ID)
	if err != nil {
		return err
	}
	if state.Summary().Ended != prior.summary.Ended {
		return errMoved
	}
	j.began = state.Last + 1
	how := mulligan.SessionResumed{}
	if prior.again {
		if how, err = j.planAgain(state, p); err != nil {
			return err
		}
	} else if p != nil { // run has made the plan of the config as it is now
		made := *p
		j.remake = func(*mulligan.Plan) (*mulligan.Plan, error) { return &made, nil }
	}
	c, err := j.openStore(ctx)
	if err != nil {
		return err
	}
	e := &reentry{job: j, state: state, how: how}
	if err := e.prepare(ctx, c); err != nil {
		return err
	}
	if err := e.takeGuardSwitch(); err != nil {
		return err
	}
	e.takeYesRollback()
	if p = e.how.Plan; p == nil {
		p = state.Plan
	}
	j.session = j.assemble(p, state.ID)
	if err := j.session.Resume(state, e.how, e.notes...); err != nil {
		return err
	}
	if err := j.session.Announce(ctx); errors.Is(err, mulligan.ErrStale) {
		return errMoved // a person's word came first, or another process resumes it
	} else if err != nil {
		return err
	}
	return nil
}
