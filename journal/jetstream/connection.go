package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan/internal/clock"
)

const (
	// retryWait is between two tries to reach a host that is starting or ending.
	retryWait = 3 * time.Millisecond
	// replyWait is how long an answer of the engine may take.
	replyWait = 5 * time.Second
	// closeWait is how long the last that was published may take to arrive.
	closeWait = time.Second
	// noticeAfter is how long a caller waits before a person is notified.
	noticeAfter = 2 * time.Second
	// refusalWait is how often a caller that waits for a host checks whether the host refuses.
	refusalWait = 50 * time.Millisecond
)

// A connection to JetStream outlives its hosts. A request through it may be sent twice, and must be
// such that this does no harm. It is safe for concurrent use.
type connection struct {
	connectionOptions
	nc      *nats.Conn
	closed  atomic.Bool // by ourselves
	noticed atomic.Bool // a person was notified that a caller waits
	trouble atomic.Pointer[error]

	mu   sync.Mutex
	up   chan struct{} // closed while there is a connection
	down chan struct{} // closed when that connection ends
	gone chan struct{} // closed when there will be none any more
}

// connectionOptions are what the two kinds of journal do differently.
type connectionOptions struct {
	urls        string        // of the servers
	natsOptions []nats.Option // how they are reached
	obstacle    func() error  // what keeps the connection from being made, or from answering
	reconnects  bool          // after a connection is lost another is made
	cluster     bool          // a leader may be missing for a while, and comes back
	retryPause  time.Duration // between two tries
	maxWait     time.Duration // the longest that something may take; 0: as long as its context lets it
	resendAfter time.Duration // after how long an unanswered request is sent again
	notice      func(string)  // notifies a person; may be nil
}

// openConnection makes a connection.
func openConnection(opt connectionOptions) (*connection, error) {
	l := &connection{connectionOptions: opt, up: make(chan struct{}), gone: make(chan struct{})}
	l.markRegained()
	opts := append([]nats.Option{
		nats.Name("mulligan"),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		// What is sent without a connection fails at once; retryLost sends it again.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { l.markLost() }),
		nats.ReconnectHandler(func(*nats.Conn) { l.markRegained() }),
		nats.ClosedHandler(func(*nats.Conn) { close(l.gone) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
		// The answer to a fetch is a batch and its end; the room that every fetch makes for it is usually half a megabyte.
		nats.SyncQueueLen(batchFrames + 1),
	}, opt.natsOptions...)
	if !opt.reconnects {
		opts = append(opts, nats.NoReconnect())
	}
	nc, err := nats.Connect(opt.urls, opts...)
	if err != nil {
		return nil, err
	}
	l.nc = nc
	return l, nil
}

// reconnectDelay returns a delay that is short at first, when a host has just gone, and longer when
// it is away.
func reconnectDelay(attempts int) time.Duration {
	delay := min(time.Duration(attempts)*retryWait, 20*retryWait)
	return delay/2 + rand.N(delay)
}

// close lets messages that were published last arrive, for a moment, and ends the connection.
func (l *connection) close() {
	l.closed.Store(true)
	if l.nc.IsConnected() {
		_ = l.nc.FlushTimeout(closeWait)
	}
	l.nc.Close()
}

// closeReason returns why there is no connection any more: ErrClosed or ErrHostGone.
func (l *connection) closeReason() error {
	if l.closed.Load() {
		return ErrClosed
	}
	return ErrHostGone
}

// markLost makes callers wait until markRegained.
func (l *connection) markLost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.down)
	l.up = make(chan struct{})
}

// markRegained lets waiting callers continue.
func (l *connection) markRegained() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = make(chan struct{})
	close(l.up)
}

// explainClosed returns closeReason instead of the library's error for a closed connection.
func (l *connection) explainClosed(err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) {
		return l.closeReason()
	}
	return err
}

// waitUntilReady waits for a connection, and returns a channel that is closed when that one ends.
func (l *connection) waitUntilReady(ctx context.Context) (<-chan struct{}, error) {
	for {
		l.mu.Lock()
		up, down := l.up, l.down
		l.mu.Unlock()
		select {
		case <-l.gone:
			return nil, l.closeReason()
		case <-ctx.Done():
			return nil, l.timeoutError(ctx)
		case <-time.After(refusalWait):
			// A host that starts or ends is worth waiting for; one that refuses is not.
			if why := l.obstacle(); why != nil && !errors.Is(why, errBusy) && !errors.Is(why, ErrClosed) {
				return nil, why
			}
		case <-up:
			select {
			case <-down: // it was read before that connection was made, or is over already
			default:
				return down, nil
			}
		}
	}
}

