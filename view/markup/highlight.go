package markup

import (
	"html"
	"strings"

	"github.com/alecthomas/chroma/v2"
)

const (
	maxColored     = 5_000 // lines of a file's changes that are coloured
	maxColoredLine = 1_000 // bytes of a line: a file with a longer one stays plain
)

// A highlighter colours the lines of a file's changes. Its lexer is nil for a file that stays plain.
type highlighter struct{ lexer chroma.Lexer }

// newHighlighter returns a highlighter for a file: by its name, unless it is huge.
func newHighlighter(f FileChange) highlighter {
	lines := 0
	for _, h := range f.Hunks {
		lines += len(h.Lines)
		for _, line := range h.Lines {
			if len(line.Text) > maxColoredLine {
				return highlighter{}
			}
		}
	}
	if lines > maxColored {
		return highlighter{}
	}
	return highlighter{lexer: lexerFor(f.Name())}
}

// hunk returns the lines of a hunk as HTML. Each side is coloured as one text, so that a comment of several lines
// is seen as one.
func (c highlighter) hunk(h Hunk) []string {
	texts := make([]string, len(h.Lines))
	for i, line := range h.Lines {
		texts[i] = html.EscapeString(showHidden(line.Text))
	}
	if c.lexer == nil {
		return texts
	}
	c.colorSide(h, texts, Removed)
	c.colorSide(h, texts, Added)
	return texts
}

// colorSide colours the lines of a hunk that are the same on both sides, and those of one side.
func (c highlighter) colorSide(h Hunk, texts []string, side LineKind) {
	var at []int
	var source []string
	for i, line := range h.Lines {
		if line.Kind == Same || line.Kind == side {
			at = append(at, i)
			source = append(source, showHidden(line.Text))
		}
	}
	colored := c.color(source)
	for i, line := range colored {
		texts[at[i]] = line
	}
}

// color returns lines of source as HTML, or nil if the lexer does not return what it was given.
func (c highlighter) color(source []string) []string {
	tokens, err := chroma.Tokenise(c.lexer, &chroma.TokeniseOptions{State: "root"}, strings.Join(source, "\n"))
	if err != nil {
		return nil
	}
	var out []string
	var line, plain strings.Builder
	end := func() bool {
		i := len(out)
		out = append(out, line.String())
		same := i < len(source) && plain.String() == source[i]
		line.Reset()
		plain.Reset()
		return same
	}
	for _, token := range tokens {
		for i, part := range strings.Split(token.Value, "\n") {
			if i > 0 && !end() {
				return nil
			}
			plain.WriteString(part)
			if part != "" {
				writeSpan(&line, classOf(token.Type), part)
			}
		}
	}
	if !end() || len(out) != len(source) {
		return nil
	}
	return out
}

// classOf returns the class of a token, "" if it is shown as plain text.
func classOf(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "h-comment"
	case t == chroma.KeywordType:
		return "h-type"
	case t.InCategory(chroma.Keyword):
		return "h-keyword"
	case t.InSubCategory(chroma.LiteralString):
		return "h-string"
	case t.InSubCategory(chroma.LiteralNumber):
		return "h-number"
	case t == chroma.NameFunction, t == chroma.NameTag, t == chroma.NameAttribute, t == chroma.GenericHeading:
		return "h-name"
	}
	return ""
}
