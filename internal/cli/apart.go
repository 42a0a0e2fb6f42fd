package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
)

// beginApart starts a session in a worktree of its own.
func (h *house) beginApart(ctx context.Context, p *mulligan.Plan, id string) (*job, error) {
	if err := h.sweepApart(ctx); err != nil {
		return nil, err
	}
	user, err := workspace.Open(ctx, workspace.Options{Dir: h.root, Snapshots: h.folders.Snapshots(h.root), Log: h.warn})
	if err != nil {
		return nil, err
	}
	origin, base, err := user.Head(ctx)
	user.Close()
	if err != nil {
		return nil, err
	}
	place := mulligan.Place{Dir: h.folders.Worktree(h.root, id), Root: h.root, Origin: origin, Base: base, Worktree: true}
	if p.Git.Branch {
		place.Branch = "mulligan/" + id
	}
	j, err := h.claim(ctx, place.Dir, id)
	if err != nil {
		return nil, err
	}
	if err := j.build(ctx, p, place); err != nil {
		j.close()
		return nil, err
	}
	if err := j.start(ctx, p, place, id); err != nil {
		j.close()
		return nil, err
	}
	return j, os.Remove(unready(place.Dir))
}

// unready is a file that stands beside a worktree that no session is known to have yet.
func unready(dir string) string { return dir + ".unready" }

// build makes the worktree, on no branch yet, and makes it ready. One that cannot be is
// taken away again: without a session nobody would know what it is.
func (j *job) build(ctx context.Context, p *mulligan.Plan, place mulligan.Place) error {
	if err := mkdirFor(place.Dir); err != nil {
		return err
	}
	if err := os.WriteFile(unready(place.Dir), []byte(place.Root+"\n"), 0o600); err != nil {
		return err
	}
	err := j.app.Points.Around("worktree", func() error {
		return workspace.AddWorktree(ctx, place.Root, place.Dir, "", place.Base)
	})
	if err != nil {
		return errors.Join(err, os.Remove(unready(place.Dir)))
	}
	err = j.open(ctx, place.Dir, "")
	if err == nil {
		err = j.app.Points.Around("furnish", func() error { return j.furnish(ctx, p.Worktree) })
	}
	if err != nil {
		return errors.Join(err, removeApart(ctx, place.Root, place.Dir))
	}
	return nil
}

// sweepApart takes away what a process that was killed left unready.
func (h *house) sweepApart(ctx context.Context) error {
	marks, err := filepath.Glob(unready(h.folders.Worktree("*", "*")))
	if err != nil || len(marks) == 0 {
		return err
	}
	for _, mark := range marks {
		if root, err := os.ReadFile(mark); err != nil || strings.TrimSpace(string(root)) != h.root {
			continue
		}
		dir := strings.TrimSuffix(mark, unready(""))
		lock, err := lockWorkspace(ctx, h.folders.Lock(dir), h.over(ctx))
		if err != nil {
			continue // somebody is at it
		}
		if err = errors.Join(h.sweepOne(ctx, dir), lock.Unlock()); err != nil {
			h.warn(fmt.Sprintf("the worktree %s, which no session has, could not be removed: %v", dir, err))
		}
	}
	return ctx.Err()
}

// sweepOne takes away one worktree that no session has. All is looked at under its lock: whoever held it
// may have begun a session there.
func (h *house) sweepOne(ctx context.Context, dir string) error {
	if _, err := os.Lstat(unready(dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	all, err := h.store.Store.Sessions(ctx)
	switch {
	case jetstream.Damaged(err):
		return nil // one that is damaged may have it
	case err != nil:
		return err
	case slices.ContainsFunc(all, func(s mulligan.Summary) bool { return s.Dir == dir }):
		return os.Remove(unready(dir))
	}
	return removeApart(ctx, h.root, dir)
}

// removeApart takes a worktree away, and then its mark.
func removeApart(ctx context.Context, root, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		if err := workspace.RemoveWorktree(context.WithoutCancel(ctx), root, dir); err != nil {
			return err
		}
	}
	return os.Remove(unready(dir))
}

// placeApart is where the last task of a folder worked, where that is a worktree: the next
// goes on there, also when another process runs it. Else nil.
func (h *house) placeApart(ctx context.Context, p *mulligan.Plan) (*mulligan.Place, error) {
	if p.Task.Folder == "" || !p.Worktree.Enabled || h.opt.Restart {
		return nil, nil
	}
	all, err := h.store.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(all) {
		if s.Root != h.root || s.Dir == s.Root || s.Folder != p.Task.Folder {
			continue
		}
		good := s.Ended == mulligan.Verified || s.Ended == mulligan.Accepted
		if _, err := os.Stat(s.Dir); err != nil || !good {
			return nil, nil
		}
		state, err := h.fold(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		return &state.Place, nil
	}
	return nil, nil
}

// furnish brings into a new worktree what git does not: files, and what setup makes.
func (j *job) furnish(ctx context.Context, w mulligan.Worktree) error {
	for _, name := range w.Copy {
		if err := copyFile(filepath.Join(j.root, name), filepath.Join(j.ws.Dir(), name)); err != nil {
			return usererror.Usage(fmt.Sprintf("worktree.copy: %v", err), "it names what a worktree needs and git does not have; take out what is not there")
		}
	}
	if w.Setup == "" {
		return nil
	}
	j.say("worktree setup: %s", w.Setup)
	out := process.NewHeadTail(4<<10, 12<<10)
	filtered := j.app.Filter(out)
	e, err := j.pool.Run(ctx, process.Spec{
		Argv: []string{"sh", "-c", w.Setup}, Dir: j.ws.Dir(), Env: j.app.Environ, Stdout: filtered, Stderr: filtered, Timeout: 30 * time.Minute,
	})
	filtered.Close()
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case !e.OK():
		return usererror.Usage(fmt.Sprintf("worktree.setup %q failed: %s\n%s", w.Setup, e, strings.TrimRight(out.String(), "\n")), "it is run in a fresh checkout of the last commit, with the files of worktree.copy")
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
