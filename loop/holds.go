package loop

import (
	"context"
	"sync"
	"time"
)

// holdsLimit is how long a turn that has ended waits for callers that the agent waited for. Their
// programs have ended with it, so that what is done for them stops at once.
const holdsLimit = 5 * time.Second

// holds counts the callers that an agent waits for: questions, claims that are validated. The zero
// value is ready to use, and safe for concurrent use.
type holds struct {
	mu    sync.Mutex
	count int
	none  chan struct{} // closed when the count falls to 0; nil where nobody waits for that
}

func (h *holds) add() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count++
}

func (h *holds) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.count--; h.count == 0 && h.none != nil {
		close(h.none)
		h.none = nil
	}
}

// any reports whether there are some.
func (h *holds) any() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count > 0
}

// wait waits until there are none, for at most holdsLimit.
func (h *holds) wait(ctx context.Context) {
	h.mu.Lock()
	if h.count == 0 {
		h.mu.Unlock()
		return
	}
	if h.none == nil {
		h.none = make(chan struct{})
	}
	none := h.none
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, holdsLimit)
	defer cancel()
	select {
	case <-none:
	case <-ctx.Done():
	}
}

// HoldTurn keeps the running turn from counting as silent, until release: the agent waits for an answer
// of mulligan's. A turn that ends waits for release, since what is done for the agent may disturb what
// follows. It is safe for concurrent use.
func (s *Session) HoldTurn() (release func()) {
	s.requests.holds.add()
	return s.requests.holds.release
}
