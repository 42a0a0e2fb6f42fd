package feedback

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mulligan/report"
	"mulligan/report/block"
)

// composeWhole returns an output that fits. What failed comes first, with nothing left out, unless it stands near the
// start anyway, or is not in lines of its own. composeWhole reports whether it does.
func (d *document) composeWhole(r report.Report, found block.Result, limit int) (text string, itemsFirst bool) {
	lines := splitLines(d.head)
	raised := map[int]bool{} // numbers of lines
	var items []string
	header := ""
	for _, b := range found.Blocks {
		if b.Tier > block.Complaint || len(b.Lines) == 0 || b.Lines[0].At == 0 {
			continue
		}
		if b.Header != header && b.Header != "" {
			items = append(items, b.Header)
		}
		header = b.Header
		for _, l := range b.Lines {
			if l.At > 0 && !raised[l.At] {
				raised[l.At] = true
				items = append(items, string(lines[l.At-1]))
			}
		}
	}
	rest, before := leaveOut(lines, raised)
	whole := strings.TrimRight(string(d.head), "\n")
	if before < limit/nearStart {
		return whole, false
	}
	heading := failureHeading(r.Counts, found.Total[block.Failure]+found.Total[block.Complaint]) + ":\n"
	text = strings.TrimRight(heading+strings.Join(items, "\n")+"\n\n"+excerptTitle+"\n"+string(rest), "\n")
	if utf8.RuneCountInString(text) > limit {
		return whole, false
	}
	return text, true
}

// nearStart is the part of the limit that may stand before what failed.
const nearStart = 8

// leaveOut returns the lines without those of some numbers, with a mark where they stood, and how many characters come
// before the first of them: 0 if there is none.
func leaveOut(lines [][]byte, numbers map[int]bool) (rest []byte, before int) {
	for i, l := range lines {
		switch {
		case !numbers[i+1]:
			rest = append(append(rest, l...), '\n')
			continue
		case before == 0:
			before = utf8.RuneCount(rest)
		}
		if !bytes.HasSuffix(rest, []byte("\n"+gapMark+"\n")) {
			rest = append(rest, gapMark+"\n"...)
		}
	}
	return rest, before
}
