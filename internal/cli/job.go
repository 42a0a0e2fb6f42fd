package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/journal"
	"mulligan/view"
)

// A job is one session that this process is to run, with its workspace locked.
type job struct {
	*house
	session *mulligan.Session
	ws      *workspace.Workspace
	lock    *workspace.LockFile
	pool    *process.Pool
	began   int64 // number of the first event that this process writes
}

// A course is what `run` is to do about a task, given what became of it before.
type course struct {
	before *mulligan.Summary // the session to go on with; nil: a new one
	again  bool              // attempts are counted anew
	done   bool              // nothing is left to do
}

// job makes ready to run a plan. nil means that there is nothing left to do.
func (h *house) job(ctx context.Context, p *mulligan.Plan) (*job, error) {
	for {
		j, err := h.decide(ctx, p)
		if !errors.Is(err, errMoved) {
			return j, err
		}
	}
}

// decide is job, as things stand now. They may have changed before it had the workspace: errMoved.
func (h *house) decide(ctx context.Context, p *mulligan.Plan) (*job, error) {
	c, err := h.course(ctx, p)
	if err != nil {
		return nil, err
	}
	if c.done {
		h.say("%s was %s by session %s%s; --restart does it again", p.Task.Path, c.before.Ended, c.before.ID, onBranch(c.before))
		return nil, nil
	}
	if c.before == nil && h.place == nil {
		if h.place, err = h.placeApart(ctx, p); err != nil {
			return nil, err
		}
	}
	if c.before == nil && h.place != nil {
		return h.beginBeside(ctx, p, *h.place)
	}
	if c.before == nil {
		return h.begin(ctx, p)
	}
	return h.goOn(ctx, c, p)
}

// onBranch says where the work of a session is.
func onBranch(s *mulligan.Summary) string {
	if s.Branch == "" {
		return ""
	}
	return ", on " + s.Branch
}

// course looks for the newest session of the same task, text and pipeline.
func (h *house) course(ctx context.Context, p *mulligan.Plan) (course, error) {
	if h.opt.Restart {
		return course{}, nil
	}
	all, err := h.store.Sessions(ctx)
	if err != nil {
		return course{}, err
	}
	var c course
	for i, s := range all {
		if s.Root == h.root && s.Task == p.Task.Path && s.TaskHash == mulligan.TaskHash(p.Task.Text) && s.Pipeline == p.Pipeline && s.Name == p.Name() {
			c.before = &all[i]
		}
	}
	switch {
	case c.before == nil && h.opt.From != "":
		return c, usererror.Usage("--from goes on with a session, and this task has none", "run it without --from")
	case c.before == nil:
	case h.opt.From != "":
		c.again = true
	case c.before.Ended == mulligan.Verified || c.before.Ended == mulligan.Accepted:
		c.done = true
	default:
		c.again = c.before.Ended != "" && c.before.Ended != mulligan.Interrupted
	}
	return c, nil
}

