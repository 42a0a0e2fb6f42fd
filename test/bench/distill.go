package main

import (
	"bufio"
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"time"

	"mulligan/feedback"
)

const (
	distilledBytes  = 10_000_000
	distilledRounds = 7
	distilledTime   = 300 * time.Millisecond
	distilledMemory = 32_000_000
)

// measureDistilling measures the time and the memory that 10 MB of output take, beside reading
// the same bytes line by line.
func measureDistilling(_ *site, t *table) error {
	for _, c := range []struct{ name, pattern string }{
		{"a log", "2026-01-05 10:00:%02d info worker %d took a job from the queue and finished it in 12 ms\n"},
		{"go test -v", "=== RUN   TestCase%02d\n    a_test.go:1: a line of log\n--- PASS: TestCase%d (0.00s)\n"},
		{"go test -json", `{"Time":"2026-01-05T10:00:00Z","Action":"output","Package":"p%02d","Test":"T%d","Output":"    text\n"}` + "\n"},
		{"nothing but errors", "src/file%02d.c:%d:1: error: something is wrong here\n"},
	} {
		var in bytes.Buffer
		for i := 0; in.Len() < distilledBytes; i++ {
			fmt.Fprintf(&in, c.pattern, i%60, i)
		}
		bare := timeMedian(func() { scanLines(in.Bytes()) })
		var kept int64
		var err error
		took := timeMedian(func() { kept, err = distillOnce(in.Bytes()) })
		if err != nil {
			return err
		}
		t.addTime("distilling 10 MB of "+c.name, took, bare, "bare scan of the lines", distilledTime)
		t.addRow(row{
			what: "  its memory", value: formatMB(kept), bound: formatMB(distilledMemory), within: kept <= distilledMemory,
		})
	}
	return nil
}

func timeMedian(do func()) time.Duration {
	var took []time.Duration
	for range distilledRounds {
		begun := time.Now()
		do()
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func scanLines(p []byte) {
	lines := bufio.NewScanner(bytes.NewReader(p))
	for lines.Scan() {
		_ = lines.Bytes()
	}
}

// distillOnce returns how much the heap grew while the output was read.
func distillOnce(p []byte) (int64, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	d := feedback.NewDistiller(0)
	for rest := p; len(rest) > 0; { // as a pipe gives it
		n, err := d.Write(rest[:min(32<<10, len(rest))])
		if err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	runtime.ReadMemStats(&after)
	d.Finish("")
	return int64(after.HeapAlloc) - int64(before.HeapAlloc), nil
}
