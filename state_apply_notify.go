package mulligan

import (
	"fmt"
	"slices"
)

// applyNotifyStarted notes that a notice is to be sent. A bell is a viewer's: with that alone nothing is left to do.
func (s *State) applyNotifyStarted(b NotifyStarted) {
	if b.Notice.Moment == NoticeFolder {
		s.FolderNoticed = true
	}
	if slices.ContainsFunc(b.Ways, func(way string) bool { return way != WayBell }) {
		s.Notifying = append(s.Notifying, b)
	}
}

// applyNotifyEnded closes a notice. What did not arrive is a note, since nobody else would tell.
func (s *State) applyNotifyEnded(b NotifyEnded) {
	s.Notifying = slices.DeleteFunc(slices.Clone(s.Notifying), func(n NotifyStarted) bool { return n.ID == b.ID })
	for _, r := range b.Results {
		if !r.OK {
			s.Notes = append(s.Notes, r.Describe())
		}
	}
}

// Describe returns what became of a notice, in words.
func (r NotifyResult) Describe() string {
	if r.OK {
		return fmt.Sprintf("notified by %s", r.Way)
	}
	return fmt.Sprintf("no notification by %s: %s", r.Way, r.Note)
}
