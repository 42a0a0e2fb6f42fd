package cli

import (
	"io"

	"mulligan/internal/regular"
	"mulligan/internal/turnlog"
)

// windowLines is how many lines of a long turn are shown of its beginning, and of its end.
const windowLines = 400

// readLog passes the lines of a log on: the first and the last, as many as limit each, or all if that is 0.
// It calls gap where lines are left out.
func readLog(path string, raw bool, limit int64, line func(turnlog.Line), gap func(missing int64, path string)) error {
	file, _, err := regular.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	window := &lineWindow{line: line, limit: limit, last: make([]turnlog.Line, limit)}
	lines := turnlog.NewSplitter(raw, window.add)
	_, err = io.Copy(lines, file)
	lines.Flush()
	window.finish(func(missing int64) { gap(missing, path) })
	return err
}

// A lineWindow passes on the first and the last lines of many, or all if its limit is 0.
type lineWindow struct {
	line  func(turnlog.Line)
	limit int64
	seen  int64
	last  []turnlog.Line
}

func (w *lineWindow) add(l turnlog.Line) {
	if w.seen++; w.limit == 0 || w.seen <= w.limit {
		w.line(l)
		return
	}
	w.last[w.seen%w.limit] = l
}

// finish passes on the last lines, after it has told how many are missing before them.
func (w *lineWindow) finish(gap func(missing int64)) {
	if w.limit == 0 {
		return
	}
	from := max(w.limit, w.seen-w.limit)
	if missing := from - w.limit; missing > 0 {
		gap(missing)
	}
	for i := from + 1; i <= w.seen; i++ {
		w.line(w.last[i%w.limit])
	}
}
