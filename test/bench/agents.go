package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mulligan/test/modeltest"
)

const (
	realTurns      = 15
	streamedBytes  = 500_000_000
	sessionsAtOnce = 20
	shareBound     = 15 * time.Millisecond
)

// measureAgents measures what mulligan adds to the programs that people use. A stand-in on
// 127.0.0.1 plays their model.
func measureAgents(s *site, t *table) error {
	if err := s.measureStreaming(t); err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	claude, err := modeltest.Installed(root, "claude")
	if err != nil {
		t.note("a turn of the real Claude Code: not measured: %v", err)
		return nil
	}
	if err := s.measureShare(t, claude); err != nil {
		return err
	}
	return s.measureSideBySide(t, claude)
}

// measureStreaming measures the memory that mulligan needs for an agent that prints very much.
func (s *site) measureStreaming(t *table) error {
	says := func(n int) work {
		return work{check: "true", agents: "    type: claude\n" + execLine([]string{s.self, asClaude, fmt.Sprint(n)})}
	}
	quiet, err := s.runPrinting(says(100), 3)
	if err != nil {
		return err
	}
	loud, err := s.runPrinting(says(streamedBytes), 2)
	if err != nil {
		return err
	}
	t.addMemory("an agent that streams "+formatMB(streamedBytes)+" of JSON, memory", quiet.peak, loud.peak)
	t.addRow(row{what: "  taken in, " + formatMB(loud.kept) + " of it kept on the disk", value: formatRate(bytesPerSecond(streamedBytes, loud.wall-quiet.wall))})
	return nil
}

// newPlayedSite returns a copy of the site for Claude Code, with a home of its own, and the
// stand-in that plays its model. The caller closes the stand-in.
func (s *site) newPlayedSite(name string, turns ...modeltest.Turn) (*site, *modeltest.Server, error) {
	model, err := modeltest.Start(modeltest.Script{Turns: turns})
	if err != nil {
		return nil, nil, err
	}
	own := *s
	own.dir = filepath.Join(s.dir, name)
	if err := os.MkdirAll(own.dir, 0o700); err != nil {
		model.Close()
		return nil, nil, err
	}
	own.env, err = modeltest.Environment(filepath.Join(own.dir, "home"), model, "claude")
	if err != nil {
		model.Close()
		return nil, nil, err
	}
	own.env = append(own.env, "MULLIGAN_TRUST=1")
	return &own, model, nil
}

// claudeConfig returns the lines of the config for Claude Code, started with the given words.
func claudeConfig(by ...string) string {
	return "    type: claude\n    permissions: full\n    timeout: 60s\n" + execLine(by)
}

