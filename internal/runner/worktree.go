package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/regular"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
)

// beginInWorktree makes a session in a worktree of its own.
func (r *Runner) beginInWorktree(ctx context.Context, p *mulligan.Plan, id string) (*job, error) {
	if err := r.sweepUnreadyWorktrees(ctx); err != nil {
		return nil, err
	}
	user, err := workspace.Open(ctx, workspace.Options{Dir: r.Root, Snapshots: r.folders.Snapshots(r.Root), Log: r.warn})
	if err != nil {
		return nil, err
	}
	origin, base, err := user.Head(ctx)
	user.Close()
	if err != nil {
		return nil, err
	}
	place := mulligan.Place{Dir: r.folders.Worktree(r.Root, id), Root: r.Root, Origin: origin, Base: base, Worktree: true}
	if p.Git.Branch {
		place.Branch = nameBranch(p, id)
	}
	j, err := r.claimWorkspace(ctx, place.Dir, id)
	if err != nil {
		return nil, err
	}
	err = j.makeWorktree(ctx, p, place, id)
	if err == nil {
		err = j.startSession(ctx, p, place, id)
	}
	if err != nil {
		j.close()
		return nil, err
	}
	return j, os.Remove(unreadyMark(place.Dir))
}

// unreadyMark returns the path of the file that stands beside a worktree until the journal has the
// session that it is for.
func unreadyMark(dir string) string { return dir + ".unready" }

// makeWorktree makes the worktree, on no branch yet, and furnishes it. If it cannot, it removes the
// worktree again: without a session nothing would say what it is for.
func (j *job) makeWorktree(ctx context.Context, p *mulligan.Plan, place mulligan.Place, id string) error {
	if err := os.MkdirAll(filepath.Dir(place.Dir), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(unreadyMark(place.Dir), []byte(place.Root+"\n"), 0o600); err != nil {
		return err
	}
	err := j.Env.Points.Around("worktree", func() error {
		return workspace.AddWorktree(ctx, place.Root, place.Dir, "", place.Base)
	})
	if err != nil {
		return errors.Join(err, os.Remove(unreadyMark(place.Dir)))
	}
	err = j.openWorkspace(ctx, place.Dir, id, "")
	if err == nil {
		err = j.Env.Points.Around("furnish", func() error { return j.furnishWorktree(ctx, p.Worktree) })
	}
	if err != nil {
		return errors.Join(err, removeUnreadyWorktree(ctx, place.Root, place.Dir))
	}
	return nil
}

// maxMark is the size of the largest mark of an unready worktree: it has a path.
const maxMark = 1 << 16

// sweepUnreadyWorktrees removes the worktrees that killed processes left unready.
func (r *Runner) sweepUnreadyWorktrees(ctx context.Context) error {
	marks, err := filepath.Glob(unreadyMark(r.folders.Worktree("*", "*")))
	if err != nil || len(marks) == 0 {
		return err
	}
	for _, mark := range marks {
		if root, err := regular.ReadFile(mark, maxMark); err != nil || strings.TrimSpace(string(root)) != r.Root {
			continue
		}
		dir := strings.TrimSuffix(mark, unreadyMark(""))
		lock, err := worklock.Take(ctx, r.folders.Lock(dir), r.isOver(ctx))
		if err != nil {
			continue // another process is making it
		}
		if err = errors.Join(r.sweepUnreadyWorktree(ctx, dir), lock.Unlock()); err != nil {
			r.warn(fmt.Sprintf("the worktree %s, which no session has, could not be removed: %v", dir, err))
		}
	}
	return ctx.Err()
}

// sweepUnreadyWorktree removes one worktree that no session has. Its lock must be held: the last
// holder may have begun a session there.
func (r *Runner) sweepUnreadyWorktree(ctx context.Context, dir string) error {
	if _, err := os.Lstat(unreadyMark(dir)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	all, err := r.journal.store.Sessions(ctx)
	switch {
	case jetstream.Damaged(err):
		return nil // one that is damaged may have it
	case err != nil:
		return err
	case slices.ContainsFunc(all, func(s mulligan.Summary) bool { return s.Dir == dir }):
		return os.Remove(unreadyMark(dir))
	}
	return removeUnreadyWorktree(ctx, r.Root, dir)
}

// removeUnreadyWorktree removes a worktree, and then its mark.
func removeUnreadyWorktree(ctx context.Context, root, dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		if err := workspace.RemoveWorktree(context.WithoutCancel(ctx), root, dir); err != nil {
			return err
		}
	}
	return os.Remove(unreadyMark(dir))
}

// findWorktreeOfFolder returns the worktree that the last task of a folder worked in, or nil if there
// is none: the next task works there too, also when another process runs it.
func (r *Runner) findWorktreeOfFolder(ctx context.Context, p *mulligan.Plan) (*mulligan.Place, error) {
	if p.Task.Folder == "" || !p.Worktree.Enabled || r.Options.Restart {
		return nil, nil
	}
	all, err := r.journal.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(all) {
		if s.Root != r.Root || s.Dir == s.Root || s.Folder != p.Task.Folder {
			continue
		}
		if _, err := os.Stat(s.Dir); err != nil || !sessions.EndedWell(s) {
			return nil, nil
		}
		state, err := r.readState(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		return &state.Place, nil
	}
	return nil, nil
}

// furnishWorktree brings into a new worktree what git does not: files, and what setup makes.
func (j *job) furnishWorktree(ctx context.Context, w mulligan.Worktree) error {
	return j.furnishFolder(ctx, w, j.ws.Dir())
}

// furnishFolder is furnishWorktree for a folder.
func (j *job) furnishFolder(ctx context.Context, w mulligan.Worktree, dir string) error {
	for _, name := range w.Copy {
		if err := copyFile(filepath.Join(j.Root, name), filepath.Join(dir, name)); err != nil {
			return usererror.Usage(fmt.Sprintf("worktree.copy: %v", err), "it names what a worktree needs and git does not have; take out what is not there")
		}
	}
	if w.Setup == "" {
		return nil
	}
	j.say("worktree setup: %s", w.Setup)
	out := process.NewHeadTail(4<<10, 12<<10)
	filtered := j.Env.Filter(out)
	e, err := j.pool.Run(ctx, process.Spec{
		Argv: []string{"sh", "-c", w.Setup}, Dir: dir, Env: j.Env.Environ, Stdout: filtered, Stderr: filtered, Timeout: 30 * time.Minute, Role: process.RoleHook,
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

// copyFile copies a file, or a folder with all in it.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	in, info, err := regular.Open(from)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
