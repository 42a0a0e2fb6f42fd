package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Stdio serves one client on a pair of streams, until it goes away or ctx ends.
func Stdio(ctx context.Context, s *mcp.Server, in io.Reader, out io.Writer) error {
	open := &unanswered{none: make(chan struct{}, 1)}
	asked := &lines{each: func(line []byte) { open.countLine(line, true) }}
	answered := &lines{each: func(line []byte) { open.countLine(line, false) }}
	err := s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(requests{in, asked, open}), Writer: answers{out, answered}})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

const (
	// lastAnswers is how long the end of the input is held back for the answers that are still to
	// come: the kit drops them there, and `printf … | mulligan mcp` would lose them. A busy machine
	// may take seconds for an answer; a question that no person answers is not waited for.
	lastAnswers = 30 * time.Second
	maxLine     = 4 << 20
)

// An unanswered counts the requests that have no answer yet. It is safe for concurrent use.
type unanswered struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // gets a value when the count comes to 0
}

// countLine counts a request, or takes an answer off. A line that is neither is not counted: a
// request has an id and a method, an answer an id alone.
func (u *unanswered) countLine(line []byte, request bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 || (m.Method != "") != request {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if request {
		u.count++
	} else {
		u.count--
	}
	if u.count <= 0 {
		select {
		case u.none <- struct{}{}:
		default:
		}
	}
}

// waitForAnswers waits for the last answer, and not for long.
func (u *unanswered) waitForAnswers() {
	timeout := time.After(lastAnswers)
	for {
		u.mu.Lock()
		left := u.count
		u.mu.Unlock()
		if left <= 0 {
			return
		}
		select {
		case <-u.none:
		case <-timeout:
			return
		}
	}
}

// A lines cuts a stream into its lines.
type lines struct {
	rest []byte
	each func([]byte)
}

func (l *lines) splitLines(p []byte) {
	for {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			break
		}
		l.each(append(l.rest, p[:end]...))
		l.rest, p = l.rest[:0], p[end+1:]
	}
	if len(l.rest)+len(p) <= maxLine { // a longer one the kit does not take either
		l.rest = append(l.rest, p...)
	}
}

type requests struct {
	io.Reader
	lines *lines
	open  *unanswered
}

func (r requests) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.lines.splitLines(p[:n])
		return n, nil // the error comes again
	}
	if err != nil {
		r.lines.splitLines([]byte("\n")) // the last line may lack its end
		r.open.waitForAnswers()
	}
	return n, err
}

type answers struct {
	io.Writer
	lines *lines
}

func (a answers) Write(p []byte) (int, error) {
	n, err := a.Writer.Write(p)
	a.lines.splitLines(p[:n])
	return n, err
}

func (answers) Close() error { return nil }
