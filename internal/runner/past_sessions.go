package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"mulligan"
	"mulligan/history/past"
	"mulligan/internal/clock"
)

const (
	// recordPatience is how long the end of a process may be held up by the record of its session.
	recordPatience = 30 * time.Second
	// catchUpAfter is how long a session runs before it looks for sessions that have no record: a short one
	// does not, and the start of none is held up.
	catchUpAfter = 2 * time.Second
)

// keepRecord stores the record of a session that has ended. What fails is a warning: the next catch-up
// makes the record.
func (r *Runner) keepRecord(ctx context.Context, id string) {
	defer r.warnOfPanic()
	if err := addRecord(ctx, r.book, r.journal, id); err != nil {
		r.warn(err.Error())
	}
}

// addRecord adds the record of a session that has ended to the book, and with it what a damaged file has lost.
func addRecord(ctx context.Context, book *past.Book, journal mulligan.Journal, id string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordPatience)
	defer cancel()
	record, err := past.FoldSession(ctx, journal, id)
	if err == nil {
		err = book.Add(ctx, record)
	}
	if errors.Is(err, past.ErrLost) {
		return catchUp(ctx, book, journal, record.Root)
	}
	if err != nil {
		return fmt.Errorf("session %s is not in the history yet, `mulligan history` adds it: %w", id, err)
	}
	return nil
}

// catchUp stores the records of a repository's sessions that have none.
func catchUp(ctx context.Context, book *past.Book, journal mulligan.Journal, root string) error {
	all, err := journal.Sessions(ctx)
	if err == nil {
		err = book.CatchUp(ctx, journal, slices.DeleteFunc(all, func(s mulligan.Summary) bool { return s.Root != root }))
	}
	if err != nil {
		return fmt.Errorf("the history of past sessions is not complete, `mulligan history` tries again: %w", err)
	}
	return nil
}

// catchUpInBackground stores the records of this repository's sessions that have none, while the agent
// works. stop ends it, and waits for its end.
func (r *Runner) catchUpInBackground(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var catching sync.WaitGroup
	catching.Go(func() {
		defer r.warnOfPanic()
		if clock.Sleep(ctx, catchUpAfter); ctx.Err() != nil {
			return
		}
		if err := catchUp(ctx, r.book, r.journal, r.Root); err != nil && ctx.Err() == nil {
			r.warn(err.Error())
		}
	})
	return func() {
		cancel()
		catching.Wait()
	}
}

// warnOfPanic makes a fault of the history's own a warning. It must be deferred.
func (r *Runner) warnOfPanic() {
	if broke := recover(); broke != nil {
		r.warn(fmt.Sprintf("a fault in the history of past sessions: %v", broke))
	}
}
