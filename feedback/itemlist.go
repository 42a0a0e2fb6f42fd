package feedback

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"mulligan/report"
	"mulligan/report/block"
)

// An itemList chooses which failing items are shown, and how much of each.
type itemList struct {
	heading string
	entries []*entry // in the order of the output
	room    int      // characters that are left
	rest    int      // items that are not shown
	names   []string // of those, as far as they are known
	headers map[string]bool

	lines map[int]bool // numbers of the lines that are shown
	bytes int64        // of these
}

// An entry is an item and how much of it is shown.
type entry struct {
	block *block.Block
	level int  // lines up to this rank are shown; notShown for none
	terse bool // without what only looks good
	cost  int

	own, shared string // its first line: its name or place, and what others may share with it
	placed      bool   // own is a place
	crowd       *crowd // those that say the same; nil for none
}

const (
	notShown = -1
	coreLine = 300 // characters of a line in an item's shortest form
	gapMark  = "…"
	maxRest  = 160 // characters about the items that are not shown
)

// newItemList chooses items for a text of room characters, of which the start and the end of the
// output need least.
func newItemList(r report.Report, found block.Result, room, least int) *itemList {
	l := &itemList{headers: map[string]bool{}, lines: map[int]bool{}}
	failures := l.takeTiers(found, block.Failure, block.Complaint)
	main, what := failures, failureHeading(r.Counts, found.Total[block.Failure]+found.Total[block.Complaint])
	if len(main) == 0 {
		main, what = l.takeTiers(found, block.Warning), countNoun(found.Total[block.Warning], "warning")
	}
	var aside []*entry
	if len(failures) > 0 {
		aside = l.takeTiers(found, block.Warning)
	}
	hints := l.takeTiers(found, block.Hint)
	if len(main) == 0 {
		what = "lines that may be about an error"
		if r.Counts.Failed > 0 {
			what = failureHeading(r.Counts, 0)
		}
	}
	l.heading = what + ":"
	l.room = room - least - utf8.RuneCountInString(l.heading) - 1 - len("\n\n")
	full := l.room
	if l.pickMain(main, found) == 0 && len(main) > 0 {
		return l // there is no room
	}
	l.deepen(main, block.Telling, l.room)
	l.deepen(main, block.Context, l.room/3)
	l.pickSome(aside, l.room*3/4)
	if len(main) > 0 {
		l.pickSome(hints, min(l.room/3, full/5))
	} else {
		l.pickSome(hints, l.room*2/3)
	}
	l.deepen(main, block.Minor, l.room*2/3)
	return l
}

// takeTiers returns entries for the blocks of these tiers.
func (l *itemList) takeTiers(found block.Result, tiers ...block.Tier) []*entry {
	var out []*entry
	for _, b := range found.Blocks {
		if slices.Contains(tiers, b.Tier) {
			out = append(out, &entry{block: b, level: notShown})
		}
	}
	l.entries = append(l.entries, out...)
	return out
}

// pickMain shows the first of each kind and of each file, then as many as fit in their shortest
// whole form. If not all do, room is left for the names of the rest. It returns how many are shown.
func (l *itemList) pickMain(main []*entry, found block.Result) (shown int) {
	need := l.needOf(main)
	total := len(main)
	if len(main) > 0 && main[0].block.Tier <= block.Complaint {
		total = max(total, found.Total[block.Failure]+found.Total[block.Complaint])
	}
	forNames := 0
	if need > l.room || total > len(main) {
		l.formCrowds(main)
		if l.needOf(main) > l.room || total > len(main) {
			forNames = min(l.room/8, maxRest)
		}
	}
	l.room -= forNames
	for _, e := range orderByRule(main, l) {
		l.show(e, block.Core)
	}
	for _, e := range main {
		if e.level != notShown {
			shown++
		} else {
			l.names = append(l.names, e.block.Name)
		}
	}
	l.rest = total - shown
	l.names = append(l.names, found.Names...)
	if l.rest == 0 {
		l.room += forNames
	}
	return shown
}

// needOf returns the characters that the items need in their shortest form.
func (l *itemList) needOf(list []*entry) int {
	need := 0
	for _, e := range list {
		switch {
		case e.crowd == nil || e.crowd.size == 1:
			need += l.costOf(e, block.Core)
		case e.crowd.first == e:
			need += l.costOf(e, block.Core)
		default:
			need += e.joinCost()
		}
	}
	return need
}

// orderByRule returns the entries in the order in which they are chosen: the first of each kind,
// the first of each file, the rest from the shortest to the longest; what a tool names as failed
// before what only complains.
func orderByRule(list []*entry, l *itemList) []*entry {
	kinds, files := map[string]bool{}, map[string]bool{}
	class := map[*entry]int{}
	size := map[*entry]int{}
	for _, e := range list {
		c := 2
		if f := e.block.File; f != "" && !files[f] {
			files[f] = true
			c = 1
		}
		if k := e.block.Kind; !kinds[k] {
			kinds[k] = true
			c = 0
		}
		class[e] = 2*c + int(e.block.Tier)
		size[e] = l.costOf(e, block.Core)
		if e.crowd != nil {
			size[e] = e.joinCost() + (size[e]-e.joinCost())/e.crowd.size
		}
	}
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(class[a], class[b]), cmp.Compare(size[a], size[b]))
	})
	return out
}

// show shows an item if there is room for it, and reports whether it does.
func (l *itemList) show(e *entry, level int) bool {
	if c := e.crowd; c != nil && c.size > 1 {
		return l.showInCrowd(e, level)
	}
	n := l.costOf(e, level)
	extra := n
	if e.level != notShown {
		extra -= e.cost
	} else if h := e.block.Header; h != "" && !l.headers[h] {
		extra += utf8.RuneCountInString(h) + 1
	}
	if extra > l.room {
		return false
	}
	l.room -= extra
	l.headers[e.block.Header] = true
	e.level, e.cost = level, n
	return true
}

// showInCrowd shows an item beside those that say the same.
func (l *itemList) showInCrowd(e *entry, level int) bool {
	n := e.joinCost()
	if len(e.crowd.members) == 0 {
		n = l.costOf(e, block.Core)
		if h := e.block.Header; h != "" && !l.headers[h] {
			n += utf8.RuneCountInString(h) + 1
		}
	}
	if e.level != notShown || level > block.Core || n > l.room {
		return false
	}
	l.room -= n
	l.headers[e.block.Header] = true
	e.level, e.cost = level, n
	e.crowd.members = append(e.crowd.members, e)
	return true
}

// pickSome shows items in their shortest whole form, in their order, within a part of the room.
func (l *itemList) pickSome(list []*entry, part int) {
	kept := l.room - part
	l.room = part
	if l.needOf(list) > l.room {
		l.formCrowds(list)
	}
	for _, e := range orderByRule(list, l) {
		l.show(e, block.Core)
	}
	l.room += kept
}

// deepen shows more of the items that are shown, within a part of the room.
func (l *itemList) deepen(list []*entry, level, part int) {
	kept := l.room - part
	l.room = part
	for _, e := range list {
		if e.level != notShown {
			l.show(e, level)
		}
	}
	l.room += kept
}
