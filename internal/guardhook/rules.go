package guardhook

import (
	"os"
	"path/filepath"

	"mulligan/config"
	"mulligan/guard"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/text"
	"mulligan/plan"
	"mulligan/workspace"
)

// projectVariable is the folder that the person has started the agent's program in. An agent can
// change the folder that its events tell, and so leave for a repository without a guard.
const projectVariable = "CLAUDE_PROJECT_DIR"

// findRoot returns the repository that the agent works in: its top folder, or the folder itself where
// there is no repository.
func (w *work) findRoot() string {
	for _, dir := range []string{w.env.Getenv(projectVariable), w.event.Dir, w.env.Dir} {
		if info, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
			continue
		}
		return FindRoot(dir)
	}
	return w.env.Dir
}

// FindRoot returns the top folder of the repository that dir is in, or dir itself, links resolved,
// where there is none.
func FindRoot(dir string) string {
	if root, err := workspace.Find(dir); err == nil {
		return root.Dir
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return resolved
	}
	return dir
}

// loadRules finds out what claims have to pass; w.rules stays nil if the guard is off. wrong is a
// config with mistakes that has, or may have, the guard on.
func (w *work) loadRules() (wrong, err error) {
	s, err := LoadSettings(&w.env, w.root)
	w.rules, w.agents = s.Rules, s.Agents
	return s.Wrong, err
}

// LoadSettings returns how the guard is set for agents in the repository in root.
func LoadSettings(env *environ.Env, root string) (Settings, error) {
	s := Settings{}
	var err error
	if s.Switch, err = env.GuardSwitch(root); err != nil || s.Switch == environ.SwitchedOff {
		return s, err
	}
	if s.Switch == environ.Unswitched && !env.MentionsGuard(root) {
		return s, nil
	}
	c, err := env.LoadGuardConfig(root)
	if err != nil {
		return s, err
	}
	s.Rules, s.Agents, s.Wrong = plan.MakeGuard(c, builtin.Catalog())
	enabled := c.Get("guard", "enabled")
	s.Origin = enabled.Origin()
	if s.Wrong != nil && isOff(c, enabled) {
		s.Wrong = nil
	}
	return s, nil
}

// isOff reports whether a config with mistakes has the guard off all the same. One that cannot be read
// as a whole does not tell.
func isOff(c *config.Config, enabled config.Value) bool {
	if !enabled.OK() || enabled.Bool() {
		return false
	}
	for _, m := range c.Mistakes {
		if m.Path == "" && !enabled.Given() {
			return false
		}
	}
	return true
}

func clipReason(reason string) string { return text.Clip(reason, guard.MaxReason) }
