package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"mulligan"
	"mulligan/internal/confine"
	"mulligan/internal/lockfile"
	"mulligan/internal/process"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/internal/workspace"
	"mulligan/journal"
	"mulligan/task/door"
	wall "mulligan/workspace"
)

// A job is one session that this process is to run, with its workspace locked.
type job struct {
	*Runner
	session *mulligan.Session
	ws      *workspace.Workspace
	slot    string // the folder of the slot that the job has locked; "" if it works in the person's checkout
	store   *wall.Store
	site    *wall.Site
	lock    *lockfile.File
	pool    *process.Pool
	door    *door.Door // nil until the workspace is open
	judge   mulligan.Judge
	began   int64 // number of the first event that this process writes
}

// A priorSession is what became of a task before, and so what `run` does about it now.
type priorSession struct {
	summary *mulligan.Summary // the session to resume; nil for a new one
	again   bool              // attempts are counted anew
	done    bool              // nothing is left to do
}

// prepareJob makes ready to run a plan. It returns nil if there is nothing left to do.
func (r *Runner) prepareJob(ctx context.Context, p *mulligan.Plan) (*job, error) {
	for range maxMoves {
		j, err := r.tryPrepareJob(ctx, p)
		if !errors.Is(err, errMoved) {
			return j, err
		}
	}
	return nil, errRestless
}

// tryPrepareJob is prepareJob, as things stand now. errMoved means that they changed before it had
// the workspace.
func (r *Runner) tryPrepareJob(ctx context.Context, p *mulligan.Plan) (*job, error) {
	prior, err := r.findPriorSession(ctx, p)
	if err != nil {
		return nil, err
	}
	if s := prior.summary; prior.done {
		onBranch := ""
		if s.Branch != "" {
			onBranch = ", on " + s.Branch
		}
		r.say("%s was %s by session %s%s; --restart does it again", p.Task.Label(), s.Ended, s.ID, onBranch)
		return nil, nil
	}
	if prior.summary != nil {
		return r.resumePrior(ctx, prior, p)
	}
	if r.place == nil && !r.usesSite(p) {
		if r.place, err = r.findWorktreeOfFolder(ctx, p); err != nil {
			return nil, err
		}
	}
	if r.usesSite(p) {
		return r.beginInSite(ctx, p, sessions.NewID(r.Env.SessionClock().Now()))
	}
	if r.place != nil {
		return r.beginInPlace(ctx, p, *r.place)
	}
	return r.beginSession(ctx, p)
}

// findPriorSession looks for the newest session of the same task, text and pipeline.
func (r *Runner) findPriorSession(ctx context.Context, p *mulligan.Plan) (priorSession, error) {
	if r.Options.Restart {
		return priorSession{}, nil
	}
	all, err := r.journal.Sessions(ctx)
	if err != nil {
		return priorSession{}, err
	}
	var prior priorSession
	if prior.summary, err = r.findOfPlan(ctx, all, p); err != nil {
		return prior, err
	}
	switch s := prior.summary; {
	case s == nil && r.Options.From != "":
		return prior, usererror.Usage("--from goes on with a session, and this task has none", "run it without --from")
	case s == nil:
	case r.Options.From != "":
		prior.again = true
	case sessions.EndedWell(*s):
		prior.done = true
	default:
		prior.again = s.Ended != "" && s.Ended != mulligan.Interrupted
	}
	return prior, nil
}

