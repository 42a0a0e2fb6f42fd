package cli

import (
	"os"

	"mulligan"
	"mulligan/internal/guardhook"
	"mulligan/workspace"
)

// lookAtGuards finds what the guard keeps of conversations of agents that nothing was heard of for long
// enough. It changes nothing.
func (p *pruner) lookAtGuards(all []mulligan.Summary) {
	root := guardhook.FindRoot(p.app.Dir)
	for _, g := range all {
		if !g.Updated.Before(p.before) || g.Root != root && !p.opt.All {
			continue
		}
		bytes := workspace.SizeOf(p.folders.Session(g.ID)) + workspace.SizeOf(guardhook.ConversationFile(p.folders, g.ID))
		if bytes > 0 {
			p.guards = append(p.guards, pruneItem{session: g, bytes: bytes})
		}
	}
}

// removeGuard removes what is kept of a conversation besides its events.
func (p *pruner) removeGuard(i pruneItem) error {
	if err := guardhook.ForgetConversation(p.folders, i.session.ID); err != nil {
		return err
	}
	return os.RemoveAll(p.folders.Session(i.session.ID))
}
