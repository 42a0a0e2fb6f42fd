package block

import (
	"bytes"
	"strings"
)

// What the shortest whole form of a block may have.
const (
	maxMessageLines = 8
	maxTold         = 16
	maxSourceLines  = 6
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
		case i == b.start:
			l.Rank = Telling
		case len(t) == 0:
			l.Rank = Minor
		case isNoteLine(t):
			notes++
			l.Rank = min(notes-1, Minor)
		case hasAnyPrefix(t, "= help", "help: ", "= help:"):
			notes += 2
			l.Rank = Context
		case string(t) == "|":
			l.Rank = Context + min(notes, 1)
		case notes == 0 && source < maxSourceLines || hasPrefix(t, "--> ") && notes == 0:
			source++
			l.Rank = Telling
		case notes <= 1:
			l.Rank = Context
		default:
			l.Rank = Minor
		}
	}
}

// isNoteLine reports whether a line of a compiler's is a note.
func isNoteLine(t []byte) bool {
	if hasAnyPrefix(t, "= note", "note: ", "required from") {
		return true
	}
	at, ok := readPlace(trimLevel(t))
	return ok && isNote(at.rest)
}

// rankTest ranks the lines of a test, a trace, or anything else.
func (b *Block) rankTest() {
	told := b.countTold()
	message, nth, frames := 0, 0, 0
	ended := false // the message is over
	mark := 0
	for i := range b.Lines {
		l := &b.Lines[i]
		raw := []byte(l.Text)
		t := bytes.TrimSpace(raw)
		switch {
		case i <= b.start:
			l.Rank = Telling
		case len(t) == 0 || isMadeOf(t, '-', 4) || isMadeOf(t, '=', 4):
			l.Rank = Minor
		case isFrame(raw):
			ended = true
			l.Rank = Minor
			if isOwnFrame(t) {
				frames++
				l.Rank = Context
				if frames == 1 && b.mode != traceback {
					l.Rank = Telling
				}
			}
		case isMarkedSource(t) && b.mode != pytestBlock:
			ended = true
			l.Rank = Telling
			mark = i
		case mark > 0 && i == mark+1 && isCaret(raw):
			l.Rank = Telling
		case isCodeFrame(t):
			ended = true
			l.Rank = Context
		case isTellingText(raw):
			nth++
			l.Rank = Telling
			if nth > maxTold-4 && nth <= told-4 {
				l.Rank = Context
			}
		case b.mode == pytestBlock:
			l.Rank = rankPytest(raw)
		case !ended && message < maxMessageLines:
			message++
			l.Rank = Telling
		case ended:
			l.Rank = Minor
		default:
			l.Rank = Context
		}
	}
	b.rankEnd()
}

// countTold returns how many lines tell what differs.
func (b *Block) countTold() int {
	n := 0
	for _, l := range b.Lines[min(b.start+1, len(b.Lines)):] {
		raw := []byte(l.Text)
		if isTellingText(raw) && !isFrame(raw) {
			n++
		}
	}
	return n
}

// rankPytest ranks a line of pytest's: the source is context, the place at the end tells.
func rankPytest(raw []byte) int {
	if raw[0] == ' ' || raw[0] == '\t' {
		return Context
	}
	if _, ok := readPlace(raw); ok {
		return Telling
	}
	return Minor
}

// rankEnd corrects the ranks of the modes in which the end tells most.
func (b *Block) rankEnd() {
	switch b.mode {
	case traceback:
		b.rankTraceback()
	case pytestBlock: // of several places the last is where it happened
		last := true
		for i := len(b.Lines) - 1; i > b.start; i-- {
			l := &b.Lines[i]
			if _, ok := readPlace([]byte(l.Text)); ok && l.Rank == Telling {
				if !last {
					l.Rank = Context
				}
				last = false
			}
		}
	case unittest:
		b.rankTraceback()
	}
}

// rankTraceback makes the last frame and its source tell, and the error after it.
func (b *Block) rankTraceback() {
	own := -1
	for i := len(b.Lines) - 1; i > b.start; i-- {
		t := strings.TrimSpace(b.Lines[i].Text)
		if !strings.HasPrefix(t, `File "`) {
			continue
		}
		if own < 0 || isOwnFrame([]byte(t)) {
			own = i
			if isOwnFrame([]byte(t)) {
				break
			}
		}
	}
	last := -1
	for i := len(b.Lines) - 1; i > b.start && last < 0; i-- {
		if strings.HasPrefix(strings.TrimSpace(b.Lines[i].Text), `File "`) {
			last = i
		}
	}
	for i := b.start + 1; i < len(b.Lines); i++ {
		l := &b.Lines[i]
		t := []byte(strings.TrimSpace(l.Text))
		switch {
		case len(t) == 0 || isMadeOf(t, '-', 4):
			l.Rank = Minor
		case i == own || i == own+1, i == own+2 && isCaret([]byte(l.Text)):
			l.Rank = Telling
		case i > last+1 && last >= 0: // the error and its message
			if l.Rank != Context {
				l.Rank = Telling
			}
			if i > last+maxMessageLines && !isTellingText([]byte(l.Text)) {
				l.Rank = Context
			}
		case hasPrefix(t, "File ") || countIndent([]byte(l.Text)) > 0:
			l.Rank = Context
		}
	}
}
