package runner

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"mulligan"
	"mulligan/workspace"
)

// A proof is the proof of a session as the loop knows it: it is made ready while the first turn runs.
type proof struct {
	*workspace.Proof
	job    *job
	plan   *mulligan.Plan
	making sync.WaitGroup
	err    error
	took   time.Duration // how long it takes to make it ready, by what the workspace took
}

func newProof(j *job) *proof { return &proof{Proof: j.site.Proof, job: j} }

// prepare begins to make the proof ready for a session. Where a test counts the points at which the process may end, it
// ends first.
func (p *proof) prepare(ctx context.Context, plan *mulligan.Plan, to mulligan.Tree, took time.Duration) {
	p.took = took
	p.usePlan(plan)
	p.making.Go(func() { p.err = p.make(context.WithoutCancel(ctx), plan, to) })
	if p.job.Env.Points != nil {
		p.making.Wait()
	}
}

// usePlan has the proof be made ready as a plan says, when it is made anew.
func (p *proof) usePlan(plan *mulligan.Plan) {
	p.plan = plan
	p.Furnish = func(ctx context.Context, dir string) error {
		if err := p.job.forgetSetup("proof"); err != nil {
			return err
		}
		_, err := p.job.furnish(ctx, plan, dir, "proof")
		return err
	}
	p.Makes = p.job.listMade(plan)
}

// make makes the proof ready.
func (p *proof) make(ctx context.Context, plan *mulligan.Plan, to mulligan.Tree) error {
	return p.job.Env.Points.Around("proof", func() error {
		if err := p.Prepare(ctx); err != nil {
			return err
		}
		if _, err := os.Lstat(p.Dir()); errors.Is(err, fs.ErrNotExist) {
			return p.Proof.LayFresh(ctx, to)
		}
		if err := p.Proof.Lay(ctx, to); err != nil {
			return err
		}
		_, err := p.job.furnish(ctx, plan, p.Dir(), "proof")
		return err
	})
}

// wait waits until the proof is ready, and returns what kept it from that.
func (p *proof) wait() error {
	p.making.Wait()
	return p.err
}

func (p *proof) Lay(ctx context.Context, to mulligan.Tree) error {
	if err := p.wait(); err != nil {
		return err
	}
	if err := p.Proof.Lay(ctx, to); err != nil {
		return err
	}
	return p.job.setUp(ctx, p.plan, p.Dir(), "proof") // the work may have another lock file
}

func (p *proof) LayFresh(ctx context.Context, to mulligan.Tree) error {
	if err := p.wait(); err != nil {
		return err
	}
	return p.Proof.LayFresh(ctx, to)
}

func (p *proof) IsFresh(ctx context.Context) (bool, error) {
	if err := p.wait(); err != nil {
		return false, err
	}
	return p.Proof.IsFresh(ctx)
}
