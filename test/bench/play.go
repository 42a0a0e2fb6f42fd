package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// play does the part of a program that mulligan (or the bash loop) starts:
//
//	fake-agent LOG [write] [change=N] [spew=N] [pace=N] [tasks]   read the prompt, log when it started and ended
//	spew N                                               print N bytes
//	fake-claude N …                                      print N bytes as Claude Code does
//	timer LOG PROGRAM …                                  run a program, log when it started and ended
//	ask-past DIR REPOSITORY                              ask a history as a decision does
//	read-file PATH                                       read a file
func play(role string, args []string) error {
	switch role {
	case asClaude:
		return playClaude(args[0])
	case asTimer:
		return playTimer(args[0], args[1:])
	case asSpew:
		return spewText(args[0])
	case asAsker:
		return playAsker(args[0], args[1])
	case asReader:
		return playReader(args[0])
	default:
		return playAgent(args[0], args[1:])
	}
}

func playAgent(log string, actions []string) error {
	start := time.Now().UnixNano()
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for _, action := range actions {
		n, printing := strings.CutPrefix(action, "spew=")
		files, changing := strings.CutPrefix(action, "change=")
		lines, pacing := strings.CutPrefix(action, "pace=")
		var err error
		switch {
		case action == "write":
			err = appendLine("work.txt", fmt.Sprintf("line of %d\n", start))
		case action == "tasks":
			err = trackTasks()
		case changing:
			err = changeFiles(files)
		case printing:
			err = spewText(n)
		case pacing:
			err = printAtPace(lines)
		}
		if err != nil {
			return err
		}
	}
	// One write of one line cannot be torn, and it is the last thing that the agent does.
	return appendLine(log, fmt.Sprintf("%d %d\n", start, time.Now().UnixNano()))
}

// changeFiles writes as many files as the text says, each with another content than before.
func changeFiles(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll("changed", 0o755); err != nil {
		return err
	}
	for i := range n {
		if err := os.WriteFile(fmt.Sprintf("changed/%d.txt", i), fmt.Appendf(nil, "written at %d\n", time.Now().UnixNano()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// spewText prints as many bytes as the text says.
func spewText(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return err
	}
	return spew(os.Stdout, n)
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(line); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// spew prints n bytes of lines that differ from their neighbours, as a talkative build does.
func spew(w io.Writer, n int64) error {
	var block bytes.Buffer
	for i := 0; block.Len() < 1<<16; i++ {
		fmt.Fprintf(&block, "%6d compiling src/module_%03d/file.c with the usual options, nothing to see here\n", i, i%977)
	}
	for n > 0 {
		part := block.Bytes()[:min(int64(block.Len()), n)]
		if _, err := w.Write(part); err != nil {
			return err
		}
		n -= int64(len(part))
	}
	return nil
}

// A turn is when an agent started and ended.
type turn struct{ start, end time.Time }

// readTurns reads a log that playAgent or playTimer wrote.
func readTurns(path string) ([]turn, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var turns []turn
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var start, end int64
		if _, err := fmt.Sscan(lines.Text(), &start, &end); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, lines.Text(), err)
		}
		turns = append(turns, turn{time.Unix(0, start), time.Unix(0, end)})
	}
	return turns, nil
}

// readExactTurns is readTurns for a job that must have taken as many turns as wanted.
func readExactTurns(path string, want int) ([]turn, error) {
	turns, err := readTurns(path)
	if err == nil && len(turns) != want {
		err = fmt.Errorf("%s has %d turns, not %d", path, len(turns), want)
	}
	return turns, err
}

// gapsBetween returns the times from each agent's end to the next one's start.
func gapsBetween(turns []turn) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(turns); i++ {
		gaps = append(gaps, turns[i].start.Sub(turns[i-1].end))
	}
	return gaps
}
