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
	realTurns  = 15
	streamed   = 500_000_000
	sideBySide = 20
	ownShare   = 15 * time.Millisecond
)

// agents is what mulligan adds to the programs that people use, with their model played by a
// stand-in on 127.0.0.1.
func agents(s *site, t *table) error {
	if err := s.streaming(t); err != nil {
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
	if err := s.share(t, claude); err != nil {
		return err
	}
	return s.together(t, claude)
}

// streaming is how much memory an agent takes that says very much.
func (s *site) streaming(t *table) error {
	says := func(n int) work {
		return work{check: "true", agents: "    type: claude\n" + execLine([]string{s.self, asClaude, fmt.Sprint(n)})}
	}
	quiet, err := s.printed(says(100), 3)
	if err != nil {
		return err
	}
	loud, err := s.printed(says(streamed), 2)
	if err != nil {
		return err
	}
	t.growth("an agent that streams "+mb(streamed)+" of JSON, memory", quiet.peak, loud.peak)
	t.add(row{what: "  taken in, " + mb(loud.kept) + " of it kept on the disk", value: rate(speed(streamed, loud.wall-quiet.wall))})
	return nil
}

// acting is the site as the real program sees it: a home of its own, and a model that plays.
func (s *site) acting(name string, turns ...modeltest.Turn) (*site, *modeltest.Server, error) {
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
	return &own, model, nil
}

// real are the lines of the config for the real program, run by way of others.
func real(by ...string) string {
	return "    type: claude\n    permissions: full\n    timeout: 60s\n" + execLine(by)
}

// share is how much of a turn is not the program's: from the event of its start to that of its
// end, less the time that the program ran.
func (s *site) share(t *table, claude string) error {
	own, model, err := s.acting("share", modeltest.Say("That was it.").Always())
	if err != nil {
		return err
	}
	defer model.Close()
	log := filepath.Join(own.dir, "times")
	j, err := own.newJob(work{check: "true", iterations: realTurns, agents: real(s.self, asTimer, log, claude)})
	if err != nil {
		return err
	}
	r, err := own.run(j.repo, exitLimit, s.program, "loop", "tasks/job.md", "--foreground", "--json")
	if err != nil {
		return err
	}
	program, err := readTurns(log)
	if err != nil {
		return err
	}
	whole := spans(readEvents(r.stdout))
	if len(whole) != realTurns || len(program) != realTurns {
		return fmt.Errorf("%d turns, and the program ran %d times, not %d", len(whole), len(program), realTurns)
	}
	noting, err := own.timing(j.repo)
	if err != nil {
		return err
	}
	var ours []time.Duration
	for i, ran := range taken(program) {
		ours = append(ours, whole[i]-ran-noting)
	}
	alone, err := own.bare(realTurns, j.repo, claude, "--print", "--output-format", "stream-json", "--verbose",
		"--include-partial-messages", "--dangerously-skip-permissions", "Make the check pass.")
	if err != nil {
		return err
	}
	t.addTime("our share of a Claude Code turn, p50", quantile(ours, 0.5), alone, "the program alone", ownShare)
	t.addTime("  p90", quantile(ours, 0.9), alone, "the program alone", 0)
	t.addTime("  the whole turn, the session's tools offered", quantile(whole, 0.5), alone, "the program alone", 0)
	return nil
}

// timing is what it takes to note when a program ran.
func (s *site) timing(dir string) (time.Duration, error) {
	path, err := find("true")
	if err != nil {
		return 0, err
	}
	with, err := s.bare(realTurns, dir, s.self, asTimer, filepath.Join(s.dir, "noted"), path)
	if err != nil {
		return 0, err
	}
	without, err := s.bare(realTurns, dir, path)
	return max(0, with-without), err
}

// spans are how long the turns took by the session's events.
func spans(all []event) []time.Duration {
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

// together has many sessions of the real program at once, with one home and one model. Each has
// to have its own words, and its own work in its own place.
func (s *site) together(t *table, claude string) error {
	var turns []modeltest.Turn
	for n := range sideBySide + 1 {
		made := fmt.Sprintf("made-by-%02d", n)
		turns = append(turns,
			modeltest.Use(modeltest.Call{Name: "Bash", Input: map[string]string{
				"command": fmt.Sprintf("echo %02d > mine; echo %s", n, made), "description": "say who you are",
			}}).At(number(n)),
			modeltest.Say(fmt.Sprintf("I was %02d.", n)).At(made))
	}
	own, model, err := s.acting("together", turns...)
	if err != nil {
		return err
	}
	defer model.Close()
	places := make([]*site, sideBySide+1)
	jobs := make([]job, len(places))
	for n := range places {
		place := *own
		place.dir = filepath.Join(own.dir, fmt.Sprint(n))
		if err := os.Mkdir(place.dir, 0o700); err != nil {
			return err
		}
		places[n] = &place
		jobs[n], err = place.newJob(work{check: "test -f mine", agents: real(claude), task: number(n)})
		if err != nil {
			return err
		}
	}
	alone, err := places[sideBySide].numbered(jobs[sideBySide], sideBySide)
	if err != nil {
		return err
	}
	start := time.Now()
	failed := make([]error, sideBySide)
	var wg sync.WaitGroup
	for n := range sideBySide {
		wg.Go(func() { _, failed[n] = places[n].numbered(jobs[n], n) })
	}
	wg.Wait()
	took := time.Since(start)
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	t.addTime(fmt.Sprintf("%d Claude Code sessions at once, none mixed up", sideBySide), took, alone, "one by itself", 0)
	return nil
}

func number(n int) string { return fmt.Sprintf("You are number %02d.", n) }

// numbered runs the job of one of many, and looks whether it was that one.
func (s *site) numbered(j job, n int) (time.Duration, error) {
	r, err := s.mulligan(j, exitOK)
	if err != nil {
		return 0, err
	}
	mine, err := os.ReadFile(filepath.Join(j.repo, "mine"))
	if err != nil {
		return 0, err
	}
	messages := strings.Join(said(readEvents(r.stdout)), " ")
	if want := fmt.Sprintf("%02d", n); strings.TrimSpace(string(mine)) != want || messages != "I was "+want+"." {
		return 0, fmt.Errorf("mixed up: session %s has %q in its place, and says %q", want, mine, messages)
	}
	return r.wall, nil
}
