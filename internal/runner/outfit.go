package runner

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"mulligan"
	"mulligan/internal/builtin"
	"mulligan/internal/confine"
)

// outfitAgents gives the session's agents an empty folder for temporary files, and the caches that the repository's agents
// have. The person's own are read only by agents: what an agent can write, no check reads.
func (j *job) outfitAgents() error {
	temp := j.folders.Temp(j.slot)
	if err := errors.Join(os.RemoveAll(temp), os.MkdirAll(temp, 0o700)); err != nil {
		return fmt.Errorf("making the agents' folder for temporary files: %w", err)
	}
	caches := j.folders.Caches(j.Root)
	vars, err := confine.MakeCaches(caches, j.Env.Environ)
	if err != nil {
		return fmt.Errorf("making the agents' caches: %w", err)
	}
	j.outfit = builtin.Outfit{
		Vars: append(append(vars, "TMPDIR="+temp), j.slotEnv()...), Caches: caches,
		Keep: append(j.Env.ListKept(j.Root), j.sockets), Checkout: j.Root,
	}
	return nil
}

// noteOutfit adds notes to the plan about what the agents' confinement does not keep from them here, or keeps from them that
// is theirs elsewhere.
func (j *job) noteOutfit(p *mulligan.Plan) {
	var closed []string
	confined := false
	for _, spec := range p.Agents {
		if spec.Confined == "" {
			continue
		}
		confined = true
		request := builtin.Writes(spec, j.site.Workspace.Dir(), j.Env.Environ, j.outfit)
		for _, w := range request.List() {
			if confine.Covers(w.Path, j.folders.State) {
				p.Notes = append(p.Notes, fmt.Sprintf("agent %s may write %s (%s), where mulligan's state is: only its own clone keeps it from the checks and the journal", spec.Name, w.Path, w.Why))
			}
		}
	}
	for _, dir := range confine.TempFolders {
		for _, kept := range j.outfit.Keep {
			if confine.Covers(dir, kept) {
				closed = append(closed, fmt.Sprintf("%s (%s is in it)", dir, kept))
				break
			}
		}
	}
	if confined && len(closed) > 0 {
		p.Notes = append(p.Notes, "agents may not write "+strings.Join(closed, " and ")+"; they have a folder for temporary files of their own, TMPDIR")
	}
}
