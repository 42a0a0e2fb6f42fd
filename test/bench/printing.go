package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const maxGrowth = 32 << 20

// printing is a check, then an agent, that prints very much: how much memory mulligan
// needs for it, and how fast it takes it in.
func printing(s *site, t *table) error {
	null, err := s.catSpeed(os.DevNull)
	if err != nil {
		return err
	}
	kept := filepath.Join(s.dir, "kept")
	file, err := s.catSpeed(kept)
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
		quiet, err := s.printed(who.work(100), 5)
		if err != nil {
			return err
		}
		loud, err := s.printed(who.work(s.bytes), 3)
		if err != nil {
			return err
		}
		t.growth(who.name+" that prints "+mb(s.bytes)+", memory", quiet.peak, loud.peak)
		took := speed(s.bytes, loud.wall-quiet.wall)
		t.add(row{
			what: "  taken in, " + mb(loud.kept) + " of it kept on the disk", value: rate(took),
			beside: rate(null) + " cat >/dev/null", ratio: took / null,
		})
		t.add(row{what: "  the same beside", beside: rate(file) + " cat >file", ratio: took / file})
	}
	return nil
}

// A printout is what several runs of one printing job came to.
type printout struct {
	wall time.Duration // the median
	peak int64         // the most
	kept int64         // size of the largest file that the last run left in the state folder
}

// printed drops what each run left: the kept output is as large as what was printed.
func (s *site) printed(w work, runs int) (p printout, err error) {
	p.wall, err = median(runs, func() (time.Duration, error) {
		if err := s.forget(); err != nil {
			return 0, err
		}
		j, err := s.newJob(w)
		if err != nil {
			return 0, err
		}
		r, err := s.mulligan(j, exitOK)
		p.peak = max(p.peak, r.peak)
		return r.wall, err
	})
	if err != nil {
		return p, err
	}
	if p.kept, err = largest(filepath.Join(s.dir, "state")); err != nil {
		return p, err
	}
	return p, s.forget()
}

func largest(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().IsRegular() {
			size = max(size, info.Size())
		}
		return err
	})
	return size, err
}

func (t *table) growth(what string, quiet, loud int64) {
	if quiet == 0 || loud == 0 {
		t.note("%s: not measured, this system does not tell (no /proc)", what)
		return
	}
	t.add(row{
		what: what, value: fmt.Sprintf("%+.1f MB", float64(loud-quiet)/1e6), beside: mb(quiet) + " with 100 bytes printed",
		ratio: float64(loud) / float64(quiet), bound: mb(maxGrowth), within: loud-quiet <= maxGrowth,
	})
}

// catSpeed is the same output through a pipe to cat.
func (s *site) catSpeed(to string) (float64, error) {
	const script = `"$0" ` + asSpew + ` "$1" | cat >"$2"`
	took, err := median(3, func() (time.Duration, error) {
		r, err := s.run(s.dir, 0, "sh", "-c", script, s.self, fmt.Sprint(s.bytes), to)
		return r.wall, err
	})
	return speed(s.bytes, took), err
}

func speed(n int64, d time.Duration) float64 { return float64(n) / d.Seconds() }

func rate(bytesPerSecond float64) string { return fmt.Sprintf("%.0f MB/s", bytesPerSecond/1e6) }
