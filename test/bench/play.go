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

// play is what mulligan (or the bash loop) starts.
//
//	fake-agent LOG [write] [spew=N] [tasks]   read the prompt, note when we started and ended
//	spew N                                    print N bytes
//	fake-claude N …                           speak as Claude Code does, N bytes of it
//	timer LOG PROGRAM …                       run a program, note when it started and ended
func play(role string, args []string) error {
	switch role {
	case asClaude:
		return fakeClaude(args[0])
	case asTimer:
		return timer(args[0], args[1:])
	case asSpew:
		n, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return err
		}
		return spew(os.Stdout, n)
	}
	start := time.Now().UnixNano()
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	for _, arg := range args[1:] {
		n, printing := strings.CutPrefix(arg, "spew=")
		switch {
		case arg == "write":
			if err := appendLine("work.txt", fmt.Sprintf("line of %d\n", start)); err != nil {
				return err
			}
		case arg == "tasks":
			if err := trackTasks(); err != nil {
				return err
			}
		case printing:
			bytes, err := strconv.ParseInt(n, 10, 64)
			if err != nil {
				return err
			}
			if err := spew(os.Stdout, bytes); err != nil {
				return err
			}
		}
	}
	// One write of one line: nothing can tear it, and it is the last thing that we do.
	return appendLine(args[0], fmt.Sprintf("%d %d\n", start, time.Now().UnixNano()))
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

// spew prints lines that differ from their neighbours, as a talkative build does.
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

// A turn is when a fake agent began and ended.
type turn struct{ start, end time.Time }

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

// between are the times from each agent's end to the next one's start.
func between(turns []turn) []time.Duration {
	var gaps []time.Duration
	for i := 1; i < len(turns); i++ {
		gaps = append(gaps, turns[i].start.Sub(turns[i-1].end))
	}
	return gaps
}
