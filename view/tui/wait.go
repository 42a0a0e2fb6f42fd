package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mulligan/view"
)

// describeWait returns a wait with its countdown. Nothing else moves on a screen that waits, and nothing
// spins.
func (c canvas) describeWait(a view.Activity) string {
	left, _ := view.Countdown(a.Left)
	return view.Join("  ", c.paint(view.Warn, "○ waiting "+left), a.UntilWords(), a.Name)
}

// workedTime returns how long a step has taken. The time of a running step stands still while the
// session waits.
func (c canvas) workedTime(step view.Step) time.Duration {
	if step.Status != view.Running || !c.s.Waits() {
		return step.Elapsed
	}
	return max(0, step.Elapsed-c.s.Running.Elapsed)
}

// calmTime returns how long the screen stays as it is unless something happens; 0 if it moves.
func (s *screen) calmTime() time.Duration {
	if !s.snap.Waits() || s.look.Stops > 0 || s.snap.Ending != nil || len(s.snap.Questions) > 0 {
		return 0
	}
	_, stays := view.Countdown(s.snap.Running.Left)
	return stays
}

// scheduleTick returns the command that makes the screen draw again: on its beat; on a calm screen when
// something happens, or the countdown changes. A long wait so costs next to nothing, and a flood of
// events or output no more than a beat each.
func (s *screen) scheduleTick() tea.Cmd {
	stays, src := s.calmTime(), s.src
	if stays <= beat {
		return tea.Tick(beat, func(t time.Time) tea.Msg { return tickMsg(t) })
	}
	return func() tea.Msg {
		time.Sleep(beat)
		timer := time.NewTimer(stays - beat)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-src.news:
		case <-src.done:
		}
		return tickMsg(time.Now())
	}
}
