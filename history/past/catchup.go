package past

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"mulligan"
	"mulligan/history"
)

// A Journal is what a catch-up reads.
type Journal interface {
	Read(ctx context.Context, session string, from int64) iter.Seq2[mulligan.Event, error]
}

// maxBatch is how many records a catch-up stores at once.
const maxBatch = 200

// FoldSession makes the record of a session. After an error the record is that of what was read before.
func FoldSession(ctx context.Context, journal Journal, id string) (history.Session, error) {
	var fold history.Fold
	for e, err := range journal.Read(ctx, id, 1) {
		if err == nil {
			err = fold.Apply(e)
		}
		if err != nil {
			return fold.Record(), err
		}
	}
	return fold.Record(), nil
}

// CatchUp stores the records of ended sessions that the book lacks: those of killed processes, of other
// machines, of damaged files. A session that cannot be read is left out, and so is one that has not ended.
func (b *Book) CatchUp(ctx context.Context, journal Journal, list []mulligan.Summary) error {
	byRoot := map[string][]mulligan.Summary{}
	for _, s := range list {
		if s.Ended != "" && !s.Guard {
			byRoot[s.Root] = append(byRoot[s.Root], s)
		}
	}
	var faults []error
	for root, list := range byRoot {
		if err := b.catchUp(ctx, journal, b.pathOf(root), list); err != nil {
			faults = append(faults, fmt.Errorf("the history of %s: %w", root, err))
		}
	}
	return errors.Join(faults...)
}

// catchUp is CatchUp for the sessions of one repository.
func (b *Book) catchUp(ctx context.Context, journal Journal, path string, list []mulligan.Summary) error {
	records, err := b.load(ctx, path)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(pickLacking(records, list), maxBatch) {
		var made []history.Session
		for _, s := range batch {
			r, err := FoldSession(ctx, journal, s.ID)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err == nil && r.Ended != "" {
				made = append(made, r)
			}
		}
		if len(made) == 0 {
			continue
		}
		if err := b.add(ctx, path, made); err != nil {
			return err
		}
	}
	return nil
}

// pickLacking returns the newest sessions of which the records lack something, the newest first.
func pickLacking(records []history.Session, list []mulligan.Summary) []mulligan.Summary {
	events := map[string]int64{}
	for _, r := range records {
		events[r.ID] = r.Events
	}
	lacking := slices.DeleteFunc(slices.Clone(list), func(s mulligan.Summary) bool {
		tooOld := len(records) >= maxRecords && s.Updated.Before(records[0].Time())
		return events[s.ID] >= s.Events || tooOld
	})
	slices.SortFunc(lacking, func(a, b mulligan.Summary) int { return b.Updated.Compare(a.Updated) })
	return lacking[:min(len(lacking), maxRecords)]
}
