package report

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan"
)

// What is kept of an output's failures. A verdict with all of them has to fit
// into one event of the journal beside the distilled text.
const (
	maxItems    = 200
	maxName     = 200      // bytes of an item's name
	maxTitle    = 2000     // bytes of a line that is looked at for a name
	maxLines    = 8        // lines of an item's message
	maxLine     = 200      // bytes of each of these
	maxMessages = 12 << 10 // bytes of all messages together; items after that go without
)

// A failure is an item as it is being read: its message grows line by line.
type failure struct {
	name    string
	scope   string // package, file: what tells two items of the same name apart
	place   string
	message messageBlock
}

// A failureList is the failing items in order, bounded.
type failureList struct {
	items []*failure
	more  int
}

// addItem adds and returns a new item. It never returns nil: an item over the bound is counted,
// and its message is not reported.
func (l *failureList) addItem(name, scope, place string) *failure {
	f := &failure{name: clipName(name), scope: clipBytes(scope, maxName), place: clipBytes(place, maxName)}
	if len(l.items) >= maxItems {
		l.more++
		return f
	}
	l.items = append(l.items, f)
	return f
}

// removeItem takes an item out again.
func (l *failureList) removeItem(f *failure) {
	if i := slices.Index(l.items, f); i >= 0 {
		l.items = slices.Delete(l.items, i, i+1)
		return
	}
	l.more--
}

func (l *failureList) findItem(name, scope string) *failure {
	name = clipName(name)
	for _, f := range l.items {
		if f.name == name && f.scope == scope {
			return f
		}
	}
	return nil
}

// makeItems returns the items, and how many more there are. A name that occurs in several scopes
// has its scope before it.
func (l *failureList) makeItems() ([]mulligan.Item, int) {
	scopes := map[string]string{}
	twice := map[string]bool{}
	for _, f := range l.items {
		if s, ok := scopes[f.name]; ok && s != f.scope {
			twice[f.name] = true
		}
		scopes[f.name] = f.scope
	}
	items := make([]mulligan.Item, 0, len(l.items))
	spent := 0
	for _, f := range l.items {
		it := mulligan.Item{Name: f.name, Place: f.place, Message: f.message.String()}
		if twice[f.name] && f.scope != "" {
			it.Name = f.scope + "." + f.name
		}
		if spent += len(it.Message); spent > maxMessages {
			it.Message = ""
		}
		items = append(items, it)
	}
	return items, l.more
}

// A messageBlock is a message of a few lines: the first ones, and the very last, because some
// runners log before they fail.
type messageBlock struct {
	lines []string
	last  string
	cut   bool
}

func (b *messageBlock) addLine(line []byte) {
	if len(b.lines) >= maxLines-1 {
		b.cut = b.cut || b.last != ""
		b.last = clipLine(line)
		return
	}
	b.lines = append(b.lines, clipLine(line))
}

func (b *messageBlock) isEmpty() bool { return len(b.lines) == 0 }

func (b *messageBlock) String() string {
	lines := slices.Clone(b.lines)
	if b.cut {
		lines = append(lines, "…")
	}
	if b.last != "" {
		lines = append(lines, b.last)
	}
	return strings.TrimSpace(strings.Join(dedentLines(lines), "\n"))
}

// dedentLines takes out the indentation that all lines share.
func dedentLines(lines []string) []string {
	shared := -1
	for _, l := range lines {
		if rest := strings.TrimLeft(l, " \t"); rest != "" && rest != "…" {
			if n := len(l) - len(rest); shared < 0 || n < shared {
				shared = n
			}
		}
	}
	if shared <= 0 {
		return lines
	}
	for i, l := range lines {
		lines[i] = strings.TrimRight(l[min(shared, len(l)-len(strings.TrimLeft(l, " \t"))):], " \t")
	}
	return lines
}

// clipLine returns as much of a line as a message may need.
func clipLine(line []byte) string {
	return clipBytes(string(line[:min(len(line), maxLine+utf8.UTFMax)]), maxLine)
}

// clipTitle returns as much of a line as the name of a test may need.
func clipTitle(line []byte) string { return clipName(string(line[:min(len(line), maxTitle)])) }

// clipName cuts a name in its middle: tests of one suite differ at the end.
func clipName(name string) string {
	name = strings.TrimRight(name, " \t")
	if len(name) <= maxName {
		return strings.ToValidUTF8(name, "")
	}
	const head = maxName / 2
	return strings.ToValidUTF8(name[:head-len("…")], "") + "…" + strings.ToValidUTF8(name[len(name)-head:], "")
}

// clipBytes cuts a text to at most n bytes, never inside a character. A text that it cuts ends
// in "…".
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "")
	}
	cut := n - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.ToValidUTF8(s[:cut], "") + "…"
}
