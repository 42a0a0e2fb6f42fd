package plan

import (
	"path/filepath"
	"slices"

	"mulligan"
	"mulligan/internal/shellword"
)

// recordFile remembers a file that the plan was made of.
func (b *builder) recordFile(path string) {
	if rel, err := filepath.Rel(b.Root, path); err == nil && filepath.IsLocal(rel) {
		b.files = append(b.files, filepath.ToSlash(rel))
	}
}

// listFiles returns the files of the repository that a plan is made of, sorted: the config, what it names,
// and the scripts of checks and hooks.
func (b *builder) listFiles(p *mulligan.Plan) []string {
	if b.ConfigFile != "" {
		b.recordFile(b.ConfigFile)
	}
	for _, h := range p.AgentHooks.Hooks {
		if h.From != "" {
			b.recordFile(filepath.Join(b.Root, filepath.FromSlash(h.From)))
		}
	}
	for _, command := range listCommands(p) {
		if script := shellword.Script(command, b.Root); script != "" {
			b.files = append(b.files, script)
		}
	}
	slices.Sort(b.files)
	return slices.Compact(b.files)
}
