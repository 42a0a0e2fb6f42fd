package state

import (
	"slices"

	"mulligan"
)

// Item returns the item of a key, or nil if there is none. It stays the state's.
func (g *Guard) Item(key string) *mulligan.GuardItem {
	for i := range g.Items {
		if g.Items[i].Key == key {
			return &g.Items[i]
		}
	}
	return nil
}

// Claim returns the claim of an id, or nil if it is not known, or no more.
func (g *Guard) Claim(id string) *mulligan.GuardClaim {
	for i := len(g.Claims) - 1; i >= 0 && id != ""; i-- {
		if g.Claims[i].ID == id {
			return &g.Claims[i]
		}
	}
	return nil
}

// WithoutClaimTools returns the names of denied tools without those by which items were claimed: what
// is denied there is the claim, and the agent is to use the tool again.
func (g *Guard) WithoutClaimTools(denied []string) []string {
	return slices.DeleteFunc(denied, g.HasClaimBy)
}

// HasClaimBy reports whether an item was claimed by a tool.
func (g *Guard) HasClaimBy(tool string) bool {
	return slices.ContainsFunc(g.Claims, func(c mulligan.GuardClaim) bool { return c.Tool == tool })
}

// OverLimit returns the items that wait for a person: claimed too often, and still on the agent's
// list. A session whose guard was switched off has none.
func (s *State) OverLimit() []mulligan.GuardItem {
	if s.Guard.Conversation == "" && (s.Plan == nil || s.Plan.Guard == nil) {
		return nil
	}
	var over []mulligan.GuardItem
	for _, item := range s.Guard.Items {
		task := s.Board.Task(item.Task)
		if item.Status == mulligan.ItemOver && !item.Gone && (task == nil || task.Status.Open()) {
			over = append(over, item)
		}
	}
	return over
}

// HasOtherItems reports whether the agent has something to do besides the items that wait for a person:
// a task that nothing keeps it from, or an item of its own list.
func (s *State) HasOtherItems() bool {
	for _, item := range s.Guard.Items {
		if s.Board.Task(item.Task) == nil && !item.Gone && item.Status != mulligan.ItemOver && item.Status != mulligan.ItemPassed {
			return true
		}
	}
	return s.WorkableBoard().Next() != nil
}

// WorkableBoard returns the board as an agent is to see it: tasks that wait for a person because they
// were claimed too often are blocked. It may be the state's own.
func (s *State) WorkableBoard() *mulligan.Board {
	over := s.OverLimit()
	if len(over) == 0 {
		return &s.Board
	}
	board := s.Board
	board.Tasks = slices.Clone(board.Tasks)
	for _, item := range over {
		if task := board.Task(item.Task); task != nil {
			task.Status, task.Reason = mulligan.Blocked, "it was claimed to be done too often: only a person can decide about it now"
		}
	}
	return &board
}

// Guard is what the guard knows of the items of a session.
type Guard struct {
	// Conversation is the agent's own session, where the guard works without one of mulligan's.
	Conversation string
	Agent        string // whose conversation that is
	Items        []mulligan.GuardItem
	Claims       []mulligan.GuardClaim // the newest last; bounded
	// Subjects are what the agent's own tasks are about, by their ids.
	Subjects map[string]string
}
