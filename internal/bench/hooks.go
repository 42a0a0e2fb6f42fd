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

// hooks is what six lifecycle hooks that do nothing cost an iteration, beside six processes
// that do nothing.
func hooks(s *site, t *table) error {
	without, _, err := s.iterate("")
	if err != nil {
		return err
	}
	with, ran, err := s.iterate(sixHooks)
	if err != nil {
		return err
	}
	if want := hooksEach * hookIterations; count(ran, "hook.ended") != want {
		return fmt.Errorf("%d hooks were run, not %d", count(ran, "hook.ended"), want)
	}
	bare, err := s.bareHooks()
	if err != nil {
		return err
	}
	t.addTime("between iterations of a loop, no hooks", without, 0, "", 0)
	t.addTime("  six hooks of `true`", with, bare, "six bare `sh -c true`", 0)
	t.addTime("  what the six hooks add", with-without, bare, "six bare `sh -c true`", 0)
	return nil
}

// iterate is the time between two iterations of a loop with so much more in its config.
func (s *site) iterate(more string) (time.Duration, []event, error) {
	j, err := s.newJob(work{check: "true", iterations: hookIterations, more: more})
	if err != nil {
		return 0, nil, err
	}
	r, turns, err := s.loop(j, hookIterations)
	return quantile(between(turns), 0.5), readEvents(r.stdout), err
}

// bareHooks is what as many processes take, one after the other, with nothing around them.
func (s *site) bareHooks() (time.Duration, error) {
	return median(hookIterations, func() (time.Duration, error) {
		var all time.Duration
		for range hooksEach {
			r, err := s.run(s.dir, 0, "sh", "-c", "true")
			if err != nil {
				return 0, err
			}
			all += r.wall
		}
		return all, nil
	})
}
