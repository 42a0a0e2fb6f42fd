package main

import (
	"fmt"
	"time"
)

const (
	hookIterations = 40
	hooksEach      = 6 // that an iteration runs
)

const sixHooks = `hooks:
  pre_iteration: [{command: "true"}, {command: "true"}, {command: "true"}]
  post_iteration: [{command: "true"}, {command: "true"}, {command: "true"}]
`

// measureHooks measures what six lifecycle hooks that do nothing cost an iteration, beside six
// processes that do nothing. Each hook's end is in the journal before the next begins, so an fsync
// each is the least.
func measureHooks(s *site, t *table) error {
	without, _, err := s.measureIterations("")
	if err != nil {
		return err
	}
	with, events, err := s.measureIterations(sixHooks)
	if err != nil {
		return err
	}
	ran := eventDurations(events, "hook.ended")
	if want := hooksEach * hookIterations; len(ran) != want {
		return fmt.Errorf("%d hooks were run, not %d", len(ran), want)
	}
	process, err := s.timeProgram(hooksEach*hookIterations, s.dir, "sh", "-c", "true")
	if err != nil {
		return err
	}
	sync, err := timeSync(s.dir)
	if err != nil {
		return err
	}
	t.addTime("between iterations of a loop, no hooks", without, 0, "", 0)
	t.addTime("  six hooks of `true`", with, hooksEach*process, "six bare `sh -c true`", 0)
	t.addTime("  what the six hooks add", with-without, hooksEach*(process+sync), "the six, and six fsyncs", 0)
	t.addTime("  running one of them", quantile(ran, 0.5), process, "a bare `sh -c true`", 0)
	return nil
}

// measureIterations runs a loop with further lines in its config. It returns the median time
// between two iterations, and the session's events.
func (s *site) measureIterations(more string) (time.Duration, []event, error) {
	j, err := s.newJob(work{check: "true", iterations: hookIterations, more: more})
	if err != nil {
		return 0, nil, err
	}
	r, turns, err := s.runLoop(j, hookIterations)
	return quantile(gapsBetween(turns), 0.5), readEvents(r.stdout), err
}
