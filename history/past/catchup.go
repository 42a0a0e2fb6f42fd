package past

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
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
// machines, of older versions. It makes damaged files again. A session that cannot be read is left out,
// and so is one that has not ended.
func (b *Book) CatchUp(ctx context.Context, journal Journal, list []mulligan.Summary) error {
	byRoot := map[string][]mulligan.Summary{}
	for _, s := range list {
		if s.Ended != "" && !s.Guard {
			byRoot[s.Root] = append(byRoot[s.Root], s)
		}
	}
	var faults []error
	for root, list := range byRoot {
		if err := b.volumeOf(root).catchUp(ctx, journal, list); err != nil {
			faults = append(faults, fmt.Errorf("the history of %s: %w", root, err))
		}
	}
	return errors.Join(faults...)
}

// Verify makes the snapshots of repositories again that are missing, damaged, or not complete. Records that
// are damaged too are put aside; the next catch-up brings them back.
func (b *Book) Verify(ctx context.Context, roots ...string) error {
	var faults []error
	for _, root := range roots {
		v := b.volumeOf(root)
		if _, err := os.Stat(v.dir); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if _, err := v.verify(ctx); err != nil {
			faults = append(faults, fmt.Errorf("the history of %s: %w", root, err))
		}
	}
	return errors.Join(faults...)
}

// catchUp is CatchUp for the sessions of one repository. Where files of records were damaged, a second
// round brings back what they have lost.
func (v volume) catchUp(ctx context.Context, journal Journal, list []mulligan.Summary) error {
	for range 2 {
		if err := v.addLacking(ctx, journal, list); err != nil {
			return err
		}
		lost, err := v.verify(ctx)
		if err != nil || !lost {
			return err
		}
	}
	return nil
}

// addLacking stores the records of the sessions that the volume lacks.
func (v volume) addLacking(ctx context.Context, journal Journal, list []mulligan.Summary) error {
	known, err := v.loadIndex(ctx)
	if err != nil {
		return err
	}
	var batch []history.Session
	for _, s := range list {
		if known[s.ID].Events >= s.Events {
			continue
		}
		r, err := FoldSession(ctx, journal, s.ID)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil || r.Ended == "" {
			continue
		}
		if batch = append(batch, r); len(batch) >= maxBatch {
			if err := v.add(ctx, batch, true); err != nil {
				return err
			}
			batch = nil
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return v.add(ctx, batch, true)
}

// loadIndex returns the index. One that has to be made again is made under the lock.
func (v volume) loadIndex(ctx context.Context) (map[string]entry, error) {
	if known, err := v.parseIndex(); err == nil {
		return known, nil
	}
	unlock, err := v.lock(ctx, lockPatience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return v.readIndex()
}

// verify makes the snapshots again that are missing, damaged, or lack what the index has. lost reports
// whether records were damaged too: then the index has what is left of them.
func (v volume) verify(ctx context.Context) (lost bool, err error) {
	if known, err := v.parseIndex(); err == nil && v.isWhole(known) {
		return false, nil
	}
	unlock, err := v.lock(ctx, lockPatience)
	if err != nil {
		return false, err
	}
	defer unlock()
	known, err := v.readIndex()
	if err != nil {
		return false, err
	}
	for _, name := range pipelinesOf(known) {
		err := v.verifyPipeline(name, known)
		if isDamage(err) {
			lost = true
			if known, err = v.rebuildIndex(); err == nil {
				err = v.rebuildPipeline(name, known)
			}
		}
		if err != nil {
			return lost, err
		}
	}
	return lost, nil
}

// isWhole reports whether there is a snapshot of each pipeline in an index, with all that the index has.
func (v volume) isWhole(known map[string]entry) bool {
	sums := sumPipelines(known)
	for name, sum := range sums {
		p, err := v.loadPipeline(name)
		if err != nil || sum != p.sum() {
			return false
		}
	}
	return true
}

// A sum is how many sessions there are, and how many events they have.
type sum struct {
	sessions int
	events   int64
}

func (p *pipeline) sum() sum { return sum{p.Sessions, p.Events} }

// sumPipelines returns the sum of each pipeline in an index.
func sumPipelines(known map[string]entry) map[string]sum {
	sums := map[string]sum{}
	for _, e := range known {
		s := sums[e.Pipeline]
		sums[e.Pipeline] = sum{s.sessions + 1, s.events + e.Events}
	}
	return sums
}

// pipelinesOf returns the names of the pipelines and loops in an index, in order.
func pipelinesOf(known map[string]entry) []string {
	return slices.Sorted(maps.Keys(sumPipelines(known)))
}

// verifyPipeline makes the snapshot of a pipeline again if it is not what the index has. It must be called
// with the volume's lock held.
func (v volume) verifyPipeline(name string, known map[string]entry) error {
	p, err := v.loadPipeline(name)
	switch {
	case errors.Is(err, errNewer):
		return err
	case err == nil && p.sum() == sumPipelines(known)[name]:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		if err := v.book.setAside(v.pipelinePath(name), errors.Unwrap(err)); err != nil {
			return err
		}
	}
	return v.rebuildPipeline(name, known)
}
