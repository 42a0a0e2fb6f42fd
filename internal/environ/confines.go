package environ

import (
	"mulligan/internal/process"
	"mulligan/plan"
)

// Confines returns what this system can confine agents with.
func (e *Env) Confines() *plan.Confines {
	bwrap, err := process.Find("bwrap", e.Dir, e.Environ)
	if err != nil {
		bwrap = ""
	}
	return &plan.Confines{Landlock: process.LandlockABI(), Bwrap: bwrap}
}
