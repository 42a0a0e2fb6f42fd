// Package telemetry tells an OpenTelemetry collector what sessions do: traces and metrics, made of the journal's events
// and sent as OTLP over HTTP. The person's variables (OTEL_…) alone turn it on. It never delays or fails a session: queues
// are bounded, and what cannot be sent is dropped.
package telemetry

import (
	"context"
	"fmt"
	"sync"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"mulligan"
)

// flushTime is how long the end of a process may be held up by what is still to be sent.
const flushTime = 2 * time.Second

// A Telemetry sends what the sessions of one process do. A nil one does nothing.
type Telemetry struct {
	settings
	version string
	began   time.Time
	warn    func(string)
	meter   *meter
	spans   chan *tracepb.Span
	stop    chan struct{}
	sending sync.WaitGroup

	mu      sync.Mutex
	dropped int
	failure error // the last
}

// maxQueue is how many spans wait to be sent; more are dropped.
const maxQueue = 2048

// Open begins to send what the variables of environ ask for. It returns nil if they ask for nothing.
func Open(environ []string, version string, warn func(string)) *Telemetry {
	if !isWanted(environ) {
		return nil
	}
	s, notes := readSettings(environ, version)
	for _, note := range notes {
		warn("telemetry: " + note)
	}
	if s.traces == nil && s.metrics == nil {
		return nil
	}
	t := &Telemetry{settings: s, version: version, began: time.Now(), warn: warn, meter: newMeter(), spans: make(chan *tracepb.Span, maxQueue), stop: make(chan struct{})}
	t.sending.Go(t.send)
	return t
}

// Session returns what takes the events of one session.
func (t *Telemetry) Session() *Session { return &Session{telemetry: t, tracer: newTracer()} }

// A Session takes the events of one session, as a view does.
type Session struct {
	telemetry *Telemetry
	tracer    *tracer
}

// Past takes note of an event of an earlier process, which has sent what there was to send.
func (s *Session) Past(e mulligan.Event) {
	s.tracer.apply(e)
	switch e.Body.(type) {
	case mulligan.SessionStarted, mulligan.SessionResumed:
		s.telemetry.meter.count(e)
	}
}

// Event takes an event, and queues what it brings.
func (s *Session) Event(e mulligan.Event) {
	t := s.telemetry
	t.meter.count(e)
	for _, one := range s.tracer.apply(e) {
		if t.traces == nil || !isSampled(one.TraceId, t.ratio) {
			continue
		}
		select {
		case t.spans <- one:
		default:
			t.note(1, fmt.Errorf("the queue was full"))
		}
	}
}

// Close sends what is left, for two seconds at most, and says if something could not be sent.
func (t *Telemetry) Close() {
	if t == nil {
		return
	}
	close(t.stop)
	t.sending.Wait()
	if t.failure != nil {
		t.warn(fmt.Sprintf("telemetry: not all of it was sent (%d spans were dropped): %v", t.dropped, t.failure))
	}
}

// note remembers that something could not be sent.
func (t *Telemetry) note(spans int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dropped += spans
	t.failure = err
}

// send sends batches of spans and the metrics, each at its interval, until Close.
func (t *Telemetry) send() {
	spans, metrics := time.NewTicker(t.delay), time.NewTicker(t.interval)
	defer spans.Stop()
	defer metrics.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-t.stop
		time.AfterFunc(flushTime, cancel)
	}()
	for {
		select {
		case <-spans.C:
			t.sendSpans(ctx)
		case <-metrics.C:
			t.sendMetrics(ctx)
		case <-t.stop:
			t.sendSpans(ctx)
			t.sendMetrics(ctx)
			return
		}
	}
}

// maxBatch is how many spans a request has.
const maxBatch = 512

// sendSpans sends all spans that wait.
func (t *Telemetry) sendSpans(ctx context.Context) {
	for {
		var batch []*tracepb.Span
		for len(batch) < maxBatch && len(t.spans) > 0 {
			batch = append(batch, <-t.spans)
		}
		if len(batch) == 0 {
			return
		}
		data, err := proto.Marshal(t.wrapSpans(batch))
		if err == nil {
			err = t.traces.post(ctx, data)
		}
		if err != nil {
			t.note(len(batch), err)
		}
	}
}

// sendMetrics sends what was counted so far.
func (t *Telemetry) sendMetrics(ctx context.Context) {
	if t.metrics == nil {
		return
	}
	t.meter.mu.Lock()
	data, err := proto.Marshal(t.wrapMetrics(time.Now()))
	t.meter.mu.Unlock()
	if err == nil {
		err = t.metrics.post(ctx, data)
	}
	if err != nil {
		t.note(0, err)
	}
}
