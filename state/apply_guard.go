package state

import (
	"errors"
	"maps"
	"slices"

	"mulligan"
)

// maxClaims is how many claims are remembered, so that one told again gets the same answer.
const maxClaims = 500

// applyGuardOpened begins the journal of a guard without a session: its plan is empty.
func (s *State) applyGuardOpened(e mulligan.Event, b mulligan.GuardOpened) {
	s.ID, s.Started, s.Version, s.Plan = e.Session, e.Time, b.Version, &mulligan.Plan{}
	s.Place = mulligan.Place{Dir: b.Dir, Root: b.Dir}
	s.Guard.Agent, s.Guard.Conversation = b.Agent, b.Conversation
}

func (s *State) applyGuardSeen(e mulligan.Event, b mulligan.GuardSeen) {
	g := &s.Guard
	for _, item := range b.Items {
		if item.Opened, item.Updated = e.Time, e.Time; g.Item(item.Key) == nil {
			g.Items = append(g.Items, item)
		}
	}
	change := func(keys []string, f func(*mulligan.GuardItem)) {
		for _, key := range keys {
			if item := g.Item(key); item != nil {
				item.Updated = e.Time
				f(item)
			}
		}
	}
	change(b.Reopened, func(i *mulligan.GuardItem) { resetItem(i, mulligan.ItemOpen) })
	change(b.Gone, func(i *mulligan.GuardItem) { i.Gone = true })
	change(b.Back, func(i *mulligan.GuardItem) { i.Gone = false })
	if len(b.Subjects) > 0 {
		if g.Subjects == nil {
			g.Subjects = map[string]string{}
		}
		maps.Copy(g.Subjects, b.Subjects)
	}
}

// resetItem forgets the claims of an item.
func resetItem(i *mulligan.GuardItem, status mulligan.GuardStatus) {
	i.Status, i.Attempts, i.Reason, i.By = status, 0, "", ""
}

func (s *State) applyGuardClaimed(e mulligan.Event, b mulligan.GuardClaimed) {
	g := &s.Guard
	for _, claimed := range b.Items {
		item := g.Item(claimed.Key)
		if item == nil {
			continue
		}
		item.Attempts, item.Gone = claimed.Attempt, false
		takeClaim(item, e, claimed)
	}
	claim := b.GuardClaim
	claim.Items = slices.Clone(b.Items) // a ruling changes them: the event stays as it was
	g.Claims = append(g.Claims, claim)
	if len(g.Claims) > maxClaims {
		g.Claims = g.Claims[1:]
	}
}

// takeClaim makes what was decided about a claim the item's own. Attempts begin anew once one passes. A claim
// that nothing was found about, because it is still to be validated or was one too many, leaves the
// reason of the last ruling.
func takeClaim(i *mulligan.GuardItem, e mulligan.Event, claimed mulligan.ClaimedItem) {
	i.Status, i.Updated = claimed.Status, e.Time
	if claimed.Status != mulligan.ItemValidating && claimed.Status != mulligan.ItemOver {
		i.Reason, i.By = claimed.Reason, claimed.By
	}
	if claimed.Status == mulligan.ItemPassed {
		i.Attempts = 0
	}
}

// applyGuardRuled settles the items of a claim. An item that has passed, or was claimed again meanwhile,
// stays as it is, but one that passes has passed: the agent's call is allowed. One that a person has
// decided about meanwhile stays as it is.
func (s *State) applyGuardRuled(e mulligan.Event, b mulligan.GuardRuled) {
	claim := s.Guard.Claim(b.Claim)
	for _, ruled := range b.Items {
		item := s.Guard.Item(ruled.Key)
		if item != nil && takesRuling(item, ruled) {
			takeClaim(item, e, ruled)
		}
		for i := range claim.Items {
			if claim.Items[i].Key == ruled.Key {
				claim.Items[i] = ruled
			}
		}
	}
	for _, usage := range b.Judges {
		s.countJudge(usage)
	}
}

// takesRuling reports whether what validation says of a claim of the item still counts.
func takesRuling(i *mulligan.GuardItem, ruled mulligan.ClaimedItem) bool {
	switch i.Status {
	case mulligan.ItemValidating:
		return ruled.Status == mulligan.ItemPassed || i.Attempts == ruled.Attempt
	case mulligan.ItemDenied, mulligan.ItemOver: // by a later claim; a person's word would have set the attempts back
		return ruled.Status == mulligan.ItemPassed && i.Attempts > ruled.Attempt
	default: // settled meanwhile, or reopened
		return false
	}
}

func (s *State) applyGuardDecided(e mulligan.Event, b mulligan.GuardDecided) {
	item := s.Guard.Item(b.Key)
	resetItem(item, b.Status)
	item.By, item.Updated = b.By, e.Time
}

// validateGuard refuses events of the guard that cannot follow what is there.
func (s *State) validateGuard(body mulligan.Body) error {
	switch b := body.(type) {
	case mulligan.GuardRuled:
		if s.Guard.Claim(b.Claim) == nil {
			return errors.New("no such claim")
		}
	case mulligan.GuardDecided:
		if s.Guard.Item(b.Key) == nil {
			return errors.New("no such item")
		}
	}
	return nil
}
