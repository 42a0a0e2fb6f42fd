package markup

import (
	"html"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

const (
	maxColored     = 5_000 // lines of a file's changes that are coloured
	maxColoredLine = 1_000 // bytes of a line: a file with a longer one stays plain
	// colorTime is how long a patch is coloured, whatever its text does to the lexers: the rest of it stays plain.
	colorTime = 3 * time.Second
)

// A highlighter colours the lines of a file's changes. Its lexer is nil for a file that stays plain.
type highlighter struct {
	lexer chroma.Lexer
	until time.Time
}

// newHighlighter returns a highlighter for a file: by its name, unless it is huge.
func newHighlighter(f FileChange, until time.Time) highlighter {
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
	return highlighter{lexers.Match(f.Name()), until}
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

// color returns lines of source as HTML, or nil if the lexer fails, takes too long, or does not return what it was given.
func (c highlighter) color(source []string) (out []string) {
	defer func() {
		if recover() != nil { // chroma's iterators panic with the faults of their rules
			out = nil
		}
	}()
	rest := strings.Join(source, "\n") + "\n"
	next, err := c.lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, rest)
	if err != nil {
		return nil
	}
	var tokens []chroma.Token
	for token := range next.Stdlib() {
		after, same := strings.CutPrefix(rest, token.Value)
		if !same || time.Now().After(c.until) {
			return nil
		}
		rest, tokens = after, append(tokens, token)
	}
	lines := chroma.SplitTokensIntoLines(tokens)
	if rest != "" || len(lines) != len(source) {
		return nil
	}
	for _, line := range lines {
		out = append(out, colorLine(line))
	}
	return out
}

// colorLine returns the tokens of a line as HTML, neighbours of one class together.
func colorLine(line []chroma.Token) string {
	var colored strings.Builder
	run := ""
	for i, token := range line {
		run += strings.TrimSuffix(token.Value, "\n")
		class := classOf(token.Type)
		if run != "" && (i+1 == len(line) || classOf(line[i+1].Type) != class) {
			writeSpan(&colored, class, run)
			run = ""
		}
	}
	return colored.String()
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
