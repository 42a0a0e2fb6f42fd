package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mulligan/internal/cli"
	"mulligan/journal"
	"mulligan/journal/jetstream"
)

var crashJournals = flag.String("crash.journals", "", "write the journal of every scenario into this folder, as it is and killed in the middle")

// TestRecordJournals writes the fixtures that the replay test folds. It is run by hand, with the
// program whose behaviour is to be kept: -run TestRecordJournals -crash.journals DIR.
func TestRecordJournals(t *testing.T) {
	if *crashJournals == "" {
		return // it records, and tests nothing
	}
	base := makeCrashBase(t, *crashDir)
	t.Setenv("XDG_RUNTIME_DIR", base)
	work(t.Context(), loadScenarios(t.Context(), t, base), time.Now().Add(time.Hour), func(s *scenario) {
		runs := map[string]*kill{
			s.name:             nil,
			s.name + "-killed": {scenario: s, point: len(s.points[0]) / 2},
		}
		for name, k := range runs {
			if err := s.recordJournals(t.Context(), base, name, k); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// recordJournals plays the scenario once and writes the journals of its sessions.
func (s *scenario) recordJournals(ctx context.Context, base, name string, k *kill) error {
	r, err := s.newRun(base)
	if err != nil {
		return err
	}
	r.kill = k
	if _, err := r.drive(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	store, err := jetstream.Open(ctx, jetstream.Options{Dir: filepath.Join(r.dir, "state", "mulligan"), Version: cli.Version, Mode: jetstream.Short})
	if err != nil {
		return err
	}
	defer store.Close()
	sessions, err := store.Sessions(ctx)
	if err != nil {
		return err
	}
	for i, session := range sessions {
		var lines bytes.Buffer
		for e, err := range store.Read(ctx, session.ID, 1) {
			if err != nil {
				return err
			}
			line, err := journal.Encode(e)
			if err != nil {
				return err
			}
			lines.Write(append(bytes.ReplaceAll(line, []byte(r.dir), []byte("/crash")), '\n'))
		}
		file := name
		if i > 0 {
			file = fmt.Sprintf("%s-%d", name, i+1)
		}
		if err := os.WriteFile(filepath.Join(*crashJournals, file+".jsonl"), lines.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
