package block

import (
	"bytes"
	"strings"
)

// How many lines of a sort may be core, and how many may tell.
const (
	coreMessage = 3
	moreMessage = 10
	coreTold    = 3
	moreTold    = 8
	coreSource  = 2
	moreSource  = 8
)

// rankLines sets the rank of each line.
func (b *Block) rankLines() {
	switch b.mode {
	case compiler, rustic, fileLine:
		b.rankCompiler()
	default:
		b.rankTest()
	}
}

// rankNth returns the rank of the nth line of its sort.
func rankNth(n, core, telling int) int {
	switch {
	case n <= core:
		return Core
	case n <= telling:
		return Telling
	}
	return Context
}

// rankCompiler ranks the error, the source that it quotes, and the first note.
func (b *Block) rankCompiler() {
	for i := range b.start {
		b.Lines[i].Rank = Context
		if strings.Contains(b.Lines[i].Text, "required from here") {
			b.Lines[i].Rank = Telling
		}
	}
	notes, source := 0, 0
	for i := b.start; i < len(b.Lines); i++ {
		l := &b.Lines[i]
		t := []byte(strings.TrimSpace(l.Text))
		switch {
		case i == b.start || hasPrefix(t, "--> ") && notes == 0:
			l.Rank = Core
		case len(t) == 0:
			l.Rank = Minor
		case isNoteLine(t):
			if notes++; notes > 1 {
				l.Rank = min(notes, Minor)
			}
		case hasAnyPrefix(t, "In file included from ", "from "):
			l.Rank = Context
		case hasAnyPrefix(t, "= help", "help: "):
			notes += 2
			l.Rank = Context
		case string(t) == "|":
			l.Rank = Telling + min(notes, 1)
		case notes > 1:
			l.Rank = Minor
		case notes == 1:
			l.Rank = Context
		case isPointer(t):
			l.Rank = Telling
		default:
			source++
			l.Rank = rankNth(source, coreSource, moreSource)
		}
	}
}

// isPointer reports whether a line only points at the one above it.
func isPointer(t []byte) bool { return len(bytes.Trim(t, " |^~-+")) == 0 }

// isNoteLine reports whether a line of a compiler's is a note.
func isNoteLine(t []byte) bool {
	if hasAnyPrefix(t, "= note", "note: ", "required from") {
		return true
	}
	at, ok := readPlace(trimLevel(t))
	return ok && isNote(at.rest)
}

// A ranker goes through the lines of a block that is not a compiler's.
type ranker struct {
	b       *Block
	told    [4]int // lines that tell what differs, so far, by their sort
	all     int    // such lines in the block
	count   int    // such lines so far
	message int
	frames  int
	places  int
	marked  int  // index of the marked line of source
	ended   bool // the message is over
}

// rankTest ranks the lines of a test, a trace, or anything else.
func (b *Block) rankTest() {
	r := ranker{b: b, marked: -1}
	for _, l := range b.Lines[min(b.start+1, len(b.Lines)):] {
		if raw := []byte(l.Text); isTellingText(raw) && !isFrame(raw) {
			r.all++
			if hasPlaceIn(bytes.TrimSpace(raw)) { // the line that tells it has its place
				r.places++
			}
		}
	}
	for i := range b.Lines {
		raw := []byte(b.Lines[i].Text)
		b.Lines[i].Rank = r.rank(i, raw, bytes.TrimSpace(raw))
	}
	if b.mode == pytestBlock {
		b.rankPlaces()
	}
	if b.mode == traceback || b.mode == unittest || b.mode == pytestBlock {
		b.rankTraceback()
	}
}

func (r *ranker) rank(i int, raw, t []byte) int {
	b := r.b
	switch {
	case i <= b.start:
		return Core
	case len(t) == 0 || isRuleLine(t):
		return Minor
	case isFrame(raw):
		return r.rankFrame(t)
	case isMarkedSource(t) && b.mode != pytestBlock:
		r.ended = true
		r.marked = i
		return Core
	case r.marked >= 0 && i == r.marked+1 && isCodeFrame(t):
		return Telling
	case isCodeFrame(t):
		r.ended = true
		return Context
	case !r.ended && r.places == 0 && b.mode != pytestBlock && hasPlaceIn(t):
		r.places++
		return Core
	case isTellingText(raw):
		return r.rankTold(raw, t)
	case b.mode == pytestBlock:
		return rankPytest(raw)
	case !r.ended:
		r.message++
		if r.all > 0 { // other lines tell more
			return rankNth(r.message, 0, moreMessage)
		}
		return rankNth(r.message, coreMessage, moreMessage)
	}
	return Minor
}

