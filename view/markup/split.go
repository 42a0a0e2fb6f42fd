package markup

import (
	"html"
	"html/template"
	"strings"
	"time"
)

// maxSplitLines is how many lines of a patch are also written side by side: each of them is in the page twice.
const maxSplitLines = 4_000

// SplitDiffs returns the changes of each file as HTML, as DiffFiles does, and besides with both sides next to each
// other: a table of the class diff-split that a style shows instead of the other where there is room. Files that
// are new or gone have no such table, nor those after the first few thousand lines.
func SplitDiffs(files []FileChange) []template.HTML {
	all := make([]template.HTML, 0, len(files))
	left, until := maxSplitLines, time.Now().Add(colorTime)
	for _, f := range files {
		n := countLines(f)
		split := f.Status != "added" && f.Status != "deleted" && n > 0 && n <= left // of the others one side is empty
		if split {
			left -= n
		}
		var b strings.Builder
		writeFile(&b, f, split, until)
		all = append(all, template.HTML(b.String()))
	}
	return all
}

// A pair is a row of two lines, by their index in a hunk; -1 on a side that has none.
type pair struct{ old, new int }

// pairLines puts what was removed beside what was added in its place.
func pairLines(lines []Line) []pair {
	var pairs []pair
	var old, added []int
	flush := func() {
		for i := range max(len(old), len(added)) {
			p := pair{-1, -1}
			if i < len(old) {
				p.old = old[i]
			}
			if i < len(added) {
				p.new = added[i]
			}
			pairs = append(pairs, p)
		}
		old, added = old[:0], added[:0]
	}
	before := Same // the kind of the line that a remark is about
	for i, line := range lines {
		kind := line.Kind
		if kind == Remark {
			kind = before
		}
		switch kind {
		case Removed:
			if len(added) > 0 {
				flush()
			}
			old = append(old, i)
		case Added:
			added = append(added, i)
		case Same, Remark:
			flush()
			pairs = append(pairs, pair{i, i})
		}
		before = kind
	}
	flush()
	return pairs
}

// writeSplit writes the hunks of a file with both sides next to each other. texts are the lines as HTML.
func writeSplit(b *strings.Builder, f FileChange, texts [][]string) {
	b.WriteString(`<table class="diff-split">`)
	for i, h := range f.Hunks {
		b.WriteString(`<tbody><tr class="diff-hunk"><td></td><td>` + html.EscapeString(showHidden(h.Header)) + "</td><td></td><td></td></tr>\n")
		for _, p := range pairLines(h.Lines) {
			b.WriteString("<tr>")
			writeSide(b, h.Lines, texts[i], p.old, false)
			writeSide(b, h.Lines, texts[i], p.new, true)
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody>")
	}
	b.WriteString("</table>")
}

// writeSide writes the cells of one side of a row.
func writeSide(b *strings.Builder, lines []Line, texts []string, at int, after bool) {
	if at < 0 {
		b.WriteString(`<td class="diff-none"></td><td class="diff-none"></td>`)
		return
	}
	line := lines[at]
	class, sign := lineLook(line.Kind)
	number := line.Old
	if after {
		number = line.New
	}
	b.WriteString(`<td` + class + `>` + showNumber(number) + `</td><td` + class + `>` + sign + texts[at] + `</td>`)
}
