package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"mulligan/internal/environ"
	"mulligan/workspace"
)

const (
	largeAttempts     = 30 // of the session whose turns are measured
	largeAttemptsLess = 5  // of the one whose memory is compared
	largeFirst        = 3  // first sessions
	largeLater        = 5  // later ones
	filesChanged      = 20 // by the agent in each turn
)

// A largeTree is what a large repository has, the same in every run.
type largeTree struct {
	what  string
	write func(repo string) error
}

// measureLarge measures sessions in large repositories beside what plain git takes there.
func measureLarge(s *site, t *table) error {
	for _, tree := range []largeTree{
		{"50,000 files", writeFlatTree},
		{"63,000 files in 11,000 folders", writeDeepTree},
	} {
		if err := s.measureTree(t, tree); err != nil {
			return fmt.Errorf("%s: %w", tree.what, err)
		}
	}
	return nil
}

// A plainGit is what git itself takes in a repository.
type plainGit struct {
	clone    time.Duration // `git clone --local`, with its checkout
	status   time.Duration
	checkout int64 // what such a clone takes on the disk, without the objects that it shares
}

// measureTree measures one large repository.
func (s *site) measureTree(t *table, tree largeTree) error {
	j, err := s.newJob(tree.work("true", 0))
	if err != nil {
		return err
	}
	defer os.RemoveAll(j.repo)
	if _, err := s.run(j.repo, 0, "git", "repack", "-adq"); err != nil {
		return err
	}
	bare, err := s.measurePlainGit(j)
	if err != nil {
		return err
	}
	if err := s.measureBeginnings(t, tree, j, bare); err != nil {
		return err
	}
	if err := s.measureTurns(t, tree, j, bare); err != nil {
		return err
	}
	return s.dropState()
}

// work returns the work of a session in the tree, whose agent changes files.
func (tree largeTree) work(check string, retry int) work {
	return work{
		check: check, retry: retry, agent: []string{"write", fmt.Sprintf("change=%d", filesChanged)}, step: accessLines,
		files: func(repo string) error {
			for i := range largeLater {
				if err := os.WriteFile(laterTask(repo, i), fmt.Appendf(nil, "Do it once more, for the %d. time.\n", i+1), 0o644); err != nil {
					return err
				}
			}
			return tree.write(repo)
		},
	}
}

// laterTask returns the path of a task for a later session in a large repository.
func laterTask(repo string, i int) string {
	return filepath.Join(repo, "tasks", fmt.Sprintf("later-%d.md", i))
}

// measurePlainGit measures git in the job's repository.
func (s *site) measurePlainGit(j job) (bare plainGit, err error) {
	clone := filepath.Join(s.dir, "clone")
	bare.clone, err = s.timeClone(j.repo, clone)
	if err != nil {
		return bare, err
	}
	if bare.checkout, err = diskUse(clone, filepath.Join(".git", "objects")); err != nil {
		return bare, err
	}
	if err := os.RemoveAll(clone); err != nil {
		return bare, err
	}
	if _, err := s.run(j.repo, 0, "git", "update-index", "-q", "--refresh"); err != nil {
		return bare, err
	}
	bare.status, err = s.timeProgram(9, j.repo, "git", "status", "--porcelain")
	return bare, err
}

// timeClone returns how long git takes to clone a repository on this machine; the last clone stays.
func (s *site) timeClone(repo, to string) (time.Duration, error) {
	return median(3, func() (time.Duration, error) {
		if err := os.RemoveAll(to); err != nil {
			return 0, err
		}
		r, err := s.run(s.dir, 0, "git", "clone", "--quiet", "--local", repo, to)
		return r.wall, err
	})
}

// measureBeginnings measures the first session of a repository and later ones, to their first agents.
func (s *site) measureBeginnings(t *table, tree largeTree, j job, bare plainGit) error {
	var whole []time.Duration
	first, err := median(largeFirst, func() (time.Duration, error) {
		if err := s.dropState(); err != nil {
			return 0, err
		}
		r, begun, err := s.timeFirstAgent(j, "tasks/job.md")
		whole = append(whole, r.wall)
		return begun, err
	})
	if err != nil {
		return err
	}
	t.note("%s:", tree.what)
	t.addRatio("  a first session's first agent", first, bare.clone, "git clone --local, checked out", 2.5)
	t.addTime("  the whole session, of one turn", quantile(whole, 0.5), bare.clone, "git clone --local, checked out", 0)
	if err := s.addDisk(t, j, bare); err != nil {
		return err
	}
	later := 0
	begun, err := median(largeLater, func() (time.Duration, error) {
		path, err := filepath.Rel(j.repo, laterTask(j.repo, later))
		if err != nil {
			return 0, err
		}
		later++
		_, begun, err := s.timeFirstAgent(j, path)
		return begun, err
	})
	if err != nil {
		return err
	}
	t.addRatio("  a later session's first agent", begun, bare.status, "git status", 5)
	return nil
}

