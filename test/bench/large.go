package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan/workspace"
)

const (
	// largeFiles is how many files the large repository has.
	largeFiles = 50_000
	// largeAttempts is how many attempts are made there.
	largeAttempts = 9
)

// measureLarge measures a repository of 50,000 small files: its first snapshot, what that takes on the disk, and what is
// done between two agents.
func measureLarge(s *site, t *table) error {
	w := work{check: "false", retry: largeAttempts - 1, agent: []string{"write"}, files: writeLargeTree}
	j, err := s.newJob(w)
	if err != nil {
		return err
	}
	defer os.RemoveAll(j.repo)
	if err := s.measureFirstSnapshot(t, j); err != nil {
		return err
	}
	status, err := s.timeProgram(9, j.repo, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	r, err := s.runJob(j, exitGaveUp)
	if err != nil {
		return err
	}
	turns, err := readExactTurns(j.log, largeAttempts)
	if err != nil {
		return err
	}
	t.addGrowth("  between attempts, an agent that changes a file", quantile(gapsBetween(turns), 0.5), status, "git status")
	addGapParts(t, r.stdout, turns)
	return s.dropState()
}

// writeLargeTree writes the files of the large repository: words by chance, the same in every run.
func writeLargeTree(repo string) error {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 3000)
	for i := range words {
		word := make([]byte, 3+random.IntN(8))
		for k := range word {
			word[k] = byte('a' + random.IntN(26))
		}
		words[i] = string(word)
	}
	var b strings.Builder
	for i := range largeFiles {
		b.Reset()
		for range 5 + random.IntN(150) {
			b.WriteString(words[random.IntN(len(words))])
			b.WriteByte(" \n"[random.IntN(8)/7])
		}
		path := filepath.Join(repo, fmt.Sprintf("large/part%d/sub%d/file%d.txt", i/1000, i/25, i))
		if i%25 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// measureFirstSnapshot measures the first snapshot beside `git add`, and what it takes on the disk beside git's own pack.
func (s *site) measureFirstSnapshot(t *table, j job) error {
	added, err := median(3, func() (time.Duration, error) { return s.timeAdd(j) })
	if err != nil {
		return err
	}
	snapshots := filepath.Join(s.dir, "large.git")
	first, err := median(3, func() (time.Duration, error) { return timeSnapshot(j.repo, snapshots) })
	if err != nil {
		return err
	}
	t.addTime(fmt.Sprintf("%d files: the first snapshot", largeFiles), first, added, "git add", 1500*time.Millisecond)
	if _, err := s.run(j.repo, 0, "git", "repack", "-adq"); err != nil {
		return err
	}
	theirs, err := diskUse(filepath.Join(j.repo, ".git", "objects"))
	if err != nil {
		return err
	}
	ours, err := diskUse(snapshots)
	if err != nil {
		return err
	}
	const most = 2
	ratio := float64(ours) / float64(theirs)
	t.addRow(row{
		what: "  kept on the disk", value: formatMB(ours), beside: formatMB(theirs) + " git's own pack",
		ratio: ratio, bound: fmt.Sprintf("%.2fx", float64(most)), within: ratio <= most,
	})
	return os.RemoveAll(snapshots)
}

// timeAdd returns how long git takes to add all files to an empty repository.
func (s *site) timeAdd(j job) (time.Duration, error) {
	git := filepath.Join(s.dir, "large-add.git")
	defer os.RemoveAll(git)
	if _, err := s.run(j.repo, 0, "git", "init", "-q", "--bare", git); err != nil {
		return 0, err
	}
	r, err := s.run(j.repo, 0, "git", "--git-dir="+git, "--work-tree="+j.repo, "add", "-A")
	return r.wall, err
}

// timeSnapshot returns how long the first snapshot takes.
func timeSnapshot(repo, snapshots string) (time.Duration, error) {
	if err := os.RemoveAll(snapshots); err != nil {
		return 0, err
	}
	ctx := context.Background()
	began := time.Now()
	ws, err := workspace.Open(ctx, workspace.Options{Dir: repo, Snapshots: snapshots})
	if err != nil {
		return 0, err
	}
	defer ws.Close()
	_, err = ws.Snapshot(ctx, "large/1")
	return time.Since(began), err
}

// diskUse returns what the files of a folder take on the disk, in blocks of 4 KiB.
func diskUse(dir string) (total int64, err error) {
	const block = 4096
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += (info.Size() + block - 1) / block * block
		}
		return err
	})
	return total, err
}
