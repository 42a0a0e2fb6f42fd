package feedback

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan/report/block"
)

// sortEntries puts the entries in the order of the output, those that share a header together.
func (l *itemList) sortEntries() {
	first := map[string]int{}
	for _, e := range l.entries {
		if n, ok := first[e.block.Header]; !ok || e.block.Seq < n {
			first[e.block.Header] = e.block.Seq
		}
	}
	place := func(e *entry) int {
		if e.block.Header != "" {
			return first[e.block.Header]
		}
		return e.block.Seq
	}
	slices.SortStableFunc(l.entries, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.block.Seq, b.block.Seq))
	})
}

// render returns the items as text, "" if none is shown.
func (l *itemList) render() string {
	l.sortEntries()
	var out []string
	header := ""
	for _, e := range l.entries {
		if e.level == notShown {
			continue
		}
		if h := e.block.Header; h != header && h != "" {
			out = append(out, h)
		}
		header = e.block.Header
		form := e.form(e.level)
		l.noteShown(form)
		if c := e.crowd; c != nil && len(c.members) > 1 {
			if c.isFirst(e) {
				out = append(out, e.renderCrowd()...)
			}
			continue
		}
		for _, x := range form {
			out = append(out, x.Text)
		}
	}
	if len(out) == 0 {
		return ""
	}
	if l.rest > 0 {
		out = append(out, l.describeRest())
	}
	return l.heading + "\n" + strings.Join(out, "\n")
}

// renderWithin returns the items in at most room characters, with the title of the excerpt after
// them. What an item costs is known before it is shown, but for rounding: the last ones give way.
func (l *itemList) renderWithin(room int) string {
	out := l.render()
	for last := len(l.entries) - 1; last >= 0 && utf8.RuneCountInString(out)+len(excerptTitle)+3 > room; last-- {
		if l.entries[last].level == notShown {
			continue
		}
		l.hide(l.entries[last])
		l.lines, l.bytes = map[int]bool{}, 0
		out = l.render()
	}
	return out
}

// hide shows an item no longer.
func (l *itemList) hide(e *entry) {
	e.level = notShown
	l.rest++
	l.names = append(l.names, e.block.Name)
	if c := e.crowd; c != nil {
		c.members = slices.DeleteFunc(c.members, func(m *entry) bool { return m == e })
	}
}

// noteShown remembers which lines of the output are shown.
func (l *itemList) noteShown(form []block.Line) {
	for _, x := range form {
		if x.At > 0 && !l.lines[x.At] {
			l.lines[x.At] = true
			l.bytes += int64(len(x.Text)) + 1
		}
	}
}

// describeRest returns the names of what is not shown, and how many there are.
func (l *itemList) describeRest() string {
	s := fmt.Sprintf("… and %s more", groupThousands(l.rest))
	room := maxRest - len("… and 999,999 more: ; …")
	var names []string
	for _, name := range l.names {
		n := clipName(name, 80)
		if room -= utf8.RuneCountInString(n) + 2; room < 0 {
			break
		}
		names = append(names, n)
	}
	if len(names) > 0 {
		s += ": " + strings.Join(names, "; ")
		if len(names) < l.rest {
			s += "; …"
		}
	}
	return s
}
