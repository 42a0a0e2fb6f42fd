package client

import (
	"context"
	"io"
	"time"

	"mulligan"
	"mulligan/internal/regular"
)

// begunOutput is how many bytes of a turn's output a viewer gets that comes in the middle of it.
const begunOutput = 64 << 10

// showBegun passes the end of what the turn under way has printed to f.Live, once, after the event that the
// turn began with.
func (f *Follower) showBegun(ctx context.Context, e mulligan.Event) {
	b, ok := e.Body.(mulligan.TurnStarted)
	if !ok || f.Live == nil || f.Begun == nil || b.Turn != f.Begun.Turn {
		return
	}
	now := time.Now() // what is printed later comes live
	data, err := readEnd(b.Log)
	if err != nil || len(data) == 0 {
		return // it is on another machine, or nothing was printed
	}
	f.Begun = nil
	f.shown.Store(&now)
	select {
	case f.Live <- data:
	case <-ctx.Done():
	}
}

// readEnd returns the last bytes of a file.
func readEnd(path string) ([]byte, error) {
	file, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-begunOutput), begunOutput))
}
