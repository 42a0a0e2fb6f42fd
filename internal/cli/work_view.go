package cli

import (
	"io"
	"os"
	"sync"
	"time"

	"mulligan"
	"mulligan/internal/regular"
	"mulligan/internal/runner"
	"mulligan/internal/turnlog"
	"mulligan/state"
	"mulligan/view"
)

// A workPrinter prints events, and lines of the agent's work between them.
type workPrinter interface {
	runner.EventView
	Work(turnlog.Line)
	SkipWork()
	State() *state.State
}

const (
	workPause = 100 * time.Millisecond // between two looks at a turn's log
	// workRead is how much of a log is read at a time. Of one that grows faster only the edges are read: nobody
	// could follow it.
	workRead = 4 << 20
	workEdge = 256 << 10
)

// A workView shows events, and beside them what the agent says and does: it reads the log of the turn under
// way, which has all of it before the turn's end is an event. It is safe for concurrent use.
type workView struct {
	view workPrinter
	done chan struct{}

	mu    sync.Mutex
	path  string // the log of the turn under way, or ""
	at    int64  // how much of it was read
	lines *turnlog.Splitter
	amid  bool // what was read last is the middle of a line that is not shown
}

// newWorkView returns a workView, which looks at logs until it is closed.
func newWorkView(view workPrinter) *workView {
	w := &workView{view: view, done: make(chan struct{})}
	go func() {
		for {
			select {
			case <-time.After(workPause):
				w.mu.Lock()
				w.readMore()
				w.mu.Unlock()
			case <-w.done:
				return
			}
		}
	}()
	return w
}

func (w *workView) close() { close(w.done) }

// Past takes note of an event of an earlier process, which has shown what its turn's log has by now.
func (w *workView) Past(e mulligan.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.view.Past(e)
	w.trackTurn(e)
	if info, err := os.Stat(w.path); w.path != "" && err == nil {
		w.at = info.Size()
	}
}

// Event shows an event, after what the agent did before it.
func (w *workView) Event(e mulligan.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readMore()
	if _, ends := e.Body.(mulligan.TurnEnded); ends && w.lines != nil {
		w.lines.Flush()
	}
	w.view.Event(e)
	w.trackTurn(e)
}

// trackTurn notes which turn's log is to be read. It must be called with mu held.
func (w *workView) trackTurn(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.TurnStarted:
		if b.Log != w.path { // else it continues the turn of a process that was killed
			w.path, w.at, w.amid = b.Log, 0, false
			w.lines = turnlog.NewSplitter(view.WritesRawLog(w.view.State(), b.Agent), w.view.Work)
		}
	case mulligan.TurnEnded:
		w.path, w.lines = "", nil
	}
}

// readMore shows what has been added to the log of the turn under way. It must be called with mu held.
func (w *workView) readMore() {
	if w.path == "" {
		return
	}
	file, info, err := regular.Open(w.path)
	if err != nil {
		return // it may not be there yet, or on another machine
	}
	defer file.Close()
	if info.Size()-w.at > workRead {
		_, _ = io.Copy(w, io.NewSectionReader(file, w.at, workEdge))
		w.at, w.amid = info.Size()-workEdge, true
		w.lines.Flush()
		w.view.SkipWork()
	}
	n, _ := io.Copy(w, io.NewSectionReader(file, w.at, workRead))
	w.at += n
}

// Write takes a piece of the log, without the end of a line whose beginning was skipped.
func (w *workView) Write(p []byte) (int, error) {
	piece := p
	for w.amid && len(piece) > 0 {
		w.amid = piece[0] != '\n'
		piece = piece[1:]
	}
	w.lines.Write(piece)
	return len(p), nil
}
