package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// retryWait is between two tries to reach a host that is starting or ending.
	retryWait = 3 * time.Millisecond
	// replyWait is how long an answer of the engine may take.
	replyWait = 5 * time.Second
	// closeWait is how long the last that was published may take to arrive.
	closeWait = time.Second
	// noticeAfter is how long somebody waits before a person is told.
	noticeAfter = 2 * time.Second
	// refusalWait is how often one who waits for a host looks whether it will not come.
	refusalWait = 50 * time.Millisecond
)

// A connection is a connection to JetStream that outlives its hosts. What is asked through it
// may be asked twice, and has to be such that this does no harm.
type connection struct {
	connectionOptions
	nc      *nats.Conn
	closed  atomic.Bool // by ourselves
	noticed atomic.Bool // a person has been told that we wait
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
	maxWait     time.Duration // the longest that something may take; 0: as long as its context lets it
	resendAfter time.Duration // after how long an unanswered request is sent again
	notice      func(string)  // tells a person that we wait
}

// openConnection makes a link.
func openConnection(opt connectionOptions) (*connection, error) {
	l := &connection{connectionOptions: opt, up: make(chan struct{}), down: make(chan struct{}), gone: make(chan struct{})}
	close(l.up)
	opts := append([]nats.Option{
		nats.Name("mulligan"),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		// What is sent while nobody listens fails at once; we send it again ourselves.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { l.markLost() }),
		nats.ReconnectHandler(func(*nats.Conn) { l.markRegained() }),
		nats.ClosedHandler(func(*nats.Conn) { close(l.gone) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
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

// reconnectDelay is short at first, when a host has just gone, and longer when it is away.
func reconnectDelay(attempts int) time.Duration {
	delay := min(time.Duration(attempts)*retryWait, 20*retryWait)
	return delay/2 + rand.N(delay)
}

// close gives what was published last a moment to arrive.
func (l *connection) close() {
	l.closed.Store(true)
	if l.nc.IsConnected() {
		_ = l.nc.FlushTimeout(closeWait)
	}
	l.nc.Close()
}

// closeReason is why there is no connection any more.
func (l *connection) closeReason() error {
	if l.closed.Load() {
		return ErrClosed
	}
	return ErrHostGone
}

func (l *connection) markLost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.down)
	l.up = make(chan struct{})
}

func (l *connection) markRegained() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = make(chan struct{})
	close(l.up)
}

// explainClosed names the error of a link that has no connection any more.
func (l *connection) explainClosed(err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) {
		return l.closeReason()
	}
	return err
}

// waitUntilReady waits for a connection, and gives what is closed when that one ends.
func (l *connection) waitUntilReady(ctx context.Context) (down <-chan struct{}, err error) {
	l.mu.Lock()
	up, down := l.up, l.down
	l.mu.Unlock()
	for {
		select {
		case <-l.gone:
			return nil, l.closeReason()
		case <-ctx.Done():
			return nil, l.timeoutError(ctx)
		case <-time.After(refusalWait):
			// A host that starts or ends is worth waiting for; one that says no is not.
			if why := l.obstacle(); why != nil && !errors.Is(why, errBusy) && !errors.Is(why, ErrClosed) {
				return nil, why
			}
			continue
		case <-up:
		}
		l.mu.Lock()
		same := up == l.up
		up, down = l.up, l.down
		l.mu.Unlock()
		if same {
			return down, nil
		}
	}
}

// timeoutError says what was waited for when ctx ended.
func (l *connection) timeoutError(ctx context.Context) error {
	if why := l.findObstacle(); why != nil {
		return fmt.Errorf("%w (%w)", contextError(ctx), why)
	}
	return contextError(ctx)
}

// contextError is why a context is over. One that was canceled says so, whatever the cause: it is an
// interruption to the caller, and no fault of the journal's.
func contextError(ctx context.Context) error {
	err, why := ctx.Err(), context.Cause(ctx)
	if errors.Is(err, context.Canceled) && !errors.Is(why, err) {
		return fmt.Errorf("%w: %w", err, why)
	}
	return why
}

// findObstacle is what is known about why there is no answer.
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

// untilDown gives a context that ends when ctx does, or this connection.
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

// retryLost does something that needs a connection, again for every connection that is lost
// meanwhile, until it is done or ctx ends.
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
		select {
		case <-ctx.Done():
			return l.timeoutError(ctx)
		case <-time.After(l.retryPause()):
		}
	}
}

// retryPause is between two tries.
func (l *connection) retryPause() time.Duration {
	if l.cluster {
		return electionWait
	}
	return retryWait
}

// errNoAnswer is a journal that is there and lets its caller wait.
var errNoAnswer = errors.New("the journal does not answer")

// limitWait bounds what a command waits for, and tells a person about what a session does.
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

// isPassing says whether an error is one of the connection, or of a cluster that is choosing
// its leader, not of what was asked.
func (l *connection) isPassing(err error) bool {
	if l.cluster && (errors.Is(err, nats.ErrNoResponders) || errors.Is(err, errBehind) || isRefusal(err, electionCodes()...)) {
		return true
	}
	for _, fault := range []error{
		context.Canceled, context.DeadlineExceeded, nats.ErrTimeout, nats.ErrDisconnected,
		nats.ErrReconnectBufExceeded, nats.ErrConnectionReconnecting, nats.ErrConnectionClosed, nats.ErrStaleConnection,
	} {
		if errors.Is(err, fault) {
			return true
		}
	}
	return false
}

// requestOnce asks once and waits for the answer. Nobody there to answer is nats.ErrNoResponders.
func (l *connection) requestOnce(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, l.resendAfter)
	defer cancel()
	return l.nc.RequestMsgWithContext(ctx, m)
}

// nextMessage waits for one message. A machine that is busy may take long for all of them, but
// not for each.
func nextMessage(ctx context.Context, sub *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, replyWait)
	defer cancel()
	return sub.NextMsgWithContext(ctx)
}
