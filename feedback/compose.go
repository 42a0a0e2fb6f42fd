package feedback

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"mulligan/report/block"
)

// compose sets the text: the whole output where it fits, what failed first, else the failing items, the start and the
// end of the output, and a note of what is missing between them.
func (d *document) compose(out *Distilled, found block.Result, limit int, whole string) {
	if !d.over {
		out.Text, out.ItemsFirst = d.composeWhole(out.Report, found, limit)
		return
	}
	// Most of the text should be evidence, however deep the folder of the whole output is.
	if utf8.RuneCountInString(cutNote(d.lines, d.size, whole)) > limit*3/4 {
		whole = ""
	}
	// Fewer bytes may take more characters: "999 bytes", "1 kB".
	const slack = 6
	room := limit - utf8.RuneCountInString(cutNote(d.lines, d.size, whole)) - slack
	x := d.newExcerpt()
	list := newItemList(out.Report, found, room, x.leastRoom(room))
	items := list.renderWithin(room)
	if items != "" {
		out.ItemsFirst = true
		items += "\n\n" + excerptTitle + "\n"
		room -= utf8.RuneCountInString(items)
	}
	x.shownAbove = list.lines
	x.chooseLines(room)
	said := cutNote(x.countLeftOut(), d.size-x.shown-list.bytes, whole)
	lines := append(x.start, []byte(said))
	lines = append(lines, x.end...)
	if x.countLeftOut() == 0 { // only lines were cut: nothing is missing here
		lines = append(append(x.start, x.end...), []byte(said))
	}
	out.Text, out.Cut = strings.TrimRight(items+string(bytes.Join(lines, []byte("\n"))), "\n"), true
}

// excerptTitle parts the items from the start and the end of the output.
const excerptTitle = "The output:"

// cutMark begins the note that stands for what was left out.
const cutMark = "[… "

// cutNote returns the line that tells what was left out and where all of it is.
func cutNote(lines int, bytes int64, whole string) string {
	what := "long lines were cut"
	if lines > 0 {
		what = fmt.Sprintf("%s (%s) left out", countNoun(lines, "line"), formatSize(max(bytes, 0)))
	}
	if whole != "" {
		what += "; the whole output is in " + whole
	}
	return cutMark + what + " …]"
}
