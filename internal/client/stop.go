package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mulligan/internal/clock"
	"mulligan/internal/protocol"
	"mulligan/journal/jetstream"
)

// Stop asks a session to end in order, or, with now, ends its process at once. A process that is
// starting, or looking for a new host of the journal, gets the word as soon as it listens. An error that is
// jetstream.ErrNotRunning says that no process runs the session. A patient client asks a process that is slow again; it
// does no harm to tell one twice.
func (c Client) Stop(ctx context.Context, id string, now bool) error {
	verb := protocol.Stop
	if now {
		verb = protocol.StopNow
	}
	answered, asked := false, c.startAsking()
	for ; ; clock.Sleep(ctx, retryPause) {
		there, held, err := c.sendStop(ctx, id, verb)
		answered = answered || there
		unheard, isUnheard := errors.AsType[*jetstream.UnheardError](err)
		late := time.Since(asked.began) > max(hearingTime, asked.limit)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case asked.goesOn(ctx, err):
		case isUnheard && (unheard.Stopped || asked.limit == 0):
			return silentError(unheard)
		case errors.Is(err, jetstream.ErrNotRunning) && held && !late, errors.Is(err, jetstream.ErrHostGone) && !late:
		case errors.Is(err, jetstream.ErrNotRunning) && answered:
			return nil // its last word was lost with it
		default:
			return asked.explain(err)
		}
	}
}

// sendStop sends the verb once. there means that the session's process answered before, held that a
// process which does not answer may run the session.
func (c Client) sendStop(ctx context.Context, id string, verb protocol.Verb) (there, held bool, err error) {
	store, err := c.env.OpenJournal(ctx, jetstream.Viewer)
	if err != nil {
		return false, false, err
	}
	defer store.Close()
	live := NewLiveness(c.env, store)
	err = live.Ping(ctx, id)
	if there = err == nil; there {
		err = protocol.Send(ctx, store, id, verb)
	}
	return there, errors.Is(err, jetstream.ErrNotRunning) && live.MayBeHeld(ctx, id), err
}

// LastTurn returns the turn that follows if the session is stopped now. It returns the zero value where
// none does, and where the session's process does not tell.
func (c Client) LastTurn(ctx context.Context, id string) protocol.LastTurn {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	store, err := c.env.OpenJournal(ctx, jetstream.Viewer)
	if err != nil {
		return protocol.LastTurn{}
	}
	defer store.Close()
	reply, err := store.Send(ctx, id, string(protocol.AskLastTurn))
	var last protocol.LastTurn
	if err != nil || json.Unmarshal([]byte(reply), &last) != nil {
		return protocol.LastTurn{}
	}
	return last
}
