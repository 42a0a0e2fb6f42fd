package feedback

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mulligan/internal/text"
	"mulligan/report"
)

// compose returns the whole output where it fits, else the failing items, the start and the
// end of the output, and a note of what is missing between them. It reports whether the text
// is cut.
func (d *document) compose(r report.Report, limit int, whole string) (out string, cut bool) {
	if !d.over {
		return strings.TrimRight(string(d.head), "\n"), false
	}
	// Most of the text should be evidence, however deep the folder of the whole output is.
	if utf8.RuneCountInString(cutNote(d.lines, d.size, whole)) > limit*3/4 {
		whole = ""
	}
	// Fewer bytes may take more characters: "999 bytes", "1 kB".
	const slack = 6
	room := limit - utf8.RuneCountInString(cutNote(d.lines, d.size, whole)) - slack
	items := listFailures(r, room*2/5)
	if items != "" {
		items += "\n\nThe output:\n"
		room -= utf8.RuneCountInString(items)
	}
	x := d.newExcerpt()
	x.chooseLines(room)
	said := cutNote(x.countLeftOut(), d.size-x.shown, whole)
	lines := append(x.start, []byte(said))
	lines = append(lines, x.end...)
	if x.countLeftOut() == 0 { // only lines were cut: nothing is missing here
		lines = append(append(x.start, x.end...), []byte(said))
	}
	return strings.TrimRight(items+string(bytes.Join(lines, []byte("\n"))), "\n"), true
}

// cutMark begins the note that stands for what was left out.
const cutMark = "[… "

// cutNote returns the line that tells what was left out and where all of it is.
func cutNote(lines int, bytes int64, whole string) string {
	what := "long lines were cut"
	if lines > 0 {
		what = fmt.Sprintf("%s (%s) left out", countNoun(lines, "line"), formatSize(bytes))
	}
	if whole != "" {
		what += "; the whole output is in " + whole
	}
	return cutMark + what + " …]"
}

// An excerpt is the choice of lines from a document that does not fit.
type excerpt struct {
	lines  [][]byte
	gap    int // index before which lines are missing already; -1 for none
	total  int
	start  [][]byte
	end    [][]byte // in order
	shown  int64
	trails int // lines at the end that are blank
}

func (d *document) newExcerpt() *excerpt {
	x := &excerpt{gap: -1, total: d.lines}
	x.lines = splitLines(d.head)
	n := len(x.lines)
	x.lines = append(x.lines, splitLines(d.tail)...)
	if len(x.lines) < d.lines {
		x.gap = n
	}
	for len(x.lines) > max(x.gap, 0) && len(bytes.TrimSpace(x.lines[len(x.lines)-1])) == 0 {
		x.lines = x.lines[:len(x.lines)-1]
		x.trails++
	}
	return x
}

func splitLines(p []byte) [][]byte {
	return bytes.Split(p, []byte("\n"))[:bytes.Count(p, []byte("\n"))]
}

// chooseLines fills start and end with as many lines as there is room for, about one to two:
// programs print what broke at the end more often. A line costs its characters and its
// newline.
func (x *excerpt) chooseLines(room int) {
	i, j := 0, len(x.lines)
	lastStart, firstEnd := j, 0
	if x.gap >= 0 {
		lastStart, firstEnd = x.gap, x.gap
	}
	for budget := room / 3; i < lastStart; i++ {
		line := x.lines[i]
		if i == 0 {
			line = fitLine(line, budget-1)
		}
		if budget -= lineCost(line); budget < 0 || line == nil {
			break
		}
		x.start = append(x.start, line)
		room -= lineCost(line)
		x.shown += int64(len(line)) + 1
	}
	for j > max(i, firstEnd) {
		line := x.lines[j-1]
		if j == len(x.lines) {
			line = fitLine(line, room-1)
		}
		if room -= lineCost(line); room < 0 || line == nil {
			break
		}
		j--
		x.end = append(x.end, line)
		x.shown += int64(len(line)) + 1
	}
	slices.Reverse(x.end)
}

// countLeftOut returns how many lines are not shown, without the blank ones at the end.
func (x *excerpt) countLeftOut() int {
	return x.total - x.trails - len(x.start) - len(x.end)
}

func lineCost(line []byte) int { return utf8.RuneCount(line) + 1 }

// fitLine returns the line, or as much of it as there is room for, or nil if the room is too
// little.
func fitLine(line []byte, room int) []byte {
	if utf8.RuneCount(line) <= room {
		return line
	}
	if room < 30 {
		return nil
	}
	return shortenLine(line, 0, room)
}

// countNoun returns a number with its noun, as text.Count does, with commas between the
// thousands.
func countNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return groupThousands(n) + " " + text.Plural(noun)
}

// groupThousands returns a number with commas between the thousands.
func groupThousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// formatSize returns a number of bytes as people write it.
func formatSize(n int64) string {
	switch {
	case n < 1000:
		return countNoun(int(n), "byte")
	case n < 1000*1000:
		return strconv.FormatInt((n+500)/1000, 10) + " kB"
	case n < 1000*1000*1000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + " GB"
}
