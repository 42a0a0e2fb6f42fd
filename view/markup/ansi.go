// Package markup makes HTML of what agents, programs and people wrote: output with colours, patches, Markdown.
// Every tag is one that this package writes itself, or goldmark without raw HTML and links; text is always escaped, and
// nothing has a style or a script: colours are classes, whose rules are in Style.
package markup

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan/internal/escape"
	"mulligan/view"
)

const (
	maxOutput = 1 << 20 // bytes of an output that ANSI takes
	maxCells  = 4_000   // characters of a line that ANSI keeps
	tabStop   = 8
)

// ANSI returns what a program printed, for a <pre>: its colours as spans with classes, everything else of
// escape sequences left out. As on a terminal, a carriage return writes over its line. Of more than a
// mebibyte the rest is left out, and the last line says so.
func ANSI(text string) template.HTML {
	left := 0
	if len(text) > maxOutput {
		end := maxOutput
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text, left = text[:end], len(text)-end
	}
	var p painter
	for _, r := range text {
		p.take(r)
	}
	p.endLine()
	if left > 0 {
		fmt.Fprintf(&p.out, "\n"+`<span class="left-out">… %d more bytes</span>`, left)
	}
	return template.HTML(p.out.String())
}

// A painter makes HTML of the characters of an output.
type painter struct {
	out     strings.Builder
	escapes escape.Parser
	look    look
	line    []cell
	cut     bool // the line had more characters than are kept
	restart bool // a carriage return came: the next character begins the line anew
}

// A cell is one character of a line.
type cell struct {
	char rune
	look look
}

func (p *painter) take(r rune) {
	switch p.escapes.Next(r) {
	case escape.Final:
		p.obey(r, string(p.escapes.Params()))
	case escape.Text:
		p.takeText(r)
	case escape.Part:
	}
}

// obey acts on the control sequences that choose colours, and on those that erase a line: progress bars use them.
func (p *painter) obey(final rune, params string) {
	switch {
	case final == 'm':
		p.look = p.look.change(params)
	case final == 'K' && (params == "2" || p.restart):
		p.line, p.cut = p.line[:0], false
	}
}

func (p *painter) takeText(r rune) {
	switch {
	case r == '\n':
		p.endLine()
		p.out.WriteByte('\n')
	case r == '\r':
		p.restart = true
	case r == '\b':
		p.line = p.line[:max(0, len(p.line)-1)]
	case r == '\t':
		p.add(' ')
		for len(p.line)%tabStop != 0 && !p.cut {
			p.add(' ')
		}
	case view.IsShown(r):
		p.add(r)
	}
}

func (p *painter) add(r rune) {
	if p.restart {
		p.line, p.cut, p.restart = p.line[:0], false, false
	}
	if len(p.line) >= maxCells {
		p.cut = true
		return
	}
	p.line = append(p.line, cell{r, p.look})
}

// endLine writes the line, a span for each run of characters that look the same.
func (p *painter) endLine() {
	for rest := p.line; len(rest) > 0; {
		same := slices.IndexFunc(rest, func(c cell) bool { return c.look != rest[0].look })
		if same < 0 {
			same = len(rest)
		}
		var run strings.Builder
		for _, c := range rest[:same] {
			run.WriteRune(c.char)
		}
		writeSpan(&p.out, rest[0].look.classes(), run.String())
		rest = rest[same:]
	}
	if p.cut {
		p.out.WriteString("…")
	}
	p.line, p.cut, p.restart = p.line[:0], false, false
}

// writeSpan writes a text, in a span if it has a class.
func writeSpan(b *strings.Builder, class, text string) {
	if class == "" {
		b.WriteString(html.EscapeString(text))
		return
	}
	b.WriteString(`<span class="` + class + `">` + html.EscapeString(text) + `</span>`)
}
