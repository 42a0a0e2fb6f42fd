package mulligan

import "slices"

// Item returns the item of a key, or nil if there is none. It stays the state's.
func (g *GuardState) Item(key string) *GuardItem {
	for i := range g.Items {
		if g.Items[i].Key == key {
			return &g.Items[i]
		}
	}
	return nil
}

// Claim returns the claim of an id, or nil if it is not known, or no more.
func (g *GuardState) Claim(id string) *GuardClaim {
	for i := len(g.Claims) - 1; i >= 0 && id != ""; i-- {
		if g.Claims[i].ID == id {
			return &g.Claims[i]
		}
	}
	return nil
}

// withoutClaimTools returns the names of denied tools without those by which items were claimed: what
// is denied there is the claim, and the agent is to use the tool again.
func (g *GuardState) withoutClaimTools(denied []string) []string {
	return slices.DeleteFunc(denied, g.hasClaimBy)
}

// hasClaimBy reports whether an item was claimed by a tool.
func (g *GuardState) hasClaimBy(tool string) bool {
	return slices.ContainsFunc(g.Claims, func(c GuardClaim) bool { return c.Tool == tool })
}

// OverLimit returns the items that wait for a person: claimed too often, and still on the agent's
// list. A session whose guard was switched off has none.
func (s *State) OverLimit() []GuardItem {
	if s.Guard.Conversation == "" && (s.Plan == nil || s.Plan.Guard == nil) {
		return nil
	}
	var over []GuardItem
	for _, item := range s.Guard.Items {
		task := s.Board.Task(item.Task)
		if item.Status == ItemOver && !item.Gone && (task == nil || task.Status.Open()) {
			over = append(over, item)
		}
	}
	return over
}

// hasOtherItems reports whether the agent has something to do besides the items that wait for a person:
// a task that nothing keeps it from, or an item of its own list.
func (s *State) hasOtherItems() bool {
	for _, item := range s.Guard.Items {
		if s.Board.Task(item.Task) == nil && !item.Gone && item.Status != ItemOver && item.Status != ItemPassed {
			return true
		}
	}
	return s.WorkableBoard().Next() != nil
}

// WorkableBoard returns the board as an agent is to see it: tasks that wait for a person because they
// were claimed too often are blocked. It may be the state's own.
func (s *State) WorkableBoard() *Board {
	over := s.OverLimit()
	if len(over) == 0 {
		return &s.Board
	}
	board := s.Board
	board.Tasks = slices.Clone(board.Tasks)
	for _, item := range over {
		if task := board.Task(item.Task); task != nil {
			task.Status, task.Reason = Blocked, "it was claimed to be done too often: only a person can decide about it now"
		}
	}
	return &board
}
