package loop

import (
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/text"
)

// waitForGuard returns the outcome of a session that has nothing left to do but what was claimed too
// often, and reports whether there is such a thing.
func (s *Session) waitForGuard() (mulligan.Outcome, bool) {
	over := s.state.OverLimit()
	if len(over) == 0 {
		return mulligan.Outcome{}, false
	}
	var names, contents []string
	for _, item := range over {
		contents = append(contents, item.Content)
		names = append(names, fmt.Sprintf("'%s'", text.Clip(text.OneLine(item.Content), 80)))
	}
	return mulligan.Outcome{Ended: mulligan.Waiting, Over: contents, Reason: fmt.Sprintf("%s claimed too often to be done, and a person has to decide: %s",
		text.Count(len(over), "task")+wasOrWere(len(over)), strings.Join(names, ", "))}, true
}

func wasOrWere(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}
