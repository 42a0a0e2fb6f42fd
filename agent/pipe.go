package agent

import (
	"bytes"
	"io"
	"sync"
)

// A Pipe carries what mulligan writes to a program's standard input. Write never waits for the
// program to read: a program that waits for its own output to be read would wait for ever
// otherwise. A Pipe is safe for concurrent use.
type Pipe struct {
	mu     sync.Mutex
	more   sync.Cond
	held   bytes.Buffer
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
	p.more.Signal()
	return p.held.Write(b)
}

// Read waits until the pipe holds something or is closed.
func (p *Pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held.Len() == 0 {
		if p.closed {
			return 0, io.EOF
		}
		p.more.Wait()
	}
	return p.held.Read(b)
}

// Close ends the pipe. What was written before can still be read.
func (p *Pipe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.more.Broadcast()
	return nil
}
