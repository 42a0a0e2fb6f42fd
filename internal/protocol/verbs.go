// Package protocol is what a session's process and the other processes of mulligan say to each
// other: verbs and requests over the journal's control channel, requests through the agents' door,
// and the news that the process of a session writes to the process that launched it.
package protocol

import (
	"context"
	"time"

	"mulligan/internal/clock"
)

// A Verb is a request of one word to a session's process. A request that has arguments is a
// task.Request as a JSON object.
type Verb string

// The verbs that a session's process answers.
const (
	Ping     Verb = "ping"     // the reply is its process id, or Stopping
	Stop     Verb = "stop"     // end the session in order
	StopNow  Verb = "stop-now" // end the process at once
	Watching Verb = "watching" // a person watches the session
	// AskLastTurn asks for a LastTurn, as JSON.
	AskLastTurn Verb = "last-turn"
)

// Stopping is the reply to Ping of a session that a person has stopped: it ends what runs, which may take a
// while, and has recorded nothing of it yet.
const Stopping = "stopping"

// A LastTurn is the turn in which the agent is given what is pending when a person stops the session.
type LastTurn struct {
	Texts  int           `json:"texts,omitempty"`  // that the agent is given; 0 where no such turn follows
	Within time.Duration `json:"within,omitempty"` // how long the turn may take
}

// A Sender sends text to the process that runs a session and returns its reply.
type Sender interface {
	Send(ctx context.Context, session, verb string) (reply string, err error)
}

// Send sends a verb to the process that runs a session. The errors are those of the sender.
func Send(ctx context.Context, s Sender, session string, v Verb) error {
	_, err := s.Send(ctx, session, string(v))
	return err
}

// Attend tells a session again and again that a person watches it, until ctx ends. A session that
// does not hear it, because it has ended or is about to begin, misses nothing.
func Attend(ctx context.Context, s Sender, session string) {
	for ; ctx.Err() == nil; clock.Sleep(ctx, 2*time.Second) {
		_ = Send(ctx, s, session, Watching)
	}
}