// enter locks a workspace and opens it. branch is the session's, where it has one already:
// its commits go there even if the agent has moved HEAD.
func (h *house) enter(ctx context.Context, dir, id, branch string) (*job, error) {
	j, err := h.claim(ctx, dir, id)
	if err != nil {
		return nil, err
	}
	if err := j.open(ctx, dir, branch); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// claim locks a workspace, which need not be there yet.
func (h *house) claim(ctx context.Context, dir, id string) (*job, error) {
	j := &job{house: h, began: 1}
	path := h.folders.Lock(dir)
	if err := mkdirFor(path); err != nil {
		return nil, err
	}
	lock, err := lockWorkspace(ctx, path, h.over(ctx))
	if err != nil {
		return nil, err
	}
	j.lock = lock
	if err := h.endLeftovers(holderSession(lock.Before())); err != nil {
		j.close()
		return nil, err
	}
	if err := lock.Note(holder(id)); err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

func (j *job) open(ctx context.Context, dir, branch string) (err error) {
	j.ws, err = workspace.Open(ctx, workspace.Options{
		Dir: dir, Snapshots: j.folders.Snapshots(j.root), Branch: branch, Log: j.warn,
		Hold: j.lock.File(), Before: j.beforeGit(),
	})
	if err == nil {
		j.pool = j.keepers(j.lock.File())
	}
	return err
}

// beforeGit makes every git command on a workspace a point.
func (h *house) beforeGit() func(string) {
	if h.app.Points == nil {
		return nil
	}
	return func(command string) { h.app.Points.Pass("before git " + command) }
}

func (h *house) warn(text string) { fmt.Fprintf(h.app.Stderr, "mulligan: %s\n", view.Text(text)) }

func (j *job) close() {
	if j.pool != nil {
		j.pool.Close()
	}
	if j.ws != nil {
		j.ws.Close()
	}
	if j.lock != nil {
		_ = j.lock.Note("") // nothing of ours is left; a note that stays costs the next one a look
		j.lock.Unlock()
	}
}

// endLeftovers ends what is left of a session that was in the workspace before. Keepers see to
// that, unless they were killed together with their mulligan: two agents in one tree would be
// the worst of all.
func (h *house) endLeftovers(session string) error {
	n, err := process.EndLeftovers(session)
	if n > 0 {
		h.warn(fmt.Sprintf("processes of an earlier run of session %s were still there (%d), and were ended", session, n))
	}
	if err != nil {
		return fmt.Errorf("session %s: %w", session, err)
	}
	return nil
}

func holder(id string) string { return fmt.Sprintf("session %s, process %d", id, os.Getpid()) }

// over says whether the journal has the end of a session.
func (h *house) over(ctx context.Context) func(session string) bool {
	return func(session string) bool {
		s, err := summary(ctx, h.store.Store, session)
		return err == nil && s.Ended != ""
	}
}

// lockPatience is how long somebody who is about to let go of a workspace is waited for.
const lockPatience = 15 * time.Second

// lockWorkspace takes the lock, or says who has it. One who is about to let go is waited for.
func lockWorkspace(ctx context.Context, path string, over func(session string) bool) (*workspace.LockFile, error) {
	for began := time.Now(); ; clock.Sleep(ctx, 10*time.Millisecond) {
		lock, err := workspace.Lock(path)
		busy, held := errors.AsType[*workspace.BusyError](err)
		if !held {
			return lock, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !leaving(busy.Holder, over) || time.Since(began) > lockPatience {
			return nil, &usererror.Error{
				Code:  mulligan.ExitBusy,
				Words: "the workspace is busy: " + cmp.Or(busy.Holder, "another process has it, and does not say which"),
				Hint:  "`mulligan attach` watches that session, `mulligan stop` ends it, --worktree works beside it",
			}
		}
	}
}

// leaving says whether a holder is about to let go: a process that is gone, whose keepers are
// just ending its children, one whose session is over, or a person's command that writes a line to the
// journal. One that has noted nothing has just come, and will, or is as good as gone.
func leaving(holder string, over func(session string) bool) bool {
	if holder == "" || strings.HasPrefix(holder, passer) {
		return true
	}
	pid, session := holderPID(holder), holderSession(holder)
	return pid > 0 && !process.Alive(pid) || session != "" && over(session)
}

// holderSession is the session that a holder noted; "" where it was none.
func holderSession(note string) string {
	rest, _ := strings.CutPrefix(note, "session ")
	id, _, _ := strings.Cut(rest, ",")
	if _, ok := journal.Month(id); !ok {
		return ""
	}
	return id
}

func holderPID(note string) int {
	_, after, _ := strings.Cut(note, "process ")
	pid, _ := strconv.Atoi(strings.TrimSpace(after))
	return pid
}

// fold reads a session's state from the journal.
func (h *house) fold(ctx context.Context, id string) (*mulligan.State, error) {
	return foldFrom(ctx, h.store, id)
}

func foldFrom(ctx context.Context, store mulligan.Journal, id string) (*mulligan.State, error) {
	return journal.Fold(store.Read(ctx, id, 1))
}

func short(commit string) string {
	if len(commit) > 10 {
		return commit[:10]
	}
	return commit
}