// timeoutError returns why ctx ended, and what the caller was waiting for.
func (l *connection) timeoutError(ctx context.Context) error {
	if why := l.findObstacle(); why != nil {
		return fmt.Errorf("%w (%w)", contextError(ctx), why)
	}
	return contextError(ctx)
}

// contextError returns why a context has ended. The error of one that was canceled is always
// context.Canceled, whatever the cause: to the caller it is an interruption, and no fault of the
// journal's.
func contextError(ctx context.Context) error {
	err, why := ctx.Err(), context.Cause(ctx)
	if errors.Is(err, context.Canceled) && !errors.Is(why, err) {
		return fmt.Errorf("%w: %w", err, why)
	}
	return why
}

// findObstacle returns what is known about why there is no answer, or nil.
func (l *connection) findObstacle() error {
	if why := l.obstacle(); why != nil || !l.cluster {
		return why
	}
	if !l.nc.IsConnected() {
		return fmt.Errorf("none of its servers can be reached: %w", cmp.Or(l.nc.LastError(), nats.ErrNoServers))
	}
	if trouble := l.trouble.Load(); trouble != nil {
		return *trouble
	}
	return nil
}

// untilDown returns a context that ends when ctx does, or when down is closed.
func untilDown(ctx context.Context, down <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-down:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// retryLost calls do while there is a connection, again for every connection that is lost meanwhile,
// until it succeeds, fails for another reason, or ctx ends.
func (l *connection) retryLost(ctx context.Context, do func(context.Context) error) error {
	ctx, done := l.limitWait(ctx)
	defer done()
	for {
		down, err := l.waitUntilReady(ctx)
		if err != nil {
			return err
		}
		attempt, cancel := untilDown(ctx, down)
		err = do(attempt)
		cancel()
		if !l.isPassing(err) {
			return err
		}
		l.trouble.Store(&err)
		if err := l.pauseRetry(ctx); err != nil {
			return err
		}
	}
}

// pauseRetry waits between two tries. The error is timeoutError if ctx ends meanwhile.
func (l *connection) pauseRetry(ctx context.Context) error {
	if clock.Sleep(ctx, l.retryPause); ctx.Err() != nil {
		return l.timeoutError(ctx)
	}
	return nil
}

// errNoAnswer is a journal that is there and keeps its caller waiting.
var errNoAnswer = errors.New("the journal does not answer")

// limitWait bounds how long a command waits, and notifies a person about a wait that lasts. The
// caller must call the function that it returns.
func (l *connection) limitWait(ctx context.Context) (context.Context, func()) {
	started, cancel := time.Now(), func() {}
	if l.maxWait > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, l.maxWait, errNoAnswer)
	}
	if l.notice == nil {
		return ctx, cancel
	}
	var mu sync.Mutex
	over := false // a timer may have fired and its function come late
	timer := time.AfterFunc(noticeAfter, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over && l.noticed.CompareAndSwap(false, true) {
			l.notice(fmt.Sprintf("waiting for the journal: %v", cmp.Or(l.findObstacle(), errNoAnswer)))
		}
	})
	return ctx, func() {
		answered := ctx.Err() == nil
		cancel()
		fired := !timer.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		if fired && answered && l.noticed.CompareAndSwap(true, false) {
			l.notice(fmt.Sprintf("the journal answers again, after %v", time.Since(started).Round(100*time.Millisecond)))
		}
	}
}

// isPassing reports whether an error is one of the connection, or of a cluster that is choosing its
// leader, and not of the request.
func (l *connection) isPassing(err error) bool {
	if l.cluster && (errors.Is(err, nats.ErrNoResponders) || errors.Is(err, errBehind) || isRefusal(err, electionCodes()...)) {
		return true
	}
	return slices.ContainsFunc([]error{
		context.Canceled, context.DeadlineExceeded, nats.ErrTimeout, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting, nats.ErrConnectionClosed, nats.ErrStaleConnection,
	}, func(fault error) bool { return errors.Is(err, fault) })
}

// requestOnce sends a request once and waits for the answer. The error is nats.ErrNoResponders if no
// server listens.
func (l *connection) requestOnce(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, l.resendAfter)
	defer cancel()
	return l.nc.RequestMsgWithContext(ctx, m)
}

// nextMessage waits for one message. The limit is for each message: a busy machine may take long for
// all of them.
func nextMessage(ctx context.Context, sub *nats.Subscription, limit time.Duration) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return sub.NextMsgWithContext(ctx)
}
