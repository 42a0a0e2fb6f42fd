package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mulligan"
	"mulligan/state"
)

// wronglyCounted begins a line about what may not happen, killed or not.
const wronglyCounted = "WRONG: "

// A claimTally follows what the guard counts in a session. A turn that is given again after a kill
// claims again, so how often an item was claimed depends on the kill; what must hold is that every
// claim is one more than the last, that a claim which the agent gives an id is counted once, and how the
// items stand at the end.
type claimTally struct {
	state     state.Guard
	completed map[int]bool
	wrong     []string
}

// follow counts an event, and returns its line where no kill changes it: claims that have an id of
// the agent's own, which is the same when the turn is given again.
func (c *claimTally) follow(body mulligan.Body) (line string) {
	switch b := body.(type) {
	case mulligan.GuardClaimed:
		c.claim(b.GuardClaim)
		line = describeClaim("claimed", b.ID, b.Items)
	case mulligan.GuardRuled:
		c.rule(b)
		line = describeClaim("ruled", b.Claim, b.Items)
	case mulligan.GuardSeen:
		for _, key := range b.Reopened {
			c.reset(key, mulligan.ItemOpen)
		}
	case mulligan.GuardDecided:
		c.reset(b.Key, b.Status)
	case mulligan.TaskAdded:
		delete(c.completed, b.Task.ID)
	case mulligan.TaskChanged:
		delete(c.completed, b.Task.ID)
	case mulligan.TaskCompleted:
		if c.completed[b.Task.ID] {
			c.complain("task %d is completed twice", b.Task.ID)
		}
		c.set(b.Task.ID)
	}
	return line
}

// reset forgets the claims of an item.
func (c *claimTally) reset(key string, status mulligan.GuardStatus) {
	if item := c.state.Item(key); item != nil {
		item.Attempts, item.Status = 0, status
	}
}

func (c *claimTally) set(task int) {
	if c.completed == nil {
		c.completed = map[int]bool{}
	}
	c.completed[task] = true
}

func describeClaim(what, id string, items []mulligan.ClaimedItem) string {
	if strings.HasPrefix(id, "claim-") {
		return "" // the guard's own
	}
	return fmt.Sprintf("guard %s %s %s", what, id, short(items))
}

func (c *claimTally) complain(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

func (c *claimTally) claim(claim mulligan.GuardClaim) {
	if c.state.Claim(claim.ID) != nil {
		c.complain("claim %s is counted twice", claim.ID)
	}
	c.state.Claims = append(c.state.Claims, claim)
	for _, claimed := range claim.Items {
		item := c.state.Item(claimed.Key)
		if item == nil {
			c.state.Items = append(c.state.Items, mulligan.GuardItem{Key: claimed.Key})
			item = c.state.Item(claimed.Key)
		}
		if claimed.Attempt != item.Attempts+1 || item.Status == mulligan.ItemPassed {
			c.complain("claim %d of %q, which is %s, follows claim %d", claimed.Attempt, claimed.Content, item.Status, item.Attempts)
		}
		item.Attempts, item.Status = claimed.Attempt, claimed.Status
	}
}

func (c *claimTally) rule(ruled mulligan.GuardRuled) {
	if claim := c.state.Claim(ruled.Claim); claim == nil || !claim.Pending() {
		c.complain("claim %s is decided, and does not wait for it", ruled.Claim)
		return
	}
	for _, r := range ruled.Items {
		c.state.Item(r.Key).Status = r.Status
		claim := c.state.Claim(ruled.Claim)
		for i := range claim.Items {
			if claim.Items[i].Key == r.Key {
				claim.Items[i] = r
			}
		}
	}
}

// write writes how the items stand, and what was counted wrongly.
func (c *claimTally) write(w io.Writer) {
	for _, item := range c.state.Items {
		fmt.Fprintf(w, "guard: %s is %s\n", item.Key, item.Status)
	}
	if len(c.state.Items) > 0 {
		fmt.Fprintf(w, "guard: completed tasks %v\n", slices.Sorted(maps.Keys(c.completed)))
	}
	for _, line := range c.wrong {
		fmt.Fprintln(w, wronglyCounted+line)
	}
}
