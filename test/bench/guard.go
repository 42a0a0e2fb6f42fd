package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	handlersRun    = 40 // handlers that are measured one after the other
	handlersAtOnce = 8
	handlerRounds  = 10 // of handlers side by side
)

// A hookSite is where an agent's hook is called, beside programs that do nothing.
type hookSite struct {
	*site
	repo   string
	bare   string // the path of a Go program that does nothing
	claims int    // that were made
}

// measureGuard measures the handler of an agent's hook, from its start to its answer, without a
// validation: each call claims another item, so that each is counted in the journal.
func measureGuard(s *site, t *table) error {
	if err := s.dropState(); err != nil {
		return err
	}
	h, waits, err := s.newHookSite()
	if err != nil {
		return err
	}
	alone, shell, err := h.measureBare()
	if err != nil {
		return err
	}
	t.addTime("bare: sh -c true", shell, alone, "a bare Go program", 0)
	opens, err := h.measureHandler()
	if err != nil {
		return err
	}
	h.addOver(t, "a hook's claim, the store to be opened", opens, alone, 25*time.Millisecond)
	if err := h.measureTogether(t, "the store to be opened"); err != nil {
		return err
	}
	stop, err := h.startHost(waits)
	if err != nil {
		return err
	}
	hosted, err := h.measureHandler()
	if err == nil {
		h.addOver(t, "a hook's claim, a host running", hosted, alone, 5*time.Millisecond)
		err = h.measureTogether(t, "a host running")
	}
	if stopErr := stop(); err == nil {
		err = stopErr
	}
	return err
}

// newHookSite makes a repository with the guard on, and a job whose agent waits for a file.
func (s *site) newHookSite() (*hookSite, job, error) {
	bare, err := s.buildEmptyProgram()
	if err != nil {
		return nil, job{}, err
	}
	j, err := s.newJob(work{check: "true", agents: "    type: program\n    exec: [sh, -c, 'cat >/dev/null; touch ../waits; while ! test -e ../ends; do sleep 0.05; done']\n"})
	if err != nil {
		return nil, j, err
	}
	h := &hookSite{site: s, repo: j.repo, bare: bare}
	_, err = s.run(h.repo, 0, s.program, "guard", "on")
	return h, j, err
}

// measureBare returns what a Go program and a shell take that do nothing.
func (h *hookSite) measureBare() (program, shell time.Duration, err error) {
	if program, err = h.timeProgram(handlersRun, h.repo, h.bare); err != nil {
		return 0, 0, err
	}
	shell, err = h.timeProgram(handlersRun, h.repo, "sh", "-c", "true")
	return program, shell, err
}

// measureHandler returns the median time of handlers one after the other.
func (h *hookSite) measureHandler() (time.Duration, error) {
	return median(handlersRun, func() (time.Duration, error) {
		input, err := h.writeClaim()
		if err != nil {
			return 0, err
		}
		r, err := h.runFrom(input, h.repo, 0, h.program, "hook", "PreToolUse")
		if err == nil && len(r.stdout) == 0 {
			err = fmt.Errorf("a first claim is not denied")
		}
		return r.wall, err
	})
}

// writeClaim writes what Claude Code would tell of the first claim of another item.
func (h *hookSite) writeClaim() (string, error) {
	h.claims++
	path := filepath.Join(h.dir, fmt.Sprintf("claim-%d.json", h.claims))
	return path, os.WriteFile(path, fmt.Appendf(nil, `{"session_id":"bench-%d","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"TaskUpdate","tool_input":{"taskId":"%d","subject":"item %d","status":"completed"},"tool_use_id":"call-%d"}`,
		h.claims/20, h.repo, h.claims, h.claims, h.claims), 0o600)
}

// addOver adds a row of a handler beside a bare program; the bound is on the difference.
func (h *hookSite) addOver(t *table, what string, value, bare, bound time.Duration) {
	over := value - bare
	t.addRow(row{
		what: what, value: formatMS(value), beside: formatMS(bare) + " a bare Go program", ratio: float64(value) / float64(bare),
		bound: formatMS(bound) + " more, is " + formatMS(over), within: over <= bound,
	})
}

// measureTogether adds a row of handlers side by side.
func (h *hookSite) measureTogether(t *table, how string) error {
	handler, err := h.timeTogether(func(place *site, input string) (result, error) {
		return place.runFrom(input, h.repo, 0, h.program, "hook", "PreToolUse")
	})
	if err != nil {
		return err
	}
	bare, err := h.timeTogether(func(place *site, input string) (result, error) { return place.runFrom(input, h.repo, 0, h.bare) })
	if err != nil {
		return err
	}
	ratio := float64(handler) / float64(bare)
	t.addRow(row{
		what: fmt.Sprintf("%d of them side by side, %s", handlersAtOnce, how), value: formatMS(handler), beside: formatMS(bare) + " bare ones side by side",
		ratio: ratio, bound: "3.00x", within: ratio <= 3,
	})
	return nil
}

// timeTogether returns the median time of programs that are started at once.
func (h *hookSite) timeTogether(run func(place *site, input string) (result, error)) (time.Duration, error) {
	var all []time.Duration
	for range handlerRounds {
		took, failed := make([]time.Duration, handlersAtOnce), make([]error, handlersAtOnce)
		var wg sync.WaitGroup
		for n := range handlersAtOnce {
			place := *h.site
			place.dir = filepath.Join(h.dir, fmt.Sprintf("together-%d", n))
			if err := os.MkdirAll(place.dir, 0o700); err != nil {
				return 0, err
			}
			input, err := h.writeClaim()
			if err != nil {
				return 0, err
			}
			wg.Go(func() {
				r, err := run(&place, input)
				took[n], failed[n] = r.wall, err
			})
		}
		wg.Wait()
		for n, err := range failed {
			if err != nil {
				return 0, err
			}
			all = append(all, took[n])
		}
	}
	return quantile(all, 0.5), nil
}

// startHost starts a session that hosts the journal until stop is called.
func (h *hookSite) startHost(j job) (stop func() error, err error) {
	ended := make(chan error, 1)
	place := *h.site
	place.dir = filepath.Join(h.dir, "host")
	if err := os.MkdirAll(place.dir, 0o700); err != nil {
		return nil, err
	}
	go func() {
		_, err := place.runJob(j, exitOK)
		ended <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(h.dir, "waits")); err == nil {
			break
		}
		select {
		case err := <-ended:
			return nil, fmt.Errorf("the host ended early: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return func() error {
		if err := os.WriteFile(filepath.Join(h.dir, "ends"), nil, 0o600); err != nil {
			return err
		}
		return <-ended
	}, nil
}
