package guard

import (
	"slices"

	"mulligan"
	"mulligan/state"
)

// FindClaim returns a copy of the claim of an id: one that the state has, or the one among new events.
// It has no id if there is none.
func FindClaim(g *state.Guard, bodies []mulligan.Body, id string) mulligan.GuardClaim {
	var found mulligan.GuardClaim
	if known := g.Claim(id); known != nil {
		found = *known
	}
	for _, b := range bodies {
		if c, ok := b.(mulligan.GuardClaimed); ok && found.ID == "" {
			found = c.GuardClaim
		}
	}
	found.Items = slices.Clone(found.Items)
	return found
}

// Settle returns a copy of a claim with what came of its validation.
func Settle(c mulligan.GuardClaim, ruled mulligan.GuardRuled) mulligan.GuardClaim {
	c.Items = slices.Clone(c.Items)
	for i, item := range c.Items {
		if at := slices.IndexFunc(ruled.Items, func(r mulligan.ClaimedItem) bool { return r.Key == item.Key }); at >= 0 {
			c.Items[i] = ruled.Items[at]
		}
	}
	return c
}

// RuleAll returns the same ruling for every item of a claim that is to be validated.
func RuleAll(c mulligan.GuardClaim, r Ruling) []Ruling {
	var list []Ruling
	for _, item := range c.Items {
		if r.Key = item.Key; item.Status == mulligan.ItemValidating {
			list = append(list, r)
		}
	}
	return list
}
