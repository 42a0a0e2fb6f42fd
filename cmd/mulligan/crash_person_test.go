package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// startPerson starts the person who does what the scenario says when a child asks for it, beside the session and
// whatever becomes of that meanwhile. The function that it returns ends the watch and returns what went wrong.
func (r *run) startPerson(ctx context.Context) (wait func() error) {
	if r.scenario.asked == "" {
		return func() error { return nil }
	}
	over, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.answerWhenAsked(ctx, over) }()
	return func() error {
		close(over)
		return <-done
	}
}

// answerWhenAsked gives the person's command when the file asked is there, and makes the file answered.
func (r *run) answerWhenAsked(ctx context.Context, over <-chan struct{}) error {
	in := func(name string) string { return filepath.Join(r.dir, name) }
	for {
		if _, err := os.Stat(in("asked")); err == nil {
			break
		}
		select {
		case <-over:
			return errors.New("no child asked for the person")
		case <-time.After(5 * time.Millisecond):
		}
	}
	if _, err := sh(ctx, in("proj"), runEnv(r.dir), r.scenario.asked); err != nil {
		return fmt.Errorf("%s: %w", strings.TrimSpace(r.scenario.asked), err)
	}
	return os.WriteFile(in("answered"), nil, 0o600)
}
