// Package guard has the rules for claims of completion: an agent that says that an item is done is
// asked for evidence first, then believed or not, and handed to a person when it has claimed too
// often. All of it is a function of the state and the call; what a call changes is returned as
// events.
package guard

import (
	"fmt"
	"slices"

	"mulligan"
	"mulligan/state"
)

// Receive returns the events that a call comes to, and the id by which its answer is found; "" if
// there is nothing to answer, since the call claims nothing. A call that was received before has no
// events: it gets the same answer again.
func Receive(g *state.Guard, rules mulligan.Guard, call Call) (bodies []mulligan.Body, claim string) {
	if known := g.Claim(call.ID); known != nil {
		return nil, known.ID
	}
	call = resolveSubjects(g, clipContents(call))
	call.Items = compact(call.Items, rules)
	if seen, any := see(g, call); any {
		bodies = append(bodies, seen)
	}
	c := mulligan.GuardClaim{ID: call.ID, Tool: call.Tool, Max: rules.MaxAttempts}
	for _, item := range call.Items {
		if claimed, isNew := claimItem(g, rules, item); isNew {
			c.Items = append(c.Items, claimed)
		}
	}
	if len(c.Items) == 0 {
		return bodies, ""
	}
	if c.ID == "" {
		c.ID = nextID(g)
	}
	return append(bodies, mulligan.GuardClaimed{GuardClaim: c}), c.ID
}

// nextID returns an id for a claim of which the agent gives none.
func nextID(g *state.Guard) string {
	for n := len(g.Claims) + 1; ; n++ {
		if id := fmt.Sprintf("claim-%d", n); g.Claim(id) == nil {
			return id
		}
	}
}

// see returns what a call tells besides claims, and reports whether it tells anything.
func see(g *state.Guard, call Call) (seen mulligan.GuardSeen, any bool) {
	listed := map[string]bool{}
	var fresh []Item
	for _, item := range call.Items {
		key := Key(item.Content)
		listed[key] = true
		switch known := g.Item(key); {
		case known == nil && item.Gone:
		case known == nil:
			fresh = append(fresh, item)
		default:
			if known.Gone != item.Gone && !item.Completed {
				if item.Gone {
					seen.Gone = append(seen.Gone, key)
				} else {
					seen.Back = append(seen.Back, key)
				}
			}
			isOpen := item.Open && !item.Completed || takesOver(g, item)
			if isOpen && next(known.Status, reopened, "") != known.Status {
				seen.Reopened = append(seen.Reopened, key)
			}
		}
	}
	seen.Gone = append(seen.Gone, findRenamed(g, call, listed)...)
	missing := missingItems(g, call, listed)
	for _, item := range missing {
		seen.Gone = append(seen.Gone, item.Key)
	}
	seen.Items = newItems(fresh, missing, call.Commit)
	seen.Subjects = newSubjects(g, call.Subjects)
	return seen, len(seen.Items)+len(seen.Reopened)+len(seen.Gone)+len(seen.Back)+len(seen.Subjects) > 0
}

// missingItems returns the items that the agent has dropped from its list.
func missingItems(g *state.Guard, call Call, listed map[string]bool) []mulligan.GuardItem {
	var missing []mulligan.GuardItem
	for _, item := range g.Items {
		if call.Whole && !item.Gone && item.Task == 0 && !listed[item.Key] {
			missing = append(missing, item)
		}
	}
	return missing
}

// newItems returns the items that were not known. One that appears when another goes that was
// claimed and not believed may be that one renamed: it begins anew, and names the other.
func newItems(fresh []Item, missing []mulligan.GuardItem, commit string) []mulligan.GuardItem {
	missing = slices.DeleteFunc(missing, func(i mulligan.GuardItem) bool {
		return i.Attempts == 0
	})
	var list []mulligan.GuardItem
	for _, item := range fresh {
		n := mulligan.GuardItem{
			Key: Key(item.Content), Content: item.Content, Status: mulligan.ItemOpen, Task: item.Task, Commit: commit,
		}
		switch {
		case isRenamed(item):
			n.Instead = item.Was
		case len(missing) > 0:
			n.Instead, missing = missing[0].Content, missing[1:]
		}
		list = append(list, n)
	}
	return list
}

func newSubjects(g *state.Guard, subjects map[string]string) map[string]string {
	list := map[string]string{}
	for id, subject := range subjects {
		if g.Subjects[id] != subject {
			list[id] = subject
		}
	}
	return list
}

// claimItem returns what is made of a claim that an item is done, and reports whether it is one: an
// item that has passed is done already.
func claimItem(g *state.Guard, rules mulligan.Guard, item Item) (mulligan.ClaimedItem, bool) {
	known := mulligan.GuardItem{Key: Key(item.Content), Content: item.Content, Status: mulligan.ItemOpen}
	if k := g.Item(known.Key); k != nil {
		known = *k
	}
	if takesOver(g, item) {
		known.Status, known.Attempts = mulligan.ItemOpen, 0
	}
	if !item.Completed || known.Status == mulligan.ItemPassed {
		return mulligan.ClaimedItem{}, false
	}
	claimed := mulligan.ClaimedItem{Key: known.Key, Content: item.Content, Attempt: known.Attempts + 1, By: mulligan.ByGuard}
	claimed.Status = next(known.Status, claim, rangeOf(rules, claimed.Attempt))
	if known.Status == mulligan.ItemApproved {
		claimed.By = mulligan.ByPerson
	}
	return claimed, true
}

// A Ruling is what validation found about an item.
type Ruling struct {
	Key    string
	OK     bool
	Reason string
	By     string // the agent that looked at it, mulligan.ByChecks, mulligan.ByNobody
	Broken bool   // no decision could be made
}

// Conclude returns the event that settles the items of a claim that were to be validated. An item
// without a ruling is denied.
func Conclude(c mulligan.GuardClaim, rulings []Ruling, judges []mulligan.Usage) mulligan.GuardRuled {
	ruled := mulligan.GuardRuled{Claim: c.ID, Judges: judges}
	for _, item := range c.Items {
		if item.Status != mulligan.ItemValidating {
			continue
		}
		r := Ruling{Key: item.Key, Reason: "nobody has looked at it", By: mulligan.ByGuard, Broken: true}
		if i := slices.IndexFunc(rulings, func(r Ruling) bool { return r.Key == item.Key }); i >= 0 {
			r = rulings[i]
		}
		on := refuted
		if r.OK {
			on = confirmed
		}
		item.Status, item.Reason, item.By, item.Broken = next(item.Status, on, ""), clipReason(r.Reason), r.By, r.Broken
		ruled.Items = append(ruled.Items, item)
	}
	return ruled
}
