package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/internal/clock"
)

const (
	// headerError has what a session answered instead of a reply.
	headerError = "Mulligan-Error"
	// headerErrorCode has the code of that answer, if it is an error that callers ask for. A session
	// of an earlier version sends none.
	headerErrorCode = "Mulligan-Error-Code"
	// codeOver is mulligan.ErrOver.
	codeOver = "over"
	// headerRequest tells a verb that is sent again from another with the same text.
	headerRequest = "Mulligan-Request"
	// serverBack is how long a session may take to be heard that starts, or that runs on another
	// machine and finds another server. One that runs on this machine is known to be there.
	serverBack = 100 * time.Millisecond
	// lastWords is how long the answers may take that are on their way when a session is served
	// no more.
	lastWords = 2 * time.Second
	// unheard is how long a process of this machine that serves a session may be without a host,
	// where the store has no limit of its own.
	unheard = 30 * time.Second
	// maxAnswering is how many verbs may wait for their answers at once.
	maxAnswering = 64
	// maxRemembered is how many answers are kept for senders that ask again.
	maxRemembered = 256
)

// Serve answers the verbs that other processes Send to a session, until stop. Each verb is answered
// in a goroutine of its own, so that a slow one keeps no other waiting. A verb that was sent again,
// because its host went or its answer took long, is answered once.
func (s *Store) Serve(session string, answer func(verb string) (reply string, err error)) (stop func(), err error) {
	a := &answers{answer: answer, all: map[string]*reply{}}
	release := s.serving.holdSession(session)
	sub, err := s.conn.nc.Subscribe(controlSubject(session), func(m *nats.Msg) {
		a.unsent.Add(1)
		r := a.answerOnce(m.Header.Get(headerRequest), string(m.Data))
		go func() {
			defer a.unsent.Add(-1)
			<-r.done
			// A reply that is lost with its connection is asked for again.
			_ = s.conn.nc.PublishMsg(r.toMessage(m.Reply))
		}()
	})
	if err != nil {
		release()
		return nil, fmt.Errorf("serve session %s: %w", session, s.conn.explainClosed(err))
	}
	return func() {
		_ = sub.Unsubscribe()
		a.waitForReplies()
		release()
	}, nil
}

// answers are a session's replies: those under way and the newest of those that are done.
type answers struct {
	answer func(string) (string, error)
	unsent atomic.Int64 // requests that have no reply yet

	mu      sync.Mutex
	waiting int
	all     map[string]*reply
	given   []string // the oldest first
}

// A reply is a session's answer to a verb; it may be read when done is closed.
type reply struct {
	done chan struct{}
	text string
	err  error
}

// toMessage returns the reply as a message to the sender.
func (r *reply) toMessage(to string) *nats.Msg {
	m := nats.NewMsg(to)
	if r.err != nil {
		m.Header.Set(headerError, strconv.QuoteToASCII(r.err.Error()))
		if errors.Is(r.err, mulligan.ErrOver) {
			m.Header.Set(headerErrorCode, codeOver)
		}
	}
	m.Data = []byte(r.text)
	return m
}

// answerOnce returns the reply to a request, which may be under way or done already. A request
// without an id is never a repeat.
func (a *answers) answerOnce(id, verb string) *reply {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r, known := a.all[id]; known {
		return r
	}
	r := &reply{done: make(chan struct{})}
	if a.waiting >= maxAnswering {
		r.err = fmt.Errorf("the session has %d requests to answer; try again in a moment", a.waiting)
		close(r.done)
		return r
	}
	a.waiting++
	if id != "" {
		a.all[id] = r
	}
	go func() {
		r.text, r.err = a.answer(verb)
		close(r.done)
		a.forgetOldest(id)
	}()
	return r
}

// waitForReplies waits until the replies are sent: a sender that gets none would send the verb to
// the next process of the session.
func (a *answers) waitForReplies() {
	for end := time.Now().Add(lastWords); a.unsent.Load() > 0 && time.Now().Before(end); {
		time.Sleep(retryWait)
	}
}

