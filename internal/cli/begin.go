package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/workspace"
)

// begin starts a new session: the workspace is locked, looked at, and put on a branch.
func (h *house) begin(ctx context.Context, p *mulligan.Plan) (*job, error) {
	id := newID(time.Now())
	if p.Worktree.Enabled {
		return h.beginApart(ctx, p, id)
	}
	j, err := h.enter(ctx, h.root, id, "")
	if err != nil {
		return nil, err
	}
	place, err := j.place(ctx, p, id)
	if err != nil {
		j.close()
		return nil, err
	}
	j.session = h.assemble(j, p, id)
	if err := j.session.Start(id, p, place); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// place makes the user's checkout ready. What is not committed is refused, or taken along
// as a commit of its own: it is never mixed with the agent's work, and never lost.
func (j *job) place(ctx context.Context, p *mulligan.Plan, id string) (mulligan.Place, error) {
	origin, base, err := j.ws.Head(ctx)
	if err != nil {
		return mulligan.Place{}, err
	}
	if doing := j.ws.InProgress(ctx); doing != "" {
		return mulligan.Place{}, refuseInProgress(doing)
	}
	dirty, err := j.ws.Dirty(ctx)
	if err != nil {
		return mulligan.Place{}, err
	}
	if len(dirty) > 0 && !j.opt.Carry {
		return mulligan.Place{}, refuseDirty(dirty)
	}
	place := mulligan.Place{Dir: j.ws.Dir(), Root: j.root, Origin: origin, Branch: origin}
	if p.Git.Branch {
		if place.Branch, err = j.branch(ctx, p, origin, id); err != nil {
			return mulligan.Place{}, err
		}
	}
	if len(dirty) > 0 {
		err := j.app.Points.Around("carry", func() (err error) {
			base, err = j.ws.Carry(ctx, "Work in progress, taken along by mulligan session "+id)
			return err
		})
		if err != nil {
			return mulligan.Place{}, err
		}
	}
	place.Base = base
	j.ws.WorkOn(place.Branch)
	return place, nil
}

func refuseInProgress(doing string) error {
	return usage("the repository is in the middle of "+doing, "finish or abort it first")
}

func refuseDirty(dirty []string) error {
	list := dirty
	if len(list) > 10 {
		list = append(list[:10:10], fmt.Sprintf("and %d more", len(dirty)-10))
	}
	return usage("the repository has uncommitted work:\n    "+strings.Join(list, "\n    "),
		"commit or stash it first, take it along with --carry, or leave it alone with --worktree")
}

// branch puts HEAD on the session's branch. The tasks of a folder share one.
func (j *job) branch(ctx context.Context, p *mulligan.Plan, origin, id string) (string, error) {
	if p.Task.Folder != "" && strings.HasPrefix(origin, "mulligan/") {
		all, err := j.store.Sessions(ctx)
		if err != nil {
			return "", err
		}
		for _, s := range all {
			if s.Root == j.root && s.Folder == p.Task.Folder && s.Branch == origin {
				return origin, nil
			}
		}
	}
	name := "mulligan/" + id
	return name, j.app.Points.Around("branch", func() error { return j.ws.StartBranch(ctx, name) })
}

// beginBeside starts a session for the next task of a folder where the last one worked: on
// the same branch, with whatever its checks left and its config did not commit.
func (h *house) beginBeside(ctx context.Context, p *mulligan.Plan, place mulligan.Place) (*job, error) {
	id := newID(time.Now())
	j, err := h.enter(ctx, place.Dir, id, place.Branch)
	if err != nil {
		return nil, err
	}
	if _, place.Base, err = j.ws.Head(ctx); err == nil {
		j.session = h.assemble(j, p, id)
		err = j.session.Start(id, p, place)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// beginApart starts a session in a worktree of its own.
func (h *house) beginApart(ctx context.Context, p *mulligan.Plan, id string) (*job, error) {
	user, err := workspace.Open(ctx, workspace.Options{Dir: h.root, Snapshots: h.folders.snapshots(h.root), Log: h.warn})
	if err != nil {
		return nil, err
	}
	origin, base, err := user.Head(ctx)
	user.Close()
	if err != nil {
		return nil, err
	}
	dir := h.folders.worktree(h.root, id)
	if err := mkdirFor(dir); err != nil {
		return nil, err
	}
	if err := h.app.Points.Around("worktree", func() error { return workspace.AddWorktree(ctx, h.root, dir, "", base) }); err != nil {
		return nil, err
	}
	j, err := h.enter(ctx, dir, id, "")
	if err == nil {
		place := mulligan.Place{Dir: dir, Root: h.root, Origin: origin, Base: base, Worktree: true}
		err = j.settle(ctx, p, place, id)
	}
	if err != nil { // before there is a session nobody would know what the worktree is
		if j != nil {
			j.close()
		}
		return nil, errors.Join(err, workspace.RemoveWorktree(context.WithoutCancel(ctx), h.root, dir))
	}
	return j, nil
}

// settle makes a new worktree ready and starts the session in it.
func (j *job) settle(ctx context.Context, p *mulligan.Plan, place mulligan.Place, id string) error {
	if err := j.app.Points.Around("furnish", func() error { return j.furnish(ctx, p.Worktree) }); err != nil {
		return err
	}
	if p.Git.Branch {
		place.Branch = "mulligan/" + id
		if err := j.ws.StartBranch(ctx, place.Branch); err != nil {
			return err
		}
	}
	j.session = j.assemble(j, p, id)
	return j.session.Start(id, p, place)
}

// furnish brings into a new worktree what git does not: files, and what setup makes.
func (j *job) furnish(ctx context.Context, w mulligan.Worktree) error {
	for _, name := range w.Copy {
		if err := copyFile(filepath.Join(j.root, name), filepath.Join(j.ws.Dir(), name)); err != nil {
			return usage(fmt.Sprintf("worktree.copy: %v", err), "it names what a worktree needs and git does not have; take out what is not there")
		}
	}
	if w.Setup == "" {
		return nil
	}
	j.say("worktree setup: %s", w.Setup)
	out := process.NewHeadTail(4<<10, 12<<10)
	e, err := j.pool.Run(ctx, process.Spec{
		Argv: []string{"sh", "-c", w.Setup}, Dir: j.ws.Dir(), Env: j.app.Environ, Stdout: out, Stderr: out, Timeout: 30 * time.Minute,
	})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case !e.OK():
		return usage(fmt.Sprintf("worktree.setup %q failed: %s\n%s", w.Setup, e, strings.TrimRight(out.String(), "\n")), "it is run in a fresh checkout of the last commit, with the files of worktree.copy")
	}
	return nil
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}
