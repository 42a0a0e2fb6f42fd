package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// A table prints the figures as they come.
type table struct {
	out io.Writer
}

// A row is a figure, what it is compared with, and its bound.
type row struct {
	what   string
	value  string
	beside string
	ratio  float64 // 0: none
	bound  string  // "": none
	within bool
}

// printHead prints the machine and what a process and an fsync cost on it.
func (t *table) printHead(s *site) error {
	fork, err := s.timeProgram(30, s.dir, "true")
	if err != nil {
		return err
	}
	sync, err := timeSync(s.dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s/%s, %d CPUs, %s; medians unless said; a busy machine moves every figure: read the ratios\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(t.out, "bare start and end of a process %s, bare write and fsync of 500 bytes %s\n", formatMS(fork), formatMS(sync))
	if sync < 20*time.Microsecond {
		t.note("an fsync costs nothing here: the folder seems to be in memory, and -dir names another")
	}
	fmt.Fprintf(t.out, "\n%-52s %12s   %-34s %7s   %s\n", "", "mulligan", "beside it", "ratio", "bound")
	return nil
}

func (t *table) addRow(r row) {
	ratio := ""
	if r.ratio > 0 {
		ratio = fmt.Sprintf("%.2fx", r.ratio)
	}
	bound := ""
	if r.bound != "" {
		bound = "≤ " + r.bound + "  over"
		if r.within {
			bound = "≤ " + r.bound + "  ok"
		}
	}
	fmt.Fprintf(t.out, "%-52s %12s   %-34s %7s   %s\n", r.what, r.value, r.beside, ratio, bound)
}

// addTime adds a row of two times; beside and bound are left out where they are 0.
func (t *table) addTime(what string, value, beside time.Duration, besideWhat string, bound time.Duration) {
	r := row{what: what, value: formatMS(value)}
	if beside > 0 {
		r.beside, r.ratio = formatMS(beside)+" "+besideWhat, float64(value)/float64(beside)
	}
	if bound > 0 {
		r.bound, r.within = formatMS(bound), value <= bound
	}
	t.addRow(r)
}

// addGrowth adds a row of two times that should be about the same.
func (t *table) addGrowth(what string, value, beside time.Duration, besideWhat string) {
	t.addRatio(what, value, beside, besideWhat, 1.5)
}

// addRatio adds a row of two times, of which the first should be at most so many times the other.
func (t *table) addRatio(what string, value, beside time.Duration, besideWhat string, most float64) {
	ratio := float64(value) / float64(beside)
	t.addRow(row{
		what: what, value: formatMS(value), beside: formatMS(beside) + " " + besideWhat,
		ratio: ratio, bound: fmt.Sprintf("%.2fx", most), within: ratio <= most,
	})
}

func (t *table) note(format string, args ...any) {
	fmt.Fprintf(t.out, "  "+format+"\n", args...)
}

func formatMS(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func formatMB(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// timeSync returns the median time of a write and an fsync, which is the least that the journal
// can do.
func timeSync(dir string) (time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	block := make([]byte, 500)
	return median(100, func() (time.Duration, error) {
		start := time.Now()
		if _, err := f.Write(block); err != nil {
			return 0, err
		}
		err := f.Sync()
		return time.Since(start), err
	})
}
