package feedback

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"mulligan/internal/text"
)

// An excerpt is the choice of lines from the start and the end of a document that does not fit.
type excerpt struct {
	lines      [][]byte
	gap        int // index before which lines are missing already; -1 for none
	total      int
	start      [][]byte
	end        [][]byte // in order
	shown      int64
	count      int          // lines shown here
	trails     int          // lines at the end that are blank
	shownAbove map[int]bool // numbers of the lines that the items show
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

// leastRoom returns what the first and the last line need at least.
func (x *excerpt) leastRoom(room int) int {
	if len(x.lines) == 0 {
		return 0
	}
	least := min(lineCost(x.lines[0]), 80) + min(lineCost(x.lines[len(x.lines)-1]), 120) + len(excerptTitle) + 3
	return min(least, room*2/3)
}

// number returns the number in the output of the line at that index.
func (x *excerpt) number(i int) int {
	if x.gap >= 0 && i >= x.gap {
		return x.total - x.trails - len(x.lines) + i + 1
	}
	return i + 1
}

// chooseLines fills start and end with as many lines as there is room for, about one to two:
// programs print what broke at the end more often. A line costs its characters and its
// newline. Lines that the items show are left out, with a mark.
func (x *excerpt) chooseLines(room int) {
	lastStart, firstEnd := len(x.lines), 0
	if x.gap >= 0 {
		lastStart, firstEnd = x.gap, x.gap
	}
	i := x.chooseStart(&room, lastStart)
	j := len(x.lines)
	skipped := false
	for j > max(i, firstEnd) {
		line := x.lines[j-1]
		if x.isAbove(j-1) && j < len(x.lines) {
			j--
			skipped = true
			continue
		}
		if j == len(x.lines) {
			line = fitLine(line, room-1)
		}
		cost := lineCost(line)
		if skipped {
			cost += len("…")
		}
		if room -= cost; room < 0 || line == nil {
			break
		}
		j--
		if skipped {
			x.end = append(x.end, []byte("…"))
			skipped = false
		}
		x.end = append(x.end, line)
		x.addShown(j, line)
	}
	slices.Reverse(x.end)
}

// chooseStart fills start, and returns the index of the first line after it.
func (x *excerpt) chooseStart(room *int, last int) int {
	i, skipped := 0, false
	for budget := *room / 3; i < last; i++ {
		line := x.lines[i]
		if x.isAbove(i) && i > 0 {
			skipped = true
			continue
		}
		if i == 0 {
			line = fitLine(line, budget-1)
		}
		cost := lineCost(line)
		if skipped {
			cost += len("…")
		}
		if budget -= cost; budget < 0 || line == nil {
			break
		}
		if skipped {
			x.start = append(x.start, []byte("…"))
			skipped = false
		}
		x.start = append(x.start, line)
		*room -= cost
		x.addShown(i, line)
	}
	return i
}

func (x *excerpt) isAbove(i int) bool { return x.shownAbove[x.number(i)] }

func (x *excerpt) addShown(i int, line []byte) {
	if !x.isAbove(i) {
		x.count++
		x.shown += int64(len(line)) + 1
	}
}

// countLeftOut returns how many lines are not shown, without the blank ones at the end.
func (x *excerpt) countLeftOut() int {
	return max(x.total-x.trails-x.count-len(x.shownAbove), 0)
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
