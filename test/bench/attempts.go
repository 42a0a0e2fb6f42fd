package main

import (
	"strconv"
	"time"
)

const (
	exitOK     = 0
	exitGaveUp = 3 // of a check that always fails
	exitLimit  = 4 // of a loop that no agent claims to be complete

	attemptsOnce = 50
	attemptsLong = 200
)

// bashLoop is the script of a user who has no mulligan: it gives the prompt with the last output
// of the check, until the check passes.
const bashLoop = `
agent=$1 log=$2 check=$3 n=$4 mode=$5 kept=$6
out=
for ((i = 0; i < n; i++)); do
  printf '%s\n%s\n' "Make the check pass." "$out" | "$agent" fake-agent "$log" $mode >"$kept.reply"
  out=$(sh -c "$check" 2>&1) && break
done
true
`

// runBashLoop runs bashLoop with the job's agent and check.
func (s *site) runBashLoop(j job, w work, mode string) (result, error) {
	return s.run(j.repo, 0, "bash", "-c", bashLoop, "loop", s.self, j.log, w.check, strconv.Itoa(w.retry+1), mode, j.log)
}

// newGapWork returns the work of the job whose gaps are measured: a check that always fails, and write rules. mode is what
// the agent does.
func newGapWork(mode string) work {
	w := work{check: "false", retry: attemptsOnce - 1, step: accessLines}
	if mode != "" {
		w.agent = []string{mode}
	}
	return w
}

// measureGaps measures the time from an agent's end to the next one's start: journal, candidate, write rules, proof
// and confinement on, 100 files.
func measureGaps(s *site, t *table) error {
	for _, agent := range []struct{ what, mode string }{
		{"nothing changed", ""},
		{"a file changed", "write"},
	} {
		w := newGapWork(agent.mode)
		ours, err := s.newJob(w)
		if err != nil {
			return err
		}
		r, err := s.runJob(ours, exitGaveUp)
		if err != nil {
			return err
		}
		theirs, err := s.newJob(w)
		if err != nil {
			return err
		}
		if _, err := s.runBashLoop(theirs, w, agent.mode); err != nil {
			return err
		}
		turns, err := readExactTurns(ours.log, attemptsOnce)
		if err != nil {
			return err
		}
		bashTurns, err := readExactTurns(theirs.log, attemptsOnce)
		if err != nil {
			return err
		}
		our, their := gapsBetween(turns), gapsBetween(bashTurns)
		t.addTime("between two agents, write rules, "+agent.what+", p50", quantile(our, 0.5), quantile(their, 0.5), "a bash loop", 25*time.Millisecond)
		t.addTime("  p90", quantile(our, 0.9), quantile(their, 0.9), "a bash loop", 0)
		addGapParts(t, r.stdout, turns)
	}
	return nil
}

// addGapParts divides the gap between two turns by the times of the session's events.
func addGapParts(t *table, lines []byte, turns []turn) {
	moments := map[string][]time.Time{}
	for _, e := range readEvents(lines) {
		moments[e.Kind] = append(moments[e.Kind], e.Time)
	}
	for _, kind := range []string{"turn.ended", "gate.started", "gate.ended", "turn.started"} {
		if len(moments[kind]) != len(turns) {
			t.note("the parts of it: %d events of %s for %d turns, so they cannot be told", len(moments[kind]), kind, len(turns))
			return
		}
	}
	names := []string{
		"  agent's end seen, candidate made", "  journaled", "  the proof laid out, the check (sh -c false)",
		"  decided, journaled", "  agent started",
	}
	all := make([][]time.Duration, len(names))
	for i := range len(turns) - 1 {
		at := []time.Time{
			turns[i].end, moments["turn.ended"][i], moments["gate.started"][i], moments["gate.ended"][i],
			moments["turn.started"][i+1], turns[i+1].start,
		}
		for k := range names {
			all[k] = append(all[k], at[k+1].Sub(at[k]))
		}
	}
	for k, name := range names {
		t.addTime(name, quantile(all[k], 0.5), 0, "", 0)
	}
}

// endSample is how many of a session's first and last figures are compared.
const endSample = 20

// medianOfLast returns the median of the last figures; there must be at least endSample.
func medianOfLast(all []time.Duration) time.Duration { return quantile(all[len(all)-endSample:], 0.5) }

// measureLongSession compares the last attempts of a session with its first.
func measureLongSession(s *site, t *table) error {
	j, err := s.newJob(work{check: "false", retry: attemptsLong - 1, agent: []string{"write"}})
	if err != nil {
		return err
	}
	if _, err := s.runJob(j, exitGaveUp); err != nil {
		return err
	}
	turns, err := readExactTurns(j.log, attemptsLong)
	if err != nil {
		return err
	}
	all := gapsBetween(turns)
	t.addGrowth("200 attempts in one session, the last 20", medianOfLast(all), quantile(all[:endSample], 0.5), "the first 20")
	return nil
}
