package workspace

import "context"

// BranchTip returns the commit of a branch, or "" if there is no such branch.
func (w *Workspace) BranchTip(ctx context.Context, branch string) (string, error) {
	return w.branchCommit(ctx, headsPrefix+branch)
}
