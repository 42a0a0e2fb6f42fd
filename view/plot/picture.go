// Package plot draws a session's timeline as SVG: colours are custom properties with a default each, text is text, and
// nothing needs a script. The picture comes with its figures as a table.
package plot

import (
	"fmt"
	"html"
	"html/template"
	"strings"
)

// A Picture is a plot with its words and its table. One without figures has no SVG.
type Picture struct {
	Title   string
	Says    string // one sentence: what it shows
	Figures string // unit, window and n
	SVG     template.HTML
	Header  []string
	Rows    [][]string
}

// Empty reports whether there was nothing to draw.
func (p Picture) Empty() bool { return p.SVG == "" }

// Figure returns the picture as a <figure>, with its table behind a click.
func (p Picture) Figure() template.HTML {
	var b strings.Builder
	b.WriteString(`<figure class="plot">`)
	if p.Empty() {
		b.WriteString(`<figcaption><strong>` + html.EscapeString(p.Title) + `</strong> ` + html.EscapeString(p.Says) + `</figcaption><p class="plot-empty">Nothing to show yet.</p></figure>`)
		return template.HTML(b.String())
	}
	b.WriteString(string(p.SVG) + `<figcaption>` + html.EscapeString(p.Says) + `</figcaption>`)
	b.WriteString(`<details><summary>The figures</summary>` + string(p.Table()) + `</details></figure>`)
	return template.HTML(b.String())
}

// Table returns the picture's figures as a <table>.
func (p Picture) Table() template.HTML {
	var b strings.Builder
	b.WriteString(`<table class="figures"><thead><tr>`)
	for _, h := range p.Header {
		b.WriteString(`<th scope="col">` + html.EscapeString(h) + `</th>`)
	}
	b.WriteString("</tr></thead><tbody>\n")
	for _, row := range p.Rows {
		b.WriteString("<tr>")
		for _, cell := range row {
			b.WriteString("<td>" + html.EscapeString(cell) + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</tbody></table>")
	return template.HTML(b.String())
}

// A Color is one by its meaning.
type Color string

const (
	ink      Color = "ink"
	paper    Color = "paper"
	muted    Color = "muted"
	rule     Color = "line"
	accent   Color = "accent"
	verified Color = "verified"
	failed   Color = "failed"
	waiting  Color = "waiting"
	running  Color = "running"
)

// defaults are the colours on light paper, where a page does not set its own.
var defaults = map[Color]string{
	ink: "#1c1f24", paper: "#ffffff", muted: "#59606b", rule: "#d8dce1", accent: "#0b5cad",
	verified: "#1a7f37", failed: "#b3261e", waiting: "#8a6100", running: "#0b5cad",
}

// css returns the colour as an attribute's value.
func (c Color) css() string { return "var(--" + string(c) + ", " + defaults[c] + ")" }

// width is that of every picture, in its own units: on a phone one is three quarters of a pixel, so that the smallest
// text has nine.
const width = 440

// A canvas collects the shapes of a picture.
type canvas struct{ shapes strings.Builder }

// finish returns the picture of a canvas.
func (c *canvas) finish(height float64, p Picture) Picture {
	var b strings.Builder
	label := p.Title + ". " + p.Says + " " + p.Figures
	fmt.Fprintf(&b, `<svg class="plot-svg" viewBox="0 0 %d %s" width="%d" height="%s" role="img" aria-label="%s" font-family="system-ui, -apple-system, 'Segoe UI', sans-serif" font-size="12">`,
		width, number(height), width, number(height), html.EscapeString(label))
	b.WriteString("\n<title>" + html.EscapeString(p.Title) + "</title>\n")
	fmt.Fprintf(&b, `<defs><pattern id="hatch-session" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2.5" height="6" fill="%s"/></pattern></defs>`+"\n", waiting.css())
	b.WriteString(c.shapes.String())
	b.WriteString("</svg>")
	p.SVG = template.HTML(b.String())
	return p
}

// number returns a coordinate with at most one digit after the point.
func number(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}

// rect draws a rectangle whose title tells what it is.
func (c *canvas) rect(x, y, w, h float64, fill, title string) {
	if w <= 0 || h <= 0 {
		return
	}
	fmt.Fprintf(&c.shapes, `<rect x="%s" y="%s" width="%s" height="%s" rx="1.5" fill="%s"`, number(x), number(y), number(w), number(h), fill)
	if title == "" {
		c.shapes.WriteString("/>\n")
		return
	}
	c.shapes.WriteString("><title>" + html.EscapeString(title) + "</title></rect>\n")
}

// An anchor is which end of a text its place is.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// text writes one line; y is its baseline.
func (c *canvas) text(x, y float64, at anchor, color Color, s string) {
	c.writeText(x, y, at, color, s, "")
}

// strong writes one line in a heavier face.
func (c *canvas) strong(x, y float64, at anchor, color Color, s string) {
	c.writeText(x, y, at, color, s, ` font-weight="600"`)
}

func (c *canvas) writeText(x, y float64, at anchor, color Color, s, more string) {
	fmt.Fprintf(&c.shapes, `<text x="%s" y="%s" text-anchor="%s" fill="%s"%s>%s</text>`+"\n", number(x), number(y), at, color.css(), more, html.EscapeString(s))
}

// line draws a line, dashed if it is not a measured one.
func (c *canvas) line(x1, y1, x2, y2 float64, color Color, wide float64, dashed bool) {
	dash := ""
	if dashed {
		dash = ` stroke-dasharray="4 3"`
	}
	fmt.Fprintf(&c.shapes, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s" stroke-width="%s"%s/>`+"\n", number(x1), number(y1), number(x2), number(y2), color.css(), number(wide), dash)
}

// heading writes the title of a picture, and under it its figures; it returns where the plot begins.
func (c *canvas) heading(title, figures string) float64 {
	fmt.Fprintf(&c.shapes, `<text x="0" y="15" fill="%s" font-size="14" font-weight="600">%s</text>`+"\n", ink.css(), html.EscapeString(title))
	c.text(0, 33, start, muted, figures)
	return 46
}

// textWidth returns about how wide a text of the usual size is.
func textWidth(s string) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case r > 0x2e80:
			w += 13
		case strings.ContainsRune("iljtf.,:;|!' ()[]", r):
			w += 4.6
		case r >= 'A' && r <= 'Z', r == 'm', r == 'w', r == '%':
			w += 9.4
		default:
			w += 7.4
		}
	}
	return w
}

// fit returns a text that is not wider than the room for it.
func fit(s string, room float64) string {
	if textWidth(s) <= room {
		return s
	}
	runes := []rune(s)
	for len(runes) > 1 && textWidth(string(runes))+7 > room {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}
