package jetstream

import (
	"bytes"
	"context"
	"io"
	"iter"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	maxChunk = 32 << 10
	// maxWaiting is how many chunks may wait to be sent before some are dropped.
	maxWaiting    = 64
	headerDropped = "Mulligan-Dropped"
	// headerWritten has when a chunk was written, in nanoseconds. A process of an earlier version sends none.
	headerWritten = "Mulligan-Written"
	// drainWait is how long events may wait for the output before them to be sent.
	drainWait = 5 * time.Second
)

// DeafFor is how long a writer of live output sends nothing after the server has found no viewer.
const DeafFor = 200 * time.Millisecond

// An outputFeed sends live output, which nothing stores, from one goroutine, so that the connection
// never blocks a writer.
type outputFeed struct {
	conn  *connection
	queue chan chunk
	quit  chan struct{}
	start sync.Once
	stop  sync.Once
	done  sync.WaitGroup
	inbox string

	deafUntil atomic.Int64
	waiting   atomic.Int64 // chunks that are not sent yet
}

type chunk struct {
	subject string
	data    []byte
	dropped int64
	written time.Time
	reached chan<- struct{} // closed when what was queued before is sent; nil for output
}

// newOutputFeed makes a feed, which starts at its first write.
func newOutputFeed(l *connection) *outputFeed {
	return &outputFeed{conn: l, queue: make(chan chunk, maxWaiting), quit: make(chan struct{}), inbox: l.nc.NewInbox()}
}

// Live returns a writer for the output of a session's agents and checks as it comes. It never blocks
// and never fails: output that cannot be sent is dropped, and the next chunk to arrive has the
// number of bytes.
func (s *Store) Live(session string) io.Writer {
	return &liveWriter{feed: s.live, subject: liveSubject(session)}
}

type liveWriter struct {
	feed    *outputFeed
	subject string
	dropped atomic.Int64
}

func (w *liveWriter) Write(p []byte) (int, error) {
	if w.feed.isDeaf() {
		return len(p), nil
	}
	w.feed.start.Do(w.feed.startSending)
	for data := range slices.Chunk(p, maxChunk) {
		w.feed.offerChunk(w, data)
	}
	return len(p), nil
}

// offerChunk queues a copy of data, or drops it if the queue is full.
func (f *outputFeed) offerChunk(w *liveWriter, data []byte) {
	c := chunk{subject: w.subject, data: bytes.Clone(data), dropped: w.dropped.Swap(0), written: time.Now()}
	f.waiting.Add(1)
	select {
	case f.queue <- c:
	default:
		f.waiting.Add(-1)
		w.dropped.Add(c.dropped + int64(len(data)))
	}
}

// isDeaf reports whether the server has lately found no subscriber.
func (f *outputFeed) isDeaf() bool { return time.Now().UnixNano() < f.deafUntil.Load() }

// startSending starts the goroutine that sends. Every chunk asks for an answer that subscribers do
// not give: the only one that comes is the server's, for no subscriber.
func (f *outputFeed) startSending() {
	sub, err := f.conn.nc.Subscribe(f.inbox, func(*nats.Msg) {
		f.deafUntil.Store(time.Now().Add(DeafFor).UnixNano())
	})
	if err != nil {
		return
	}
	f.done.Go(func() {
		defer sub.Unsubscribe()
		for {
			select {
			case <-f.quit:
				return
			case c := <-f.queue:
				if c.reached != nil {
					close(c.reached)
					continue
				}
				f.sendChunk(c)
				f.waiting.Add(-1)
			}
		}
	})
}

// drain waits until what was written before is sent, but not for long: the host then has it before what this process
// sends next.
func (f *outputFeed) drain(ctx context.Context) {
	if f.waiting.Load() == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, drainWait)
	defer cancel()
	reached := make(chan struct{})
	select {
	case f.queue <- chunk{reached: reached}:
	case <-f.quit:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-reached:
	case <-f.quit:
	case <-ctx.Done():
	}
}

// sendChunk publishes a chunk; one that fails is dropped, as if there were no subscriber.
func (f *outputFeed) sendChunk(c chunk) {
	m := nats.NewMsg(c.subject)
	m.Reply, m.Data = f.inbox, c.data
	m.Header.Set(headerWritten, strconv.FormatInt(c.written.UnixNano(), 10))
	if c.dropped > 0 {
		m.Header.Set(headerDropped, strconv.FormatInt(c.dropped, 10))
	}
	if f.conn.nc.PublishMsg(m) != nil {
		f.deafUntil.Store(time.Now().Add(DeafFor).UnixNano())
	}
}

// close stops the goroutine. What is queued is dropped.
func (f *outputFeed) close() {
	f.stop.Do(func() { close(f.quit) })
	f.done.Wait()
}

// Output is a piece of what an agent or a check prints.
type Output struct {
	Data    []byte
	Dropped int64     // bytes that came before it and could not be shown
	Written time.Time // by the clock of the session's process; zero if that is of an earlier version
}

// flush waits until the host has had what this process sent, but not for long.
func (s *Store) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_ = s.conn.nc.FlushWithContext(ctx)
}

// Watch yields a session's live output from now on, until ctx ends or, for a viewer, the host goes. It calls
// hearing when the host knows of it: a writer that has found no viewer before may stay silent for DeafFor more. A
// function that comes over settle, which may be nil, is called after all is yielded that has arrived before.
func (s *Store) Watch(ctx context.Context, session string, hearing func(), settle <-chan func()) iter.Seq[Output] {
	return func(yield func(Output) bool) {
		news := make(chan *nats.Msg, 4*maxWaiting)
		sub, err := s.conn.nc.ChanSubscribe(liveSubject(session), news)
		if err != nil {
			return
		}
		defer sub.Unsubscribe()
		s.flush(ctx)
		hearing()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.conn.gone:
				return
			case m := <-news:
				if !yield(readOutput(m)) {
					return
				}
			case settled := <-settle:
				for range len(news) {
					if !yield(readOutput(<-news)) {
						return
					}
				}
				settled()
			}
		}
	}
}

// readOutput returns the output that a message has.
func readOutput(m *nats.Msg) Output {
	out := Output{Data: m.Data}
	out.Dropped, _ = strconv.ParseInt(m.Header.Get(headerDropped), 10, 64)
	if at, err := strconv.ParseInt(m.Header.Get(headerWritten), 10, 64); err == nil {
		out.Written = time.Unix(0, at)
	}
	return out
}
