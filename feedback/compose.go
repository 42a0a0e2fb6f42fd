package feedback

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mulligan/report"
)

// compose makes the text: everything where it fits, else the failing items, the
// start and the end, and a note of what is missing between them.
func (d *document) compose(r report.Report, limit int, whole string) (out string, cut bool) {
	if !d.over {
		return strings.TrimRight(string(d.head), "\n"), false
	}
	if !d.pathFits(limit, whole) {
		whole = ""
	}
	// Fewer bytes may take more characters to say: "999 bytes", "1 kB".
	const slack = 6
	room := limit - utf8.RuneCountInString(note(d.lines, d.size, whole)) - slack
	items := failing(r, room*2/5)
	if items != "" {
		items += "\n\nThe output:\n"
		room -= utf8.RuneCountInString(items)
	}
	x := d.excerpt()
	x.choose(room)
	said := note(x.leftOut(), d.size-x.shown, whole)
	lines := append(x.start, []byte(said))
	lines = append(lines, x.end...)
	if x.leftOut() == 0 { // only lines were cut: nothing is missing here
		lines = append(append(x.start, x.end...), []byte(said))
	}
	return strings.TrimRight(items+string(bytes.Join(lines, []byte("\n"))), "\n"), true
}

// pathFits says whether the path of the whole can be told. Most of the text should
// be evidence, however deep the folder is.
func (d *document) pathFits(limit int, whole string) bool {
	return utf8.RuneCountInString(note(d.lines, d.size, whole)) <= limit*3/4
}

// cutMark begins what is said in the place of what was left out.
const cutMark = "[… "

// note says what was left out and where all of it is.
func note(lines int, bytes int64, whole string) string {
	what := "long lines were cut"
	if lines > 0 {
		what = fmt.Sprintf("%s (%s) left out", plural(lines, "line"), size(bytes))
	}
	if whole != "" {
		what += "; the whole output is in " + whole
	}
	return cutMark + what + " …]"
}

// excerpt is the choice of lines from a document that does not fit.
type excerpt struct {
	lines  [][]byte
	gap    int // index before which lines are missing already; -1 for none
	total  int
	start  [][]byte
	end    [][]byte // in order
	shown  int64
	trails int // lines at the end that are blank
}

func (d *document) excerpt() *excerpt {
	x := &excerpt{gap: -1, total: d.lines}
	x.lines = split(d.head)
	n := len(x.lines)
	x.lines = append(x.lines, split(d.tail)...)
	if len(x.lines) < d.lines {
		x.gap = n
	}
	for len(x.lines) > max(x.gap, 0) && len(bytes.TrimSpace(x.lines[len(x.lines)-1])) == 0 {
		x.lines = x.lines[:len(x.lines)-1]
		x.trails++
	}
	return x
}

func split(p []byte) [][]byte {
	return bytes.Split(p, []byte("\n"))[:bytes.Count(p, []byte("\n"))]
}

// choose takes the start and the end, about one to two: what broke is more often
// told at the end. A line costs its characters and its newline.
func (x *excerpt) choose(room int) {
	i, j := 0, len(x.lines)
	lastStart, firstEnd := j, 0
	if x.gap >= 0 {
		lastStart, firstEnd = x.gap, x.gap
	}
	for budget := room / 3; i < lastStart; i++ {
		line := x.lines[i]
		if i == 0 {
			line = fitted(line, budget-1)
		}
		if budget -= cost(line); budget < 0 || line == nil {
			break
		}
		x.start = append(x.start, line)
		room -= cost(line)
		x.shown += int64(len(line)) + 1
	}
	for j > max(i, firstEnd) {
		line := x.lines[j-1]
		if j == len(x.lines) {
			line = fitted(line, room-1)
		}
		if room -= cost(line); room < 0 || line == nil {
			break
		}
		j--
		x.end = append(x.end, line)
		x.shown += int64(len(line)) + 1
	}
	slices.Reverse(x.end)
}

// leftOut counts the lines that are not shown; blank ones at the end are not missed.
func (x *excerpt) leftOut() int {
	return x.total - x.trails - len(x.start) - len(x.end)
}

func cost(line []byte) int { return utf8.RuneCount(line) + 1 }

// fitted is the line, or as much of it as there is room for; nil for too little room.
func fitted(line []byte, room int) []byte {
	if utf8.RuneCount(line) <= room {
		return line
	}
	if room < 30 {
		return nil
	}
	return shorten(line, 0, room)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped writes a number with commas between the thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1000:
		return plural(int(n), "byte")
	case n < 1000*1000:
		return strconv.FormatInt((n+500)/1000, 10) + " kB"
	case n < 1000*1000*1000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	}
	return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + " GB"
}