// measureShare measures how much of a turn is mulligan's: the time from the event of its start to
// that of its end, less the time that the agent's program ran.
func (s *site) measureShare(t *table, claude string) error {
	own, model, err := s.newPlayedSite("share", modeltest.Say("That was it.").Always())
	if err != nil {
		return err
	}
	defer model.Close()
	log := filepath.Join(own.logs(), "times")
	j, err := own.newJob(work{check: "true", iterations: realTurns, agents: claudeConfig(s.self, asTimer, log, claude)})
	if err != nil {
		return err
	}
	j.log = log
	r, program, err := own.runLoop(j, realTurns)
	if err != nil {
		return err
	}
	whole := turnDurations(readEvents(r.stdout))
	if len(whole) != realTurns {
		return fmt.Errorf("%d turns by the journal, not %d", len(whole), realTurns)
	}
	noting, err := own.measureTimer(j.repo)
	if err != nil {
		return err
	}
	var ours []time.Duration
	for i, ran := range agentDurations(program) {
		ours = append(ours, whole[i]-ran-noting)
	}
	alone, err := own.timeProgram(realTurns, j.repo, claude, "--print", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages", "--dangerously-skip-permissions", "Make the check pass.")
	if err != nil {
		return err
	}
	t.addTime("our share of a Claude Code turn, p50", quantile(ours, 0.5), alone, "the program alone", shareBound)
	t.addTime("  p90", quantile(ours, 0.9), alone, "the program alone", 0)
	t.addTime("  the whole turn, the session's tools offered", quantile(whole, 0.5), alone, "the program alone", 0)
	return nil
}

// measureTimer returns what it costs to run a program by way of playTimer.
func (s *site) measureTimer(dir string) (time.Duration, error) {
	path, err := lookPath("true")
	if err != nil {
		return 0, err
	}
	with, err := s.timeProgram(realTurns, dir, s.self, asTimer, filepath.Join(s.dir, "noted"), path)
	if err != nil {
		return 0, err
	}
	without, err := s.timeProgram(realTurns, dir, path)
	return max(0, with-without), err
}

// turnDurations returns how long each turn took by the session's events.
func turnDurations(all []event) []time.Duration {
	var took []time.Duration
	var began time.Time
	for _, e := range all {
		switch e.Kind {
		case "turn.started":
			began = e.Time
		case "turn.ended":
			took = append(took, e.Time.Sub(began))
		}
	}
	return took
}

// measureSideBySide runs many sessions of Claude Code at once, with one home and one model. It
// fails where a session has the words or the work of another.
func (s *site) measureSideBySide(t *table, claude string) error {
	var turns []modeltest.Turn
	for n := range sessionsAtOnce + 1 {
		made := fmt.Sprintf("made-by-%02d", n)
		turns = append(turns,
			modeltest.Use(modeltest.Call{Name: "Bash", Input: map[string]string{
				"command": fmt.Sprintf("echo %02d > mine; echo %s", n, made), "description": "say who you are",
			}}).At(numberLine(n)),
			modeltest.Say(fmt.Sprintf("I was %02d.", n)).At(made))
	}
	own, model, err := s.newPlayedSite("together", turns...)
	if err != nil {
		return err
	}
	defer model.Close()
	places := make([]*site, sessionsAtOnce+1)
	jobs := make([]job, len(places))
	for n := range places {
		place := *own
		place.dir = filepath.Join(own.dir, fmt.Sprint(n))
		if err := os.Mkdir(place.dir, 0o700); err != nil {
			return err
		}
		places[n] = &place
		jobs[n], err = place.newJob(work{check: "test -f mine", agents: claudeConfig(claude), task: numberLine(n)})
		if err != nil {
			return err
		}
	}
	alone, err := places[sessionsAtOnce].runNumbered(jobs[sessionsAtOnce], sessionsAtOnce)
	if err != nil {
		return err
	}
	start := time.Now()
	failed := make([]error, sessionsAtOnce)
	var wg sync.WaitGroup
	for n := range sessionsAtOnce {
		wg.Go(func() { _, failed[n] = places[n].runNumbered(jobs[n], n) })
	}
	wg.Wait()
	took := time.Since(start)
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	t.addTime(fmt.Sprintf("%d Claude Code sessions at once, none mixed up", sessionsAtOnce), took, alone, "one by itself", 0)
	return nil
}

// numberLine returns the line of a task that tells an agent which of many it is.
func numberLine(n int) string { return fmt.Sprintf("You are number %02d.", n) }

// runNumbered runs the job of the agent with a number, and fails where another one did its work.
func (s *site) runNumbered(j job, n int) (time.Duration, error) {
	r, err := s.runJob(j, exitOK)
	if err != nil {
		return 0, err
	}
	mine, err := s.readResult(j, "mine")
	if err != nil {
		return 0, err
	}
	messages := strings.Join(turnMessages(readEvents(r.stdout)), " ")
	if want := fmt.Sprintf("%02d", n); strings.TrimSpace(mine) != want || messages != "I was "+want+"." {
		return 0, fmt.Errorf("mixed up: session %s has %q in its place, and says %q", want, mine, messages)
	}
	return r.wall, nil
}
