package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"mulligan/internal/process/processtest"
)

const (
	linesPerSecond = 1000
	pacedTime      = 5 * time.Second
)

// printAtPace prints as many lines a second as the text says, evenly, for pacedTime.
func printAtPace(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	const beat = 10 * time.Millisecond
	for i, start := 0, time.Now(); time.Since(start) < pacedTime; time.Sleep(beat) {
		for due := int(time.Since(start).Seconds() * float64(n)); i < due; i++ {
			if _, err := fmt.Printf("line %d of what an agent prints while it thinks about the next file\n", i); err != nil {
				return err
			}
		}
	}
	return nil
}

// measureScreen measures how much of a core the screen uses, beside that of one on which nothing moves but the clock.
func measureScreen(s *site, t *table) error {
	quiet, err := s.watchAgent(0)
	if err != nil {
		return err
	}
	loud, err := s.watchAgent(linesPerSecond)
	if err != nil {
		return err
	}
	const most = 0.25
	t.addRow(row{
		what: fmt.Sprintf("the screen at %d lines a second, of a core", linesPerSecond), value: fmt.Sprintf("%.3f", loud),
		beside: fmt.Sprintf("%.3f with an agent that prints nothing", quiet), ratio: loud / quiet, bound: fmt.Sprint(most), within: loud <= most,
	})
	return nil
}

// watchAgent returns how much of a core a viewer on a terminal of its own uses while an agent prints so many lines a second.
func (s *site) watchAgent(lines int) (float64, error) {
	j, err := s.newJob(work{check: "true", agent: []string{fmt.Sprintf("pace=%d", lines)}})
	if err != nil {
		return 0, err
	}
	if _, err := s.run(j.repo, 0, s.program, "run", "tasks/job.md", "--detach"); err != nil {
		return 0, err
	}
	master, name, err := processtest.NewTerminal("120x40")
	if err != nil {
		return 0, err
	}
	defer master.Close()
	tty, err := os.OpenFile(name, os.O_RDWR|os.O_EXCL, 0)
	if err != nil {
		return 0, err
	}
	go io.Copy(io.Discard, master)
	start := time.Now()
	p, err := os.StartProcess(s.program, []string{s.program, "attach"}, &os.ProcAttr{
		Dir: j.repo, Env: append([]string{"TERM=xterm-256color"}, s.env...), Files: []*os.File{tty, tty, tty},
	})
	tty.Close()
	if err != nil {
		return 0, err
	}
	state, err := p.Wait()
	if err != nil {
		return 0, err
	}
	took := time.Since(start)
	if !state.Success() || took < pacedTime/2 {
		return 0, fmt.Errorf("mulligan attach: %s after %s", state, took)
	}
	return (state.UserTime() + state.SystemTime()).Seconds() / took.Seconds(), nil
}
