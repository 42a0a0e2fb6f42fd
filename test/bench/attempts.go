package main

import (
	"fmt"
	"strconv"
	"time"
)

const (
	exitOK     = 0
	exitGaveUp = 3 // what an always failing check ends with
	exitLimit  = 4 // what a loop ends with that nobody says is complete

	attemptsOnce = 50
	attemptsLong = 200
)

// loop is what a user writes who has no mulligan: the prompt with the last output of the
// check, until the check passes.
const loop = `
agent=$1 log=$2 check=$3 n=$4 mode=$5 kept=$6
out=
for ((i = 0; i < n; i++)); do
  printf '%s\n%s\n' "Make the check pass." "$out" | "$agent" fake-agent "$log" $mode >"$kept.reply"
  out=$(sh -c "$check" 2>&1) && break
done
true
`

func (s *site) bashLoop(j job, w work, mode string) (result, error) {
	return s.run(j.repo, 0, "bash", "-c", loop, "loop", s.self, j.log, w.check, strconv.Itoa(w.retry+1), mode, j.log)
}

// gaps measures the time between an agent's end and the next one's start.
func gaps(s *site, t *table) error {
	for _, agent := range []struct{ what, mode string }{
		{"an agent that changes nothing", ""},
		{"an agent that changes a file", "write"},
	} {
		w := work{check: "false", retry: attemptsOnce - 1}
		if agent.mode != "" {
			w.agent = []string{agent.mode}
		}
		ours, err := s.newJob(w)
		if err != nil {
			return err
		}
		r, err := s.mulligan(ours, exitGaveUp)
		if err != nil {
			return err
		}
		theirs, err := s.newJob(w)
		if err != nil {
			return err
		}
		if _, err := s.bashLoop(theirs, w, agent.mode); err != nil {
			return err
		}
		turns, bash, err := bothTurns(ours, theirs, attemptsOnce)
		if err != nil {
			return err
		}
		our, their := between(turns), between(bash)
		t.addTime("between attempts, "+agent.what+", p50", quantile(our, 0.5), quantile(their, 0.5), "a bash loop", 10*time.Millisecond)
		t.addTime("  p90", quantile(our, 0.9), quantile(their, 0.9), "a bash loop", 0)
		parts(t, r.stdout, turns)
	}
	return nil
}

func bothTurns(ours, theirs job, want int) (our, their []turn, err error) {
	if our, err = readTurns(ours.log); err != nil {
		return nil, nil, err
	}
	if their, err = readTurns(theirs.log); err != nil {
		return nil, nil, err
	}
	if len(our) != want || len(their) != want {
		return nil, nil, fmt.Errorf("mulligan took %d turns and the bash loop %d, not %d", len(our), len(their), want)
	}
	return our, their, nil
}

// parts takes the gap apart by the times of the session's own events.
func parts(t *table, lines []byte, turns []turn) {
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
		"  agent's end seen, tree walked", "  journaled, check begun", "  the check (sh -c false)",
		"  decided, journaled, snapshot", "  agent started",
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

// some is how many of a session's first and last figures are compared.
const some = 20

func lastOf(all []time.Duration) time.Duration { return quantile(all[len(all)-some:], 0.5) }

// longSession shows whether an attempt costs more the more there were before it.
func longSession(s *site, t *table) error {
	j, err := s.newJob(work{check: "false", retry: attemptsLong - 1, agent: []string{"write"}})
	if err != nil {
		return err
	}
	if _, err := s.mulligan(j, exitGaveUp); err != nil {
		return err
	}
	turns, err := readTurns(j.log)
	if err != nil {
		return err
	}
	if len(turns) != attemptsLong {
		return fmt.Errorf("mulligan took %d turns, not %d", len(turns), attemptsLong)
	}
	all := between(turns)
	t.addGrowth("200 attempts in one session, the last 20", lastOf(all), quantile(all[:some], 0.5), "the first 20")
	return nil
}
