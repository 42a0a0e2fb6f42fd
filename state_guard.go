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

// OverLimit returns the items that wait for a person: claimed too often, and still on the agent's
// list.
func (s *State) OverLimit() []GuardItem {
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
	board := Board{Tasks: slices.Clone(s.Board.Tasks)}
	for _, item := range s.Guard.Items {
		task := board.Task(item.Task)
		switch {
		case task != nil && item.Status == ItemOver:
			task.Status = Blocked
		case task == nil && !item.Gone && item.Status != ItemOver && item.Status != ItemPassed:
			return true
		}
	}
	return board.Next() != nil
}
