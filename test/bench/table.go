package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

type table struct {
	out io.Writer
}

// A row is a figure, what it is compared with, and what it should not exceed.
type row struct {
	what   string
	value  string
	beside string
	ratio  float64 // 0: none
	bound  string  // "": none
	within bool
}

func (t *table) head(s *site) error {
	fork, err := s.bare(30, s.dir, "true")
	if err != nil {
		return err
	}
	sync, err := bareSync(s.dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s/%s, %d CPUs, %s; medians unless said; a busy machine moves every figure: read the ratios\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(t.out, "bare start and end of a process %s, bare write and fsync of 500 bytes %s\n", ms(fork), ms(sync))
	if sync < 20*time.Microsecond {
		t.note("an fsync costs nothing here: the folder seems to be in memory, and -dir names another")
	}
	fmt.Fprintf(t.out, "\n%-52s %12s   %-34s %7s   %s\n", "", "mulligan", "beside it", "ratio", "bound")
	return nil
}

func (t *table) add(r row) {
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

// addTime is a row of two times.
func (t *table) addTime(what string, value, beside time.Duration, besideWhat string, bound time.Duration) {
	r := row{what: what, value: ms(value)}
	if beside > 0 {
		r.beside, r.ratio = ms(beside)+" "+besideWhat, float64(value)/float64(beside)
	}
	if bound > 0 {
		r.bound, r.within = ms(bound), value <= bound
	}
	t.add(r)
}

// addGrowth is a row of two times that should be about the same.
func (t *table) addGrowth(what string, value, beside time.Duration, besideWhat string) {
	const most = 1.5
	ratio := float64(value) / float64(beside)
	t.add(row{
		what: what, value: ms(value), beside: ms(beside) + " " + besideWhat,
		ratio: ratio, bound: fmt.Sprintf("%.2fx", most), within: ratio <= most,
	})
}

func (t *table) note(format string, args ...any) {
	fmt.Fprintf(t.out, "  "+format+"\n", args...)
}

func ms(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}

func mb(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// bareSync is what the journal cannot do without, done by nobody but us.
func bareSync(dir string) (time.Duration, error) {
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
