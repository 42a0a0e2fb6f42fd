package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/lockfile"
	"mulligan/internal/process"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/journal"
	"mulligan/loop"
	"mulligan/state"
	"mulligan/task/door"
	"mulligan/workspace"
	"mulligan/workspace/setup"
)

// A job is one session that this process is to run, with its slot locked.
type job struct {
	*Runner
	session     *loop.Session
	lock        *lockfile.File // of the slot
	slot        string         // its folder
	store       *workspace.Store
	site        *workspace.Site
	proof       *proof
	ignored     []string          // files of the plan that git ignores in the person's checkout
	copied      []string          // local files of the person that the clones have got
	setups      map[string]string // by a setup's command a digest of what it read where the session began
	detectSetup func() []setup.Plan
	pool        *process.Pool
	door        *door.Door // nil until the slot is open
	sockets     string     // the folder that the door is in
	outfit      builtin.Outfit
	judge       mulligan.Judge
	began       int64 // number of the first event that this process writes
}

// newJob returns a job in a slot.
func (r *Runner) newJob(slot string) *job {
	return &job{Runner: r, slot: slot, began: 1, detectSetup: sync.OnceValue(func() []setup.Plan { return setup.Detect(r.Root) })}
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

// closeOnError returns the job if err is nil. Otherwise it closes the job and returns the error.
func (j *job) closeOnError(err error) (*job, error) {
	if err != nil {
		j.close()
		return nil, err
	}
	return j, nil
}

// close lets go of the job's workspace.
func (j *job) close() {
	if j.proof != nil {
		j.proof.wait()
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
func (r *Runner) readState(ctx context.Context, id string) (*state.State, error) {
	return journal.Fold(r.journal.Read(ctx, id, 1))
}
