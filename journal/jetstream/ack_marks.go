package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ackMarks remember, beside the store, how many events of each session were acknowledged. The engine
// silently cuts a damaged file off where the damage begins: a session that ends before its mark has
// lost events. A mark is written after its events are on the disk and is itself not flushed, so it
// may be too low, and never too high.
type ackMarks struct{ dir string }

// recordMark stores the number of a session's last event. A mark that cannot be written is one check
// less later; it is no reason to fail an append that succeeded.
func (m ackMarks) recordMark(session string, number int64) {
	f, err := os.OpenFile(filepath.Join(m.dir, session), os.O_WRONLY|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(m.dir, 0o700) == nil {
		f, err = os.OpenFile(filepath.Join(m.dir, session), os.O_WRONLY|os.O_CREATE, 0o600)
	}
	if err != nil {
		return
	}
	defer f.Close()
	// Always as long: there is no moment in which an old mark is half gone.
	_, _ = fmt.Fprintf(f, "%020d\n", number)
}

// readMark returns a session's mark, or 0 if it has none.
func (m ackMarks) readMark(session string) int64 {
	text, _ := os.ReadFile(filepath.Join(m.dir, session)) // an empty text is no mark
	number, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return number
}

// dropMark removes the mark of a session whose events, up to that number, are kept elsewhere.
func (m ackMarks) dropMark(session string, number int64) {
	if m.readMark(session) <= number {
		_ = os.Remove(filepath.Join(m.dir, session)) // one that stays is only looked at in vain
	}
}

// listSessions returns every session that has a mark.
func (m ackMarks) listSessions() ([]string, error) {
	entries, err := os.ReadDir(m.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, nil
}
