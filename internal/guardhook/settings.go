package guardhook

import (
	"mulligan"
	"mulligan/internal/environ"
)

// Settings are how the guard is set for agents in a repository.
type Settings struct {
	Switch environ.Switch
	Rules  *mulligan.Guard // nil if it is off, or Wrong
	Agents map[string]mulligan.AgentSpec
	Origin string // of enabled:, where a config was read
	Wrong  error  // the mistakes of a config that has, or may have, the guard on
}

// IsOn reports whether claims are guarded.
func (s Settings) IsOn() bool { return s.Rules != nil || s.Wrong != nil }
