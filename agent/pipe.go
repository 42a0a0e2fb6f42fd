package agent

import (
	"io"
	"sync"
)

// A Pipe carries what we say to a program. Saying never waits for the program to listen: one
// that waits for us to hear what it prints would wait for ever otherwise.
type Pipe struct {
	mu     sync.Mutex
	more   sync.Cond
	held   []byte
	closed bool
}

// NewPipe makes an empty pipe.
func NewPipe() *Pipe {
	p := &Pipe{}
	p.more.L = &p.mu
	return p
}

// Write fails only after Close.
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

// Read waits for something to be said.
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

// Close says that no more will be said. What was said before can still be read.
func (p *Pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.more.Broadcast()
	return nil
}
