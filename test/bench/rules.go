package main

import (
	"fmt"
	"time"
)

// measureRules measures what the write rules and the confinement add to the gap between agents, in a
// repository of 100 files with an agent that changes one.
func measureRules(s *site, t *table) error {
	var without time.Duration
	for i, how := range []struct{ what, step, more string }{
		{"between attempts, no rules, sandbox: none, p50", "", "sandbox: none\n"},
		{"  sandbox: auto", "", "sandbox: auto\n"},
		{"  file_access, sandbox: none", accessLines, "sandbox: none\n"},
		{"  file_access, sandbox: auto", accessLines, "sandbox: auto\n"},
	} {
		gaps, _, err := s.runRules(work{check: "false", retry: attemptsOnce - 1, agent: []string{"write"}, step: how.step, more: how.more}, attemptsOnce)
		if err != nil {
			return fmt.Errorf("%s: %w", how.what, err)
		}
		p50 := quantile(gaps, 0.5)
		if i == 0 {
			without = p50
			t.addTime(how.what, p50, 0, "", 0)
			continue
		}
		t.addRow(row{
			what: how.what, value: formatMS(p50), beside: formatMS(p50-without) + " more than without",
			ratio: float64(p50) / float64(without),
		})
	}
	return nil
}

// accessLines allows what the bench's agent writes and protects the rest.
const accessLines = "      file_access: {allow_write: [work.txt, 'changed/**'], protect: ['src/part1/**', 'large/part1/**']}\n"

// runRules runs a job whose check always fails, and returns the gaps between its agents.
func (s *site) runRules(w work, turns int) ([]time.Duration, result, error) {
	j, err := s.newJob(w)
	if err != nil {
		return nil, result{}, err
	}
	r, err := s.runJob(j, exitGaveUp)
	if err != nil {
		return nil, r, err
	}
	all, err := readExactTurns(j.log, turns)
	return gapsBetween(all), r, err
}
