package runner

import (
	"context"

	"mulligan"
	"mulligan/state"
	"mulligan/workspace"
)

// EndKilled ends a session that no process runs, as `mulligan stop` does: what it left is kept, and it can be resumed.
func (r *Runner) EndKilled(ctx context.Context, s mulligan.Summary) (*state.State, error) {
	j, err := r.claimSlot(ctx, s.ID, s.Dir)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if err := r.endLeftovers(s.ID); err != nil {
		return nil, err
	}
	state, err := j.readState(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	c, err := j.openStore(ctx)
	if err != nil {
		return nil, err
	}
	j.began = state.Last + 1
	e := &reentry{job: j, state: state}
	if err := e.bringSlot(ctx, c); err != nil {
		return nil, err
	}
	j.session = j.assemble(state.Plan, state.ID)
	if err := j.session.EndKilled(ctx, state); err != nil {
		return nil, err
	}
	return j.session.State(), nil
}

// bringSlot brings the slot to what a killed session left: what is there, if it is the same slot, or else what is kept.
func (e *reentry) bringSlot(ctx context.Context, c workspace.Checkout) error {
	place, head := e.state.Place, e.state.Head
	if err := e.openSite(ctx, e.state.Plan, c, place, head); err != nil {
		return err
	}
	if workspace.WorkspaceIn(e.slot) == place.Dir && e.site.Workspace.IsThere() {
		return nil
	}
	to := e.treeToContinue()
	if to.ID == "" {
		tree, err := e.store.TreeOf(ctx, head)
		if err != nil {
			return err
		}
		to = mulligan.Tree{ID: tree, Head: head}
	}
	return e.site.Workspace.Prepare(ctx, to)
}