// forgetOldest is called when a request is answered; it drops the oldest reply if there are too
// many.
func (a *answers) forgetOldest(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting--
	if id == "" {
		return
	}
	if a.given = append(a.given, id); len(a.given) > maxRemembered {
		delete(a.all, a.given[0])
		a.given = a.given[1:]
	}
}

// Send sends a verb to the process that runs a session and returns its reply. A verb may have words
// of any length after it. ErrNotRunning means that there is no such process. A process that is
// between two hosts of the journal is waited for; the error is an *UnheardError if that takes too
// long.
func (s *Store) Send(ctx context.Context, session, verb string) (reply string, err error) {
	ask := nats.NewMsg(controlSubject(session))
	ask.Data = []byte(verb)
	ask.Header.Set(headerRequest, rand.Text())
	began := time.Now()
	for {
		var m *nats.Msg
		err := s.conn.retryLost(ctx, func(ctx context.Context) (err error) {
			m, err = s.askOnce(ctx, ask)
			return err
		})
		if err == nil {
			return readReply(m)
		}
		if errors.Is(err, errNoAnswer) && !errors.Is(err, errBusy) && s.serving.isServed(session) {
			return "", s.serving.newUnheardError(session) // the host has passed it on
		}
		if !errors.Is(err, errNobodyServes) {
			return "", fmt.Errorf("send %s to session %s: %w", firstWord(verb), session, err)
		}
		if waited := time.Since(began); waited > serverBack {
			if err := s.checkUnheard(session, waited); err != nil {
				return "", err
			}
		}
		clock.Sleep(ctx, retryWait)
	}
}

// checkUnheard returns why a session that was not heard for so long will not be, or nil if it may
// be.
func (s *Store) checkUnheard(session string, waited time.Duration) error {
	if !s.serving.isServed(session) {
		return fmt.Errorf("session %s: %w", session, ErrNotRunning)
	}
	limit := cmp.Or(s.conn.maxWait, unheard)
	if waited <= min(limit, stoppedWait) {
		return nil
	}
	if e := s.serving.newUnheardError(session); e.Stopped || waited > limit {
		return e
	}
	return nil
}

// askOnce sends a request once and waits for its reply, also for one that comes together with the
// end of the connection, as a session's last does.
func (s *Store) askOnce(ctx context.Context, request *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, s.conn.resendAfter)
	defer cancel()
	replies := make(chan *nats.Msg, 8)
	request.Reply = s.conn.nc.NewInbox()
	sub, err := s.conn.nc.ChanSubscribe(request.Reply, replies)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := s.conn.nc.PublishMsg(request); err != nil {
		return nil, err
	}
	var m *nats.Msg
	select {
	case m = <-replies:
	case <-ctx.Done():
		select {
		case m = <-replies:
		default:
			return nil, ctx.Err()
		}
	}
	if m.Header.Get("Status") == noResponders {
		return nil, errNobodyServes
	}
	return m, nil
}

// noResponders is the server's status for a request that has no subscriber.
const noResponders = "503"

// firstWord returns a verb's name without its words. A verb that has no name, as the request for a
// tool, is "a request".
func firstWord(verb string) string {
	word, _, _ := strings.Cut(verb, " ")
	if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") != "" {
		return "a request"
	}
	return word[:min(len(word), 40)]
}

// errNobodyServes is a verb that no process heard, which no waiting for a leader changes.
var errNobodyServes = errors.New("nobody serves the session")

// readReply returns the text of a reply, and the error that the session answered.
func readReply(m *nats.Msg) (string, error) {
	quoted := m.Header.Get(headerError)
	if quoted == "" {
		return string(m.Data), nil
	}
	text, err := strconv.Unquote(quoted)
	if err != nil {
		text = quoted
	}
	answer := &answerError{text: text}
	if m.Header.Get(headerErrorCode) == codeOver {
		answer.cause = mulligan.ErrOver
	}
	return string(m.Data), answer
}

// An answerError is what a session answered instead of a reply, in its own words.
type answerError struct {
	text  string
	cause error // the error that its code stands for, or nil
}

func (e *answerError) Error() string { return e.text }
func (e *answerError) Unwrap() error { return e.cause }
