// Package transcript reads what an agent's transcript shows of the work on one item: a bounded
// excerpt for the validator of a claim. It reads files of any size in bounded memory, and whatever is
// in them: what it cannot read it counts and leaves out.
package transcript

import (
	"bytes"
	"io"
	"time"

	"mulligan/internal/jsonlines"
)

// DefaultLimit is how many characters an excerpt has at most if the caller gives no limit.
const DefaultLimit = 30_000

// How much of the raw transcript is held while it is read. What is shown of a line is a small part
// of it, so that this fills an excerpt.
const (
	maxHead = 1 << 20
	maxTail = 8 << 20
)

// An Excerpt is what a transcript shows of the work on an item.
type Excerpt struct {
	// Text is plain text for a reader, with at most as many characters as the caller allows. A line
	// that does not begin with a blank is the reader's own: it names who speaks, or tells of a cut.
	// All that the transcript holds is indented, so that no message can pass for another.
	Text string
	// Opened reports whether the transcript shows where the item was opened; Text begins there. If
	// not, Text is the end of the transcript.
	Opened bool
	// Since is when the item was opened, or the zero time if the transcript does not tell.
	Since time.Time
	// Unreadable counts the lines of the transcript that could not be read.
	Unreadable int
	// LeftOut counts the lines of the transcript since the opening that Text has no room for.
	LeftOut int
}

// Read returns the excerpt of a transcript in Claude Code's form, a JSON object on each line, for an
// item: from where it was last opened to the end. limit is the most characters of its text, or 0 for
// DefaultLimit. Items are the same if normalize returns the same for them.
//
// An error is that of r. The excerpt is then of what came before it.
func Read(r io.Reader, item string, limit int, normalize func(string) string) (Excerpt, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	x := &reading{tracker: newTracker(item, normalize)}
	lines := jsonlines.New(x.takeLine, func([]byte, int64) { x.unreadable++ })
	_, err := io.Copy(lines, r)
	lines.Close()
	return x.makeExcerpt(limit), err
}

// A reading is a transcript that is being read.
type reading struct {
	tracker    *tracker
	kept       keeper
	opened     bool
	since      time.Time
	unreadable int
}

// takeLine takes one line of the transcript. It decodes only lines that may tell of the item: the
// rest is decoded when it is shown.
func (x *reading) takeLine(raw []byte) {
	raw, ok := trimObject(raw)
	if !ok {
		x.unreadable++
		return
	}
	if x.tracker.isRelevant(raw) {
		l, err := decodeLine(raw)
		if err != nil {
			x.unreadable++
			return
		}
		if x.tracker.take(l) {
			x.opened, x.since = true, l.time()
			x.kept = keeper{withHead: true}
		}
	}
	if !isOther(raw) {
		x.kept.add(raw)
	}
}

// isOther reports whether a line is known to be no part of the conversation without decoding it: its
// type comes first. Such lines are the larger part of a transcript.
func isOther(raw []byte) bool {
	kind, ok := bytes.CutPrefix(raw, []byte(`{"type":"`))
	if !ok {
		return false
	}
	for _, known := range []string{"user", "assistant", "system", "summary"} {
		if bytes.HasPrefix(kind, []byte(known+`"`)) {
			return false
		}
	}
	return true
}

// trimObject returns a line without what may stand around its JSON object, and whether it looks like
// one. A file that was not written to its end in a crash can have zero bytes.
func trimObject(raw []byte) ([]byte, bool) {
	raw = bytes.Trim(bytes.TrimPrefix(raw, []byte("\uFEFF")), "\x00 \t\r")
	return raw, len(raw) > 1 && raw[0] == '{' && raw[len(raw)-1] == '}'
}

// A keeper holds the beginning and the end of a series of lines. The zero value holds the end only.
type keeper struct {
	withHead  bool
	headFull  bool
	head      [][]byte
	tail      [][]byte
	headBytes int
	tailBytes int
	dropped   int // lines between head and tail
}

// add adds a copy of a line.
func (k *keeper) add(line []byte) {
	line = bytes.Clone(line)
	if k.withHead && !k.headFull {
		if k.headBytes+len(line) <= maxHead {
			k.head, k.headBytes = append(k.head, line), k.headBytes+len(line)
			return
		}
		k.headFull = true
	}
	k.tail, k.tailBytes = append(k.tail, line), k.tailBytes+len(line)
	for k.tailBytes > maxTail && len(k.tail) > 1 {
		k.tailBytes -= len(k.tail[0])
		k.tail[0] = nil // or the array would keep it alive
		k.tail, k.dropped = k.tail[1:], k.dropped+1
	}
}
