package guard

import (
	"mulligan"
	"mulligan/state"
)

// takesOver reports whether a call gives an item the content of another that has passed: what passed
// was that one. An item that gets back the name under which it passed takes over nothing.
func takesOver(g *state.Guard, item Item) bool {
	if !isRenamed(item) {
		return false
	}
	key := Key(item.Content)
	known, before := g.Item(key), g.Item(Key(item.Was))
	if known == nil || known.Status != mulligan.ItemPassed {
		return false
	}
	return before == nil || before.Status != mulligan.ItemPassed && Key(before.Instead) != key
}

// isRenamed reports whether a call gives an item another content than it had.
func isRenamed(item Item) bool { return item.Was != "" && Key(item.Was) != Key(item.Content) }

// findRenamed returns the items that a call gives another content, where the agent lists none of the old
// one any more. One over its limit still waits for a person.
func findRenamed(g *state.Guard, call Call, listed map[string]bool) (keys []string) {
	for _, item := range call.Items {
		if item.ID == "" || !isRenamed(item) {
			continue
		}
		key := Key(item.Was)
		if old := g.Item(key); old == nil || old.Gone || old.Status == mulligan.ItemOver || listed[key] {
			continue
		}
		isOther := false
		for id, subject := range g.Subjects {
			isOther = isOther || id != call.subjectOf(item.ID) && Key(subject) == key
		}
		if !isOther {
			keys = append(keys, key)
		}
	}
	return keys
}
