package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

// patienceLimit is how long a patient client goes on asking. A machine that is so busy that a process on it does not
// answer for longer has other troubles.
const patienceLimit = 2 * time.Minute

// A patience is how long a process that is there and does not answer is asked again and again. The zero value asks
// once.
type patience struct {
	limit  time.Duration
	notice func(text string) // tells a person, once, that the client goes on asking; nil for the zero value
}

// Patient returns a client whose Find and Stop go on asking for as long as the process that is to answer lives and is
// not stopped, within two minutes each. notice is called with a text for a person when an answer is late.
func (c Client) Patient(notice func(text string)) Client {
	c.slow = patience{limit: patienceLimit, notice: notice}
	return c
}

// An asking is a question that is put to a process again while it may be slow to answer.
type asking struct {
	patience
	embedded bool // the journal's host is a process of this machine
	began    time.Time
	noticed  bool
}

func (c Client) startAsking() *asking {
	engine, err := c.env.JournalEngine()
	return &asking{patience: c.slow, embedded: err == nil && engine == jetstream.Embedded, began: time.Now()}
}

// isLate reports whether an error means that a process is there and has not answered yet.
func (a *asking) isLate(err error) bool {
	if unheard, ok := errors.AsType[*jetstream.UnheardError](err); ok {
		return !unheard.Stopped
	}
	return a.embedded && jetstream.IsSlow(err)
}

// goesOn reports whether the question is to be put again after an error.
func (a *asking) goesOn(ctx context.Context, err error) bool {
	if a.limit == 0 || ctx.Err() != nil || !a.isLate(err) || time.Since(a.began) > a.limit {
		return false
	}
	if !a.noticed {
		a.noticed = true
		a.notice(fmt.Sprintf("%v; asking again, for %v at most", err, a.limit))
	}
	return true
}

// explain adds to the error of a question that was put in vain how long that went on.
func (a *asking) explain(err error) error {
	if a.limit == 0 || !a.isLate(err) {
		return err
	}
	return &usererror.Error{Code: mulligan.ExitBusy, Words: fmt.Sprintf("%v; it was asked for %v", err, a.limit), Hint: tryAgainHint, Cause: err}
}

// askWhileSlow calls ask again while that fails because the journal's host is slow.
func (c Client) askWhileSlow(ctx context.Context, ask func() error) error {
	a := c.startAsking()
	for {
		err := ask()
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !a.goesOn(ctx, err) {
			return a.explain(err)
		}
		clock.Sleep(ctx, retryPause)
	}
}
