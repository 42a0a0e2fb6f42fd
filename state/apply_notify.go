package state

import (
	"slices"

	"mulligan"
)

// applyNotifyStarted notes that a notice is to be sent. A bell is a viewer's: with that alone nothing is left to do.
func (s *State) applyNotifyStarted(b mulligan.NotifyStarted) {
	if b.Notice.Moment == mulligan.NoticeFolder {
		s.FolderNoticed = true
	}
	if slices.ContainsFunc(b.Ways, func(way string) bool { return way != mulligan.WayBell }) {
		s.Notifying = append(s.Notifying, b)
	}
}

// applyNotifyEnded closes a notice. What did not arrive is a note, since nobody else would tell.
func (s *State) applyNotifyEnded(b mulligan.NotifyEnded) {
	s.Notifying = slices.DeleteFunc(slices.Clone(s.Notifying), func(n mulligan.NotifyStarted) bool { return n.ID == b.ID })
	for _, r := range b.Results {
		if !r.OK {
			s.Notes = append(s.Notes, r.Describe())
		}
	}
}
