package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const maxGrowth = 32 << 20

// measureOutput measures the memory and the speed with which mulligan takes in the output of a
// check, and of an agent, that prints very much.
func measureOutput(s *site, t *table) error {
	null, err := s.measureCat(os.DevNull)
	if err != nil {
		return err
	}
	kept := filepath.Join(s.dir, "kept")
	file, err := s.measureCat(kept)
	if err != nil {
		return err
	}
	if err := os.Remove(kept); err != nil {
		return err
	}
	for _, who := range []struct {
		name string
		work func(n int64) work
	}{
		{"a check", func(n int64) work { return work{check: fmt.Sprintf("'%s' %s %d", s.self, asSpew, n)} }},
		{"an agent", func(n int64) work { return work{check: "true", agent: []string{fmt.Sprintf("spew=%d", n)}} }},
	} {
		quiet, err := s.runPrinting(who.work(100), 5)
		if err != nil {
			return err
		}
		loud, err := s.runPrinting(who.work(s.bytes), 3)
		if err != nil {
			return err
		}
		t.addMemory(who.name+" that prints "+formatMB(s.bytes)+", memory", quiet.peak, loud.peak)
		took := bytesPerSecond(s.bytes, loud.wall-quiet.wall)
		t.addRow(row{
			what: "  taken in, " + formatMB(loud.kept) + " of it kept on the disk", value: formatRate(took),
			beside: formatRate(null) + " cat >/dev/null", ratio: took / null,
		})
		t.addRow(row{what: "  the same beside", beside: formatRate(file) + " cat >file", ratio: took / file})
	}
	return nil
}

// A printout is the sum of several runs of one printing job.
type printout struct {
	wall time.Duration // the median
	peak int64         // the most
	kept int64         // size of the largest file that the last run left in the state folder
}

// runPrinting runs a printing job several times. It removes the state after each run, because the
// kept output is as large as the printed.
func (s *site) runPrinting(w work, runs int) (p printout, err error) {
	p.wall, err = median(runs, func() (time.Duration, error) {
		if err := s.dropState(); err != nil {
			return 0, err
		}
		j, err := s.newJob(w)
		if err != nil {
			return 0, err
		}
		r, err := s.runJob(j, exitOK)
		p.peak = max(p.peak, r.peak)
		return r.wall, err
	})
	if err != nil {
		return p, err
	}
	if p.kept, _, err = fileSizes(filepath.Join(s.dir, "state")); err != nil {
		return p, err
	}
	return p, s.dropState()
}

// fileSizes returns the size of the largest file below a folder, and of all of them.
func fileSizes(dir string) (largest, total int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			largest = max(largest, info.Size())
			total += info.Size()
		}
		return err
	})
	return largest, total, err
}

// addMemory adds a row that compares the memory of a loud run with that of a quiet one.
func (t *table) addMemory(what string, quiet, loud int64) {
	if quiet == 0 || loud == 0 {
		t.note("%s: not measured, this system does not tell (no /proc)", what)
		return
	}
	t.addRow(row{
		what: what, value: fmt.Sprintf("%+.1f MB", float64(loud-quiet)/1e6), beside: formatMB(quiet) + " with 100 bytes printed",
		ratio: float64(loud) / float64(quiet), bound: formatMB(maxGrowth), within: loud-quiet <= maxGrowth,
	})
}

// measureCat returns how many bytes per second of the same output cat writes to a file.
func (s *site) measureCat(to string) (float64, error) {
	const script = `"$0" ` + asSpew + ` "$1" | cat >"$2"`
	took, err := median(3, func() (time.Duration, error) {
		r, err := s.run(s.dir, 0, "sh", "-c", script, s.self, fmt.Sprint(s.bytes), to)
		return r.wall, err
	})
	return bytesPerSecond(s.bytes, took), err
}

func bytesPerSecond(n int64, d time.Duration) float64 { return float64(n) / d.Seconds() }

func formatRate(bytesPerSecond float64) string { return fmt.Sprintf("%.0f MB/s", bytesPerSecond/1e6) }
