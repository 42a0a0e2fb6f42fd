package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"mulligan/internal/clock"
)

const (
	// gather is how long changes are gathered before they are sent, and mostOften how often that is done.
	gather    = 5 * time.Millisecond
	mostOften = 80 * time.Millisecond
	// tick is how often a page of something that runs is made again without a change: clocks go on, and it prints.
	tick = 500 * time.Millisecond
)

// heartbeat is how often a silent connection is written to, so that its end is noticed. Tests have none: what they wait for
// has to be told as a change.
var heartbeat = 15 * time.Second

// A stream sends a page's part whenever it differs from what was sent last. Every part says all: a browser
// that connects again, to this server or to the next, needs no other.
type stream struct {
	w    http.ResponseWriter
	out  *http.ResponseController
	last string // the hash of what the browser has
	sent time.Time
}

// startStream begins a stream. The browser tells by Last-Event-ID what it has.
func (v *visit) startStream() *stream {
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("X-Accel-Buffering", "no")
	s := &stream{w: v.w, out: http.NewResponseController(v.w), last: v.r.Header.Get("Last-Event-ID"), sent: time.Now()}
	_ = s.out.SetWriteDeadline(time.Time{})
	_, _ = io.WriteString(v.w, "retry: 1000\n\n")
	_ = s.out.Flush()
	return s
}

// send sends a part if the browser does not have it.
func (s *stream) send(part []byte) error {
	sum := sha256.Sum256(part)
	id := hex.EncodeToString(sum[:9])
	if id == s.last {
		if time.Since(s.sent) < heartbeat-time.Second {
			return nil
		}
		s.sent = time.Now()
		_, err := io.WriteString(s.w, ": still here\n\n")
		if err != nil {
			return err
		}
		return s.out.Flush()
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %s\nevent: part\n", id)
	for line := range strings.Lines(string(part)) {
		b.WriteString("data: " + strings.TrimRight(line, "\r\n") + "\n")
	}
	b.WriteString("\n")
	if _, err := b.WriteTo(s.w); err != nil {
		return err
	}
	s.last, s.sent = id, time.Now()
	return s.out.Flush()
}

// pump makes the part again and sends it, at every change, and at every tick if what it shows runs, until the
// browser leaves. changed returns a channel that is closed at the next change.
func (s *stream) pump(ctx context.Context, changed func() <-chan struct{}, part func() (data []byte, runs bool, err error)) error {
	for ctx.Err() == nil {
		next := changed()
		began := time.Now()
		data, runs, err := part()
		if err != nil {
			return err
		}
		if err := s.send(data); err != nil {
			return err
		}
		wait := heartbeat
		if runs {
			wait = tick
		}
		select {
		case <-ctx.Done():
		case <-next:
			clock.Sleep(ctx, gather)
			clock.Sleep(ctx, mostOften-time.Since(began))
		case <-time.After(wait):
		}
	}
	return nil
}

// streamOverview sends the changes of the list.
func (v *visit) streamOverview() error {
	defer v.gallery.look()()
	ctx := v.r.Context()
	out := v.startStream()
	attending := map[string]func(){}
	defer func() {
		for _, leave := range attending {
			leave()
		}
	}()
	return out.pump(ctx, v.gallery.news.next, func() ([]byte, bool, error) {
		v.attendAll(ctx, attending)
		list, damage := v.gallery.entries(ctx)
		page, release, err := v.makeOverview(list, damage, v.lastVisit())
		defer release()
		if err != nil {
			return nil, false, err
		}
		page.Here = "/"
		var b bytes.Buffer
		err = v.pages.Write(&b, "overview-live", page)
		return b.Bytes(), len(page.Running)+len(page.Waiting) > 0, err
	})
}

// attendAll tells the sessions that run that a person looks on, if one can answer here.
func (v *visit) attendAll(ctx context.Context, attending map[string]func()) {
	if v.config.ReadOnly {
		return
	}
	for _, e := range v.followed(ctx) {
		if attending[e.ID] == nil {
			w, release := v.gallery.open(ctx, e)
			leave := w.attend()
			attending[e.ID] = func() { leave(); release() }
		}
	}
}
