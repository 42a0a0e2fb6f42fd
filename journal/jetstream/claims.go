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

// A claim names the session that does a piece of work, or none. The newest claim on its subject is the one that holds.
const (
	claimStream   = "MULLIGAN_CLAIMS"
	claimSubjects = "mulligan.claims."
	headerMade    = "Mulligan-Made" // when the claim was made, in milliseconds
)

// A HeldError means that another session does the work.
type HeldError struct{ Session string }

func (e *HeldError) Error() string { return fmt.Sprintf("session %s has it", e.Session) }

// Claim makes a session the one that does a piece of work, in the journal, so that of several processes, on whichever
// machines, one does. free reports whether the session that has it, since the given time, may be followed by another: it is
// over, or no process runs it. If not, the error is a *HeldError.
func (s *Store) Claim(ctx context.Context, work, session string, free func(holder string, since time.Time) (bool, error)) error {
	return s.claim(ctx, work, session, func(holder string, since time.Time) (bool, error) {
		if holder == "" {
			return true, nil
		}
		return free(holder, since)
	})
}

// Release takes back a session's claim to a piece of work, if it holds.
func (s *Store) Release(ctx context.Context, work, session string) error {
	err := s.claim(ctx, work, "", func(holder string, _ time.Time) (bool, error) { return holder == session, nil })
	if _, ok := errors.AsType[*HeldError](err); ok {
		return nil
	}
	return err
}

// claim stores a claim where free says so about the one that holds.
func (s *Store) claim(ctx context.Context, work, session string, free func(holder string, since time.Time) (bool, error)) error {
	sum := sha256.Sum256([]byte(work))
	subject := claimSubjects + hex.EncodeToString(sum[:16])
	for {
		last, err := s.fetchLastFromLeader(ctx, claimStream, subject)
		if err != nil {
			return err
		}
		after := uint64(0)
		if last != nil {
			holder := string(last.Data)
			if holder == session {
				return nil
			}
			made, _ := strconv.ParseInt(last.Header.Get(headerMade), 10, 64)
			ok, err := free(holder, time.UnixMilli(made))
			if err != nil {
				return err
			}
			if !ok {
				return &HeldError{Session: holder}
			}
			after = last.Sequence
		}
		m := nats.NewMsg(subject)
		m.Header.Set(headerAfter, strconv.FormatUint(after, 10))
		m.Header.Set(headerMade, strconv.FormatInt(time.Now().UnixMilli(), 10))
		m.Data = []byte(session)
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
