package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mulligan"
	"mulligan/feedback"
	"mulligan/gate/writerules"
	"mulligan/internal/builtin"
	"mulligan/internal/usererror"
	"mulligan/internal/worklock"
	"mulligan/loop"
	"mulligan/state"
	"mulligan/workspace"
)

// A Bench is a proof outside of a session, for commands that only check. It is in a slot that no session works in.
type Bench struct {
	job  *job
	plan *mulligan.Plan
	tree mulligan.Tree // what is laid out at first
}

// BenchOptions say what a bench is for.
type BenchOptions struct {
	Command string         // that it is for
	Plan    *mulligan.Plan // whose setup makes it ready
	// Session is the session whose verified work is checked; nil: HEAD is, with the files of the plan as they are in the
	// checkout.
	Session *state.State
}

// OpenBench makes a proof ready for checks. It prints what it does, as a session does in its first lines.
func OpenBench(ctx context.Context, c Config, opt BenchOptions) (*Bench, error) {
	folders, err := c.Env.Folders()
	if err != nil {
		return nil, err
	}
	r := &Runner{Config: c, folders: folders}
	j := r.newJob(folders.BenchSlot(c.Root))
	if j.lock, err = worklock.Take(ctx, folders.Lock(workspace.WorkspaceIn(j.slot)), func(string) bool { return false }); err != nil {
		return nil, err
	}
	b := &Bench{job: j, plan: opt.Plan}
	if err := j.lock.Note(worklock.CommandNote(opt.Command)); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	if err := b.open(ctx, opt.Session); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// open opens the slot at a session's verified work, or at HEAD with the files of the plan.
func (b *Bench) open(ctx context.Context, session *state.State) error {
	j := b.job
	c, err := j.openStore(ctx)
	if err != nil {
		return err
	}
	head := c.Head
	if session != nil {
		head = session.Head
	}
	if err := j.openSite(ctx, b.plan, c, mulligan.Place{Dir: workspace.WorkspaceIn(j.slot), Root: j.Root}, head); err != nil {
		return err
	}
	if session == nil {
		if head, err = j.present(ctx, b.plan, head, benchLabel); err != nil {
			return err
		}
	}
	b.tree.Head = head
	if b.tree.ID, err = j.store.TreeOf(ctx, head); err != nil {
		return err
	}
	j.proof.usePlan(b.plan)
	return j.proof.Prepare(ctx)
}

// benchLabel is what a bench's files of the plan are kept under, in place of a session.
const benchLabel = "bench"

// Lay makes the proof anew, and returns its path.
func (b *Bench) Lay(ctx context.Context) (dir string, err error) {
	return b.job.proof.Dir(), b.job.proof.LayFresh(ctx, b.tree)
}

// Check runs checks in the proof, each on the tree as it is committed. output is a folder for what they print. report is
// called with each check before it runs, with a nil verdict, and after it.
func (b *Bench) Check(ctx context.Context, checks []mulligan.CheckSpec, output string, report func(mulligan.CheckSpec, *mulligan.Verdict)) error {
	deps := b.deps()
	for i, check := range checks {
		gate, err := builtin.NewGate(check, deps)
		if err != nil {
			return err
		}
		if err := b.job.proof.Lay(ctx, b.tree); err != nil {
			return err
		}
		report(check, nil)
		v := gate.Examine(ctx, mulligan.Work{
			Session: "check", Step: "check", Attempt: 1, Iteration: 1, Dir: b.job.proof.Dir(), Output: filepath.Join(output, fmt.Sprintf("%d.log", i+1)),
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		report(check, &v)
	}
	return nil
}

// deps returns what checks are built with.
func (b *Bench) deps() builtin.Deps {
	j := b.job
	return builtin.Deps{Pool: j.pool, Environ: j.Env.Environ, Filter: j.Env.Filter, CheckEnv: j.slotEnv()}
}

// Verify runs the checks of a session's verified steps once more.
func (b *Bench) Verify(ctx context.Context, state *state.State, output string, report func(mulligan.CheckSpec, *mulligan.Verdict)) error {
	j, deps := b.job, b.deps()
	s := &loop.Session{
		Workspace: j.site.Workspace, Proof: j.proof, Store: j.newStore(state.Plan, state.ID), Records: records{}, Clock: j.Env.SessionClock(),
		FindViolations: writerules.Find, Compare: feedback.CompareToBaseline,
		Gates: func(step mulligan.Step) ([]mulligan.Gate, error) { return newGates(step, deps) },
	}
	err := s.VerifyAgain(ctx, state, func(n int) string { return filepath.Join(output, fmt.Sprintf("%d.log", n)) }, report)
	if errors.Is(err, loop.ErrNothingVerified) {
		return usererror.Usage("session "+state.ID+" has verified nothing", "`mulligan status` says how it stands; `mulligan take` makes a branch of any attempt")
	}
	return err
}

// Close lets go of the slot.
func (b *Bench) Close() error {
	j := b.job
	if j.store != nil {
		_ = j.store.Forget(context.Background(), "", benchLabel) // what stays is overwritten by the next
	}
	j.close()
	return os.RemoveAll(j.folders.Temp(j.slot))
}
