package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	claimStream   = "MULLIGAN_CLAIMS"
	claimSubjects = "mulligan.claims."
	headerMade    = "Mulligan-Made" // when the claim was made, in milliseconds
	headerBy      = "Mulligan-By"   // what tells whether its process lives
)

// A Claim names the session that does a piece of work, or none. The newest one of a piece of work is the one that holds.
type Claim struct {
	Session string
	By      string // what the session's process said of itself: one line
	Made    time.Time
}

// A HeldError means that another session does the work.
type HeldError struct{ Session string }

func (e *HeldError) Error() string { return fmt.Sprintf("session %s has it", e.Session) }

// Claim makes a session the one that does a piece of work, in the journal, so that of several processes, on whichever
// machines, one does. free reports whether the session that has it may be followed by another: it is over, or no process runs
// it. If not, the error is a *HeldError.
func (s *Store) Claim(ctx context.Context, work, session, by string, free func(Claim) (bool, error)) error {
	return s.claim(ctx, work, Claim{Session: session, By: by}, func(c Claim) (bool, error) {
		if c.Session == "" {
			return true, nil
		}
		return free(c)
	})
}

// Release takes back a session's claim to a piece of work, if it holds.
func (s *Store) Release(ctx context.Context, work, session string) error {
	err := s.claim(ctx, work, Claim{}, func(c Claim) (bool, error) { return c.Session == session, nil })
	if _, ok := errors.AsType[*HeldError](err); ok {
		return nil
	}
	return err
}

// claim stores a claim where free says so about the one that holds.
func (s *Store) claim(ctx context.Context, work string, next Claim, free func(Claim) (bool, error)) error {
	sum := sha256.Sum256([]byte(work))
	subject := claimSubjects + hex.EncodeToString(sum[:16])
	for {
		last, err := s.fetchLastFromLeader(ctx, claimStream, subject)
		if err != nil {
			return err
		}
		after := uint64(0)
		if last != nil {
			made, _ := strconv.ParseInt(last.Header.Get(headerMade), 10, 64)
			holds := Claim{Session: string(last.Data), By: last.Header.Get(headerBy), Made: time.UnixMilli(made)}
			if holds.Session == next.Session {
				return nil
			}
			ok, err := free(holds)
			if err != nil {
				return err
			}
			if !ok {
				return &HeldError{Session: holds.Session}
			}
			after = last.Sequence
		}
		m := nats.NewMsg(subject)
		m.Header.Set(headerAfter, strconv.FormatUint(after, 10))
		m.Header.Set(headerMade, strconv.FormatInt(time.Now().UnixMilli(), 10))
		m.Header.Set(headerBy, next.By)
		m.Data = []byte(next.Session)
		_, err = s.storeMessage(ctx, m, func(ctx context.Context) error {
			return s.makeStream(ctx, claimStream, claimSubjects+">", "mulligan: which session does which work", 1)
		})
		if !isWrongLast(err) {
			return err
		}
		if err := s.conn.pauseRetry(ctx); err != nil { // another was faster
			return err
		}
	}
}