// findOfPlan returns the newest session of the plan's task, text and pipeline, or nil if there is none. The
// list only tells which sessions may be: what each came to is in its events, and its summary is made of
// those.
func (r *Runner) findOfPlan(ctx context.Context, all []mulligan.Summary, p *mulligan.Plan) (*mulligan.Summary, error) {
	isOfPlan := func(s mulligan.Summary) bool {
		return s.Root == r.Root && s.Task == p.Task.Label() && s.TaskHash == mulligan.TaskHash(p.Task.Text) && s.Pipeline == p.Pipeline && s.Name == p.Name()
	}
	for _, s := range slices.Backward(all) {
		if !isOfPlan(s) {
			continue
		}
		state, err := r.readState(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		if s = state.Summary(); isOfPlan(s) {
			return &s, nil
		}
		r.warn(fmt.Sprintf("the list says that session %s is of this task, and its events say otherwise; it is left out", s.ID))
	}
	return nil, nil
}

// enterWorkspace locks a workspace and opens it. branch is the session's, if it has one already: its
// commits go there even if the agent has moved HEAD.
func (r *Runner) enterWorkspace(ctx context.Context, dir, id, branch string) (*job, error) {
	j, err := r.claimWorkspace(ctx, dir, id)
	if err != nil {
		return nil, err
	}
	return j.closeOnError(j.openWorkspace(ctx, dir, id, branch))
}

// claimWorkspace locks a workspace, which need not be there yet.
func (r *Runner) claimWorkspace(ctx context.Context, dir, id string) (*job, error) {
	lock, err := worklock.Take(ctx, r.folders.Lock(dir), r.isOver(ctx))
	if err != nil {
		return nil, err
	}
	j := &job{Runner: r, began: 1, lock: lock}
	if err = r.endLeftovers(worklock.ParseHolder(lock.Before()).Session); err == nil {
		err = lock.Note(worklock.SessionNote(id))
	}
	return j.closeOnError(err)
}

// folderHolder stands for a session in the lock of a workspace in which the branch of a folder's tasks is
// checked out.
const folderHolder = "folder"

// openWorkspace opens a workspace whose lock the job has, and starts the pool of its children.
func (j *job) openWorkspace(ctx context.Context, dir, id, branch string) (err error) {
	if err := process.LeadSession(); err != nil {
		return err
	}
	// Its keepers hold the workspace's lock open, so that after a crash no session enters before the
	// last child is gone.
	j.pool = process.NewPool(process.PoolOptions{State: j.folders.State, Inherit: []*os.File{j.lock.File()}, Lost: j.noteLostKeeper})
	if id == folderHolder {
		id = ""
	}
	known, err := j.readKnown(ctx, id)
	if err != nil {
		return err
	}
	j.ws, err = workspace.Open(ctx, workspace.Options{
		Dir: dir, Snapshots: j.folders.Snapshots(j.Root), Branch: branch, Log: j.warn,
		Hold: j.lock.File(), Before: func(command string) { j.Env.Points.Pass("before git " + command) },
		Session: id, Known: known, MemoryOf: findMemory(ctx, j.journal), Keeper: j.pool, Filters: j.makeFilterSpec(), FilterConfine: j.confineFilters(dir),
	})
	if err == nil {
		j.Runner.pool = j.pool
		j.pool.Warm()
		j.door, err = j.newDoor()
	}
	return err
}

// readKnown returns what the journal says of the files that earlier processes of a session have kept: nothing, of one that
// is only about to begin.
func (r *Runner) readKnown(ctx context.Context, id string) (workspace.Known, error) {
	if id == "" {
		return workspace.Known{}, nil
	}
	state, err := r.readState(ctx, id)
	if errors.Is(err, mulligan.ErrNoSession) {
		return workspace.Known{}, nil
	}
	if err != nil {
		return workspace.Known{}, err
	}
	return knownOf(state), nil
}

// knownOf returns what a session's state says of the files that the session's processes have kept.
func knownOf(state *mulligan.State) workspace.Known {
	return workspace.Known{Config: state.Git.Config, Killed: state.Outcome == nil, Memory: state.Git.Memory}
}

// findMemory returns a function that returns the digest of what a session that was killed has remembered of git's own
// files, "" if it has ended, or is not there.
func findMemory(ctx context.Context, store mulligan.Journal) func(session string) (string, error) {
	return func(session string) (string, error) {
		state, err := journal.Fold(store.Read(ctx, session, 1))
		if errors.Is(err, mulligan.ErrNoSession) || err == nil && state.Outcome != nil {
			return "", nil
		}
		if err != nil {
			return "", err
		}
		return state.Git.Memory, nil
	}
}

// makeFilterSpec returns what the filters of git's config have of the world: what an agent has.
func (j *job) makeFilterSpec() process.Spec {
	return process.Spec{Env: process.AgentEnv(j.Env.Environ, nil, false), Role: process.RoleAgent}
}

// confineFilters returns what filters may write in a workspace: what an agent may, and the scratch folders in which the
// git that starts them has its index. The rest of the snapshot repository is not theirs.
func (j *job) confineFilters(dir string) func(scratch []string) *process.Confinement {
	if !process.DescribeLandlock(process.LandlockABI()).Confines {
		return nil
	}
	writes := confine.Request{Dir: dir, Environ: process.AgentEnv(j.Env.Environ, nil, false), Root: os.Geteuid() == 0}
	return func(scratch []string) *process.Confinement {
		request := writes
		request.Writable = scratch
		return request.Confinement(process.Landlock)
	}
}

// isOver reports whether git's config of the session's start is needed no more: the session has ended, or
// has not begun. After anything else an agent may have changed the config, so that a resumed session needs
// that of its start.
func (j *job) isOver() bool {
	if j.session == nil {
		return j.ws == nil || j.ws.IsFresh()
	}
	return j.session.State().Outcome != nil
}

// closeOnError returns the job if err is nil. Otherwise it closes the job and returns the error.
func (j *job) closeOnError(err error) (*job, error) {
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// close ends the job's children and lets go of its workspace.
func (j *job) close() {
	if j.pool != nil {
		j.pool.Close()
	}
	if j.ws != nil {
		if j.isOver() {
			j.ws.ForgetStart()
		}
		j.ws.Close()
	}
	if j.lock != nil {
		_ = j.lock.Note("") // nothing of ours is left; a note that stays costs the next one a look
		j.lock.Unlock()
	}
}

// endLeftovers ends what is left of a session that was in the workspace before. Keepers do that,
// unless they were killed together with their mulligan: two agents in one tree would be the worst of
// all.
func (r *Runner) endLeftovers(session string) error {
	n, err := process.EndLeftovers(session)
	if n > 0 {
		r.warn(fmt.Sprintf("processes of an earlier run of session %s were still there (%d), and were ended", session, n))
	}
	if err != nil {
		return fmt.Errorf("session %s: %w", session, err)
	}
	return nil
}

// isOver returns a function that reports whether the journal has the end of a session.
func (r *Runner) isOver(ctx context.Context) func(session string) bool {
	return func(session string) bool {
		s, err := sessions.ReadSummary(ctx, r.journal.store, session)
		return err == nil && s.Ended != ""
	}
}

// readState reads a session's state from the journal.
func (r *Runner) readState(ctx context.Context, id string) (*mulligan.State, error) {
	return journal.Fold(r.journal.Read(ctx, id, 1))
}
