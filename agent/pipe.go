package agent

import (
	"io"
	"sync"
)

// A Pipe carries what mulligan writes to a program's standard input. Write never waits for the
// program to read: a program that waits for its own output to be read would wait for ever
// otherwise. A Pipe is safe for concurrent use.
type Pipe struct {
	mu     sync.Mutex
	more   sync.Cond
	held   []byte
	closed bool
}

// NewPipe returns an empty pipe.
func NewPipe() *Pipe {
	p := &Pipe{}
	p.more.L = &p.mu
	return p
}

// Write adds to the pipe. It fails only after Close.
func (p *Pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, io.ErrClosedPipe
	}
	p.held = append(p.held, b...)
	p.more.Signal()
	return len(b), nil
}

// Read waits until the pipe holds something or is closed.
func (p *Pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.held) == 0 {
		if p.closed {
			return 0, io.EOF
		}
		p.more.Wait()
	}
	n := copy(b, p.held)
	if p.held = p.held[n:]; len(p.held) == 0 {
		p.held = nil
	}
	return n, nil
}

// Close ends the pipe. What was written before can still be read.
func (p *Pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.more.Broadcast()
	return nil
}
