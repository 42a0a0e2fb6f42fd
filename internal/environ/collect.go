package environ

import "runtime/debug"

const (
	// shortGarbage is how much garbage, in percent of what is in use, a command that ends soon may gather:
	// collecting it would take a fifth of its time.
	shortGarbage = 300
	// shortMemory is from where on such a command collects more often again.
	shortMemory = 512 << 20
)

// ExpectEnd tells the garbage collector that this process ends soon. What a person has set for it in the
// environment stands.
func (e *Env) ExpectEnd() {
	if e.Getenv("GOGC") != "" || e.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(shortGarbage)
	debug.SetMemoryLimit(shortMemory)
}