// rankTold ranks a line that tells what differs. Each sort has its share: what is missing, what is
// too much, the words about it, and the rest of pytest's message.
func (r *ranker) rankTold(raw, t []byte) int {
	sort := 0
	if raw[0] == 'E' && len(raw) > 1 && !isLetter(raw[1]) {
		t = bytes.TrimSpace(raw[1:])
		if r.told[0] > 0 {
			sort = 3
		}
		if len(t) > 0 && t[0] == '?' || isPointer(t) {
			return Context
		}
	}
	switch {
	case len(t) > 0 && t[0] == '-':
		sort = 1
	case len(t) > 0 && t[0] == '+':
		sort = 2
	case sort == 3 && isTellingText(t):
		sort = 0
	}
	r.told[sort]++
	r.count++
	rank := rankNth(r.told[sort], coreTold, moreTold)
	if r.count >= r.all-1 { // the last ones
		rank = min(rank, Telling)
	}
	return rank
}

func isRuleLine(t []byte) bool { return isMadeOf(t, '-', 4) || isMadeOf(t, '=', 4) }

func (r *ranker) rankFrame(t []byte) int {
	r.ended = true
	if !isOwnFrame(t) {
		return Minor
	}
	if r.frames++; r.frames == 1 {
		return Core
	}
	return Context
}

// rankPytest ranks a line of pytest's: the source is context, the place at the end tells.
func rankPytest(raw []byte) int {
	if raw[0] == ' ' || raw[0] == '\t' {
		return Context
	}
	if _, ok := readPlace(raw); ok {
		return Core
	}
	return Minor
}

// rankPlaces leaves of the places of a pytest block the first, which is the test's, and the last,
// where it happened, with the source below them.
func (b *Block) rankPlaces() {
	var places []int
	for i := b.start + 1; i < len(b.Lines); i++ {
		if _, ok := readPlace([]byte(b.Lines[i].Text)); ok && b.Lines[i].Rank == Core && b.Lines[i].Text[0] != ' ' {
			places = append(places, i)
		}
	}
	for n, i := range places {
		if n > 0 && n < len(places)-1 {
			b.Lines[i].Rank = Context
		} else if i+1 < len(b.Lines) && countIndent([]byte(b.Lines[i+1].Text)) == 4 && strings.Contains(b.Lines[i].Text, ": in ") {
			b.Lines[i+1].Rank = Core
		}
	}
}

// rankTraceback finds the frames of Python's traceback that tell: the user's first and last, with
// their source; and the error after them.
func (b *Block) rankTraceback() {
	var own []int
	last := -1
	for i := b.start + 1; i < len(b.Lines); i++ {
		t := []byte(strings.TrimSpace(b.Lines[i].Text))
		if !hasPrefix(t, `File "`) {
			continue
		}
		last = i
		if isOwnFrame(t) {
			own = append(own, i)
		}
		b.Lines[i].Rank = Context
	}
	if last < 0 {
		return
	}
	if len(own) == 0 {
		own = append(own, last)
	}
	for i := b.start + 1; i <= last+1 && i < len(b.Lines); i++ {
		if l := &b.Lines[i]; countIndent([]byte(l.Text)) > 2 && !isBlank([]byte(l.Text)) {
			l.Rank = Context
		}
	}
	first := own[0]
	if b.mode == traceback {
		first = own[len(own)-1]
	}
	for _, i := range []int{first, own[len(own)-1]} {
		for j := i; j <= i+1 && j < len(b.Lines); j++ {
			b.Lines[j].Rank = Core
		}
	}
	b.rankErrorAfter(last)
}

// rankErrorAfter ranks the error that follows the last frame.
func (b *Block) rankErrorAfter(last int) {
	n := 0
	for i := last + 1; i < len(b.Lines); i++ {
		l := &b.Lines[i]
		raw := []byte(l.Text)
		switch {
		case isBlank(raw) || isRuleLine(bytes.TrimSpace(raw)), i == last+1 && countIndent(raw) > 2:
		case isCaret(raw):
			l.Rank = Telling
		default:
			n++
			l.Rank = min(l.Rank, rankNth(n, coreMessage, moreMessage))
		}
	}
}
