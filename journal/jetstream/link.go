package jetstream

import (
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
	// replyWait is after how long an unanswered request is sent again.
	replyWait = 5 * time.Second
	// refusalWait is how often one who waits for a host looks whether it will not come.
	refusalWait = 50 * time.Millisecond
)

// A link is a connection to JetStream that outlives its hosts. What is asked through it
// may be asked twice, and has to be such that this does no harm.
type link struct {
	nc     *nats.Conn
	why    func() error // what keeps the connection from being made
	closed atomic.Bool  // by ourselves

	mu   sync.Mutex
	up   chan struct{} // closed while there is a connection
	down chan struct{} // closed when that connection ends
	gone chan struct{} // closed when there will be none any more
}

// connect makes a link. One that is not to last has no second connection.
func connect(d *door, lasting bool) (*link, error) {
	l := &link{why: d.why, up: make(chan struct{}), down: make(chan struct{}), gone: make(chan struct{})}
	close(l.up)
	opts := []nats.Option{
		nats.SetCustomDialer(d),
		nats.Name("mulligan"),
		nats.Timeout(2 * answerWait),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(reconnectDelay),
		// What is sent while nobody listens fails at once; we send it again ourselves.
		nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { l.lost() }),
		nats.ReconnectHandler(func(*nats.Conn) { l.regained() }),
		nats.ClosedHandler(func(*nats.Conn) { close(l.gone) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
	if !lasting {
		opts = append(opts, nats.NoReconnect())
	}
	// The address is never used: the door knows where to go.
	nc, err := nats.Connect("nats://127.0.0.1:1", opts...)
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
func (l *link) close() {
	l.closed.Store(true)
	if l.nc.IsConnected() {
		_ = l.nc.FlushTimeout(replyWait / 50)
	}
	l.nc.Close()
}

// end is why there is no connection any more.
func (l *link) end() error {
	if l.closed.Load() {
		return ErrClosed
	}
	return ErrHostGone
}

func (l *link) lost() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.down)
	l.up = make(chan struct{})
}

func (l *link) regained() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = make(chan struct{})
	close(l.up)
}

// goneOr names the error of a link that has no connection any more.
func (l *link) goneOr(err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) {
		return l.end()
	}
	return err
}

// ready waits for a connection, and gives what is closed when that one ends.
func (l *link) ready(ctx context.Context) (down <-chan struct{}, err error) {
	l.mu.Lock()
	up, down := l.up, l.down
	l.mu.Unlock()
	for {
		select {
		case <-l.gone:
			return nil, l.end()
		case <-ctx.Done():
			return nil, l.late(ctx)
		case <-time.After(refusalWait):
			// A host that starts or ends is worth waiting for; one that says no is not.
			if why := l.why(); why != nil && !errors.Is(why, errBusy) && !errors.Is(why, ErrClosed) {
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

// late says what was waited for when ctx ended.
func (l *link) late(ctx context.Context) error {
	if why := l.why(); why != nil {
		return fmt.Errorf("%w (%w)", context.Cause(ctx), why)
	}
	return context.Cause(ctx)
}

// while gives a context that ends when ctx does, or this connection.
func while(ctx context.Context, down <-chan struct{}) (context.Context, context.CancelFunc) {
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

// try does something that needs a connection, again for every connection that is lost
// meanwhile, until it is done or ctx ends.
func (l *link) try(ctx context.Context, do func(context.Context) error) error {
	for {
		down, err := l.ready(ctx)
		if err != nil {
			return err
		}
		attempt, cancel := while(ctx, down)
		err = do(attempt)
		cancel()
		if !passing(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return l.late(ctx)
		case <-time.After(retryWait):
		}
	}
}

// passing says whether an error is one of the connection, not of what was asked.
func passing(err error) bool {
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

// request asks and waits for the answer. Nobody there to answer is nats.ErrNoResponders.
func (l *link) request(ctx context.Context, m *nats.Msg) (reply *nats.Msg, err error) {
	err = l.try(ctx, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, replyWait)
		defer cancel()
		reply, err = l.nc.RequestMsgWithContext(ctx, m)
		return err
	})
	return reply, err
}

// next waits for one message. A machine that is busy may take long for all of them, but
// not for each.
func next(ctx context.Context, sub *nats.Subscription) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, replyWait)
	defer cancel()
	return sub.NextMsgWithContext(ctx)
}
