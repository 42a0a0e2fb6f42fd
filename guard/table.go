package guard

import "mulligan"

// A signal is what happens to an item.
type signal string

const (
	claim     signal = "claim"     // the agent says that it is done
	confirmed signal = "confirmed" // validation agrees
	refuted   signal = "refuted"   // validation does not
	reopened  signal = "reopened"  // the agent gives it another status
	released  signal = "released"  // a person lets the attempts begin anew
	approved  signal = "approved"  // a person lets the next claim pass
)

// A span is where the number of an attempt lies. "" is any.
type span string

const (
	first  span = "first"  // the first, where that one is always denied
	within span = "within" // up to the limit
	beyond span = "beyond" // over it
)

// A rule is one line of the state machine.
type rule struct {
	from mulligan.GuardStatus
	on   signal
	at   span
	to   mulligan.GuardStatus
}

// rules is the whole state machine. What has no line leaves the item as it is.
func rules() []rule {
	const (
		open       = mulligan.ItemOpen
		denied     = mulligan.ItemDenied
		validating = mulligan.ItemValidating
		passed     = mulligan.ItemPassed
		over       = mulligan.ItemOver
		allowed    = mulligan.ItemApproved
	)
	return []rule{
		{open, claim, first, denied},
		{open, claim, within, validating},
		{open, claim, beyond, over},
		{denied, claim, first, denied},
		{denied, claim, within, validating},
		{denied, claim, beyond, over},
		{validating, claim, first, denied}, // another claim, while one is looked at
		{validating, claim, within, validating},
		{validating, claim, beyond, over},
		{allowed, claim, "", passed},

		{validating, confirmed, "", passed},
		{validating, refuted, "", denied},

		{denied, reopened, "", open},
		{passed, reopened, "", open},

		{denied, released, "", open},
		{validating, released, "", open},
		{passed, released, "", open},
		{over, released, "", open},
		{allowed, released, "", open},

		{open, approved, "", allowed},
		{denied, approved, "", allowed},
		{validating, approved, "", allowed},
		{over, approved, "", allowed},
	}
}

// next returns how an item stands after a signal.
func next(from mulligan.GuardStatus, on signal, at span) mulligan.GuardStatus {
	for _, r := range rules() {
		if r.from == from && r.on == on && (r.at == "" || r.at == at) {
			return r.to
		}
	}
	return from
}

// rangeOf returns where an attempt lies.
func rangeOf(g mulligan.Guard, attempt int) span {
	switch {
	case attempt > g.MaxAttempts:
		return beyond
	case attempt == 1 && g.DenyFirst:
		return first
	}
	return within
}