// timeFirstAgent runs a session that is verified, and returns how long it took from the start of its process to that of its
// first agent.
func (s *site) timeFirstAgent(j job, task string) (result, time.Duration, error) {
	before, err := readTurns(j.log)
	if err != nil && !os.IsNotExist(err) {
		return result{}, 0, err
	}
	r, err := s.runTask(j, task, exitOK)
	if err != nil {
		return r, 0, err
	}
	turns, err := readTurns(j.log)
	if err != nil {
		return r, 0, err
	}
	if len(turns) <= len(before) {
		return r, 0, fmt.Errorf("%s: no agent was started", task)
	}
	return r, turns[len(before)].start.Sub(r.start), nil
}

// addDisk adds a row of what the slot of a repository takes on the disk: a workspace and a proof.
func (s *site) addDisk(t *table, j job, bare plainGit) error {
	const most = 2
	slot, err := diskUse(s.firstSlot(j))
	if err != nil {
		return err
	}
	ratio := float64(slot) / float64(bare.checkout)
	t.addRow(row{
		what: "  its slot on the disk", value: formatMB(slot), beside: formatMB(bare.checkout) + " a checkout without objects",
		ratio: ratio, bound: fmt.Sprintf("%.2fx", float64(most)), within: ratio <= most,
	})
	return nil
}

// firstSlot returns the folder of the clones that a session has which is alone in its repository.
func (s *site) firstSlot(j job) string {
	root, err := workspace.Find(j.repo)
	if err != nil {
		return ""
	}
	return environ.Folders{State: filepath.Join(s.dir, "state", "mulligan")}.Slot(root.Repository(), 1)
}

// measureTurns measures what is done between two agents, and the memory that a session with more turns needs.
func (s *site) measureTurns(t *table, tree largeTree, j job, bare plainGit) error {
	turns, r, err := s.runFailing(tree, j, largeAttempts)
	if err != nil {
		return err
	}
	t.addRatio(fmt.Sprintf("  between two agents, %d files changed", filesChanged), quantile(gapsBetween(turns), 0.5), bare.status, "git status", 5)
	addGapParts(t, r.stdout, turns)
	_, less, err := s.runFailing(tree, j, largeAttemptsLess)
	if err != nil {
		return err
	}
	if r.peak == 0 || less.peak == 0 {
		t.note("  its memory: not measured, this system does not tell (no /proc)")
		return nil
	}
	const most = 1.5
	ratio := float64(r.peak) / float64(less.peak)
	t.addRow(row{
		what: fmt.Sprintf("  most memory, %d turns", largeAttempts), value: formatMB(r.peak), beside: fmt.Sprintf("%s with %d turns", formatMB(less.peak), largeAttemptsLess),
		ratio: ratio, bound: fmt.Sprintf("%.2fx", most), within: ratio <= most,
	})
	return nil
}

// runFailing runs a session of so many turns, whose check always fails.
func (s *site) runFailing(tree largeTree, j job, attempts int) ([]turn, result, error) {
	config := s.jobConfig(j, tree.work("false", attempts-1))
	if err := os.WriteFile(filepath.Join(j.repo, "mulligan.yaml"), []byte(config), 0o644); err != nil {
		return nil, result{}, err
	}
	if _, err := s.run(j.repo, 0, "git", "commit", "-q", "-a", "-m", "a check that fails"); err != nil {
		return nil, result{}, err
	}
	if err := os.Remove(j.log); err != nil {
		return nil, result{}, err
	}
	r, err := s.run(j.repo, exitGaveUp, s.program, "run", "tasks/job.md", "--restart", "--foreground", "--json")
	if err != nil {
		return nil, r, err
	}
	turns, err := readExactTurns(j.log, attempts)
	return turns, r, err
}

// diskUse returns what the files of a folder take on the disk, in blocks of 4 KiB, without those of one folder in it.
func diskUse(dir string, without ...string) (total int64, err error) {
	const block = 4096
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for _, name := range without {
			if path == filepath.Join(dir, name) {
				return filepath.SkipDir
			}
		}
		info, err := d.Info()
		if err == nil {
			total += (info.Size() + block - 1) / block * block
		}
		return err
	})
	return total, err
}
