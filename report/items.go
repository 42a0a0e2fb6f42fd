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
	maxLines    = 8        // lines of an item's message
	maxLine     = 200      // bytes of each of these
	maxMessages = 12 << 10 // bytes of all messages together; items after that go without
)

// found is an item as it is being read: its message grows line by line.
type found struct {
	name    string
	scope   string // package, file: what tells two items of the same name apart
	place   string
	message block
}

// list is the failing items in order, bounded.
type list struct {
	items []*found
	more  int
}

// add takes a new item. It is never nil: what is over the bound is counted, and
// collects its message for nobody.
func (l *list) add(name, scope, place string) *found {
	f := &found{name: clip(name, maxName), scope: clip(scope, maxName), place: clip(place, maxName)}
	if len(l.items) >= maxItems {
		l.more++
		return f
	}
	l.items = append(l.items, f)
	return f
}

// remove takes an item out again.
func (l *list) remove(f *found) {
	if i := slices.Index(l.items, f); i >= 0 {
		l.items = slices.Delete(l.items, i, i+1)
		return
	}
	l.more--
}

func (l *list) find(name, scope string) *found {
	for _, f := range l.items {
		if f.name == name && f.scope == scope {
			return f
		}
	}
	return nil
}

// report makes items of what was found. Names that occur in several scopes are
// told apart by theirs.
func (l *list) report() ([]mulligan.Item, int) {
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

// block is a message of a few lines: the first ones, and the very last, because
// some runners log before they fail.
type block struct {
	lines []string
	last  string
	cut   bool
}

func (b *block) add(line []byte) {
	if b.full() {
		b.cut = b.cut || b.last != ""
		b.last = clip(string(line[:min(len(line), maxLine+utf8.UTFMax)]), maxLine)
		return
	}
	b.lines = append(b.lines, clip(string(line[:min(len(line), maxLine+utf8.UTFMax)]), maxLine))
}

func (b *block) full() bool  { return len(b.lines) >= maxLines-1 }
func (b *block) empty() bool { return len(b.lines) == 0 }

func (b *block) String() string {
	lines := slices.Clone(b.lines)
	if b.cut {
		lines = append(lines, "…")
	}
	if b.last != "" {
		lines = append(lines, b.last)
	}
	return strings.TrimSpace(strings.Join(dedent(lines), "\n"))
}

// dedent takes out the indentation that all lines share.
func dedent(lines []string) []string {
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

// clip cuts a text to at most n bytes, never inside a character, and shows that it did.
func clip(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "")
	}
	cut := n - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.ToValidUTF8(s[:cut], "") + "…"
}
