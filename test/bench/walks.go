package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"mulligan"
	"mulligan/workspace"
)

// measureWalks measures what is done after every check: the tree is walked, and what the check changed is
// put back. The repository has 100 files.
func measureWalks(s *site, t *table) error {
	j, err := s.newJob(work{check: "true"})
	if err != nil {
		return err
	}
	ctx := context.Background()
	ws, err := workspace.Open(ctx, workspace.Options{Dir: j.repo, Snapshots: filepath.Join(s.dir, "walks.git")})
	if err != nil {
		return err
	}
	defer ws.Close()
	tree, err := ws.Snapshot(ctx, "walks/1-after")
	if err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond) // files just written are read twice
	for _, check := range []struct {
		what  string
		write string // the file that the check writes; "": none
		bound time.Duration
	}{
		{"the walk after a check that writes nothing", "", 2 * time.Millisecond},
		{"  after one that creates a file", "report.txt", 0},
		{"  after one that changes a file, which is put back", "src/part1/file1.txt", 0},
	} {
		took, err := median(30, func() (time.Duration, error) { return timeWalk(ctx, ws, tree, check.write) })
		if err != nil {
			return err
		}
		t.addTime(check.what, took, 0, "", check.bound)
	}
	return nil
}

// timeWalk returns how long the walk after a check that has written a file takes. Created files are removed.
func timeWalk(ctx context.Context, ws *workspace.Workspace, tree mulligan.Tree, write string) (time.Duration, error) {
	if write != "" {
		if err := os.WriteFile(filepath.Join(ws.Dir(), write), []byte(time.Now().String()), 0o600); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	left, _, err := ws.UndoWrites(ctx, tree, false, "walks/1-checks")
	took := time.Since(began)
	if err == nil {
		err = ws.RemoveCreated(ctx, tree, left, "walks/1-created")
	}
	return took, err
}
