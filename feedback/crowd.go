package feedback

import (
	"cmp"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan/report/block"
)

// A crowd is items that differ in nothing but their names or places. Where not everything fits
// they share one message.
type crowd struct {
	members []*entry // that are shown, in the order in which they were chosen
	size    int      // all of them
	first   *entry   // of all of them
}

// formCrowds finds the items that say the same, and makes their forms as short as they can be.
func (l *itemList) formCrowds(list []*entry) {
	crowds := map[uint64]*crowd{}
	for _, e := range list {
		e.terse = true
		e.own, e.shared, e.placed = e.block.Split()
		h := fnv.New64a()
		_, _ = h.Write([]byte(e.block.Header + "\x00" + e.shared))
		for _, x := range e.body() {
			_, _ = h.Write([]byte(x.Text + "\n"))
		}
		key := h.Sum64()
		if e.crowd = nil; e.shared == "" && len(e.body()) == 0 {
			continue
		}
		if crowds[key] == nil {
			crowds[key] = &crowd{first: e}
		}
		e.crowd = crowds[key]
		e.crowd.size++
	}
}

// body returns the lines of an item's shortest form after the one with its name.
func (e *entry) body() []block.Line {
	lines := e.form(block.Core)
	if e.block.HasPlaceBelow() {
		return lines[min(2, len(lines)):]
	}
	return lines[min(1, len(lines)):]
}

// joinCost returns what an item costs that joins others which say the same.
func (e *entry) joinCost() int {
	return utf8.RuneCountInString(squeezeLine(e.own)) + len(", ")
}

// renderCrowd returns the items that say the same as the entry: their places before the message
// that they share, or their names before the body.
func (e *entry) renderCrowd() []string {
	members := slices.SortedFunc(slices.Values(e.crowd.members), func(a, b *entry) int { return cmp.Compare(a.block.Seq, b.block.Seq) })
	var own []string
	for _, m := range members {
		own = append(own, squeezeLine(m.own))
	}
	var out []string
	if e.placed {
		out = append(out, strings.Join(own, ", ")+squeezeLine(e.shared))
	} else {
		out = own
	}
	for _, x := range e.body() {
		out = append(out, x.Text)
	}
	return out
}

// isFirst reports whether an item is the first of those shown, in the order of the output.
func (c *crowd) isFirst(e *entry) bool {
	for _, m := range c.members {
		if m.block.Seq < e.block.Seq {
			return false
		}
	}
	return true
}

// timing is how long a test took, as runners put it at the end of its line.
var timing = regexp.MustCompile(` \(\d+(\.\d+)? ?m?s\)$`)

// squeezeLine takes out of a line what only looks good: indentation, rules, columns.
func squeezeLine(s string) string {
	t := timing.ReplaceAllString(strings.TrimRight(s, " \t"), "")
	in := len(t) - len(strings.TrimLeft(t, " \t"))
	var out strings.Builder
	out.WriteString(t[:min(in, 1)])
	var last rune
	run := 0
	for _, c := range t[in:] {
		if run++; c != last || !strings.ContainsRune(" _-=*━─⎯═·", c) {
			run = 0
		}
		last = c
		if run < 2 || c != ' ' && run < 3 {
			out.WriteRune(c)
		}
	}
	return out.String()
}
