package markup

import (
	"bytes"
	"html"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"mulligan/internal/text"
	"mulligan/view"
)

const (
	// maxMarkdown is how many bytes of a text are read as Markdown. A text that was made for it takes the parser a second
	// at this length, and four at twice as much.
	maxMarkdown = 32 << 10
	maxPlain    = 256 << 10 // bytes of a longer text that are shown
)

// Markdown returns a text in Markdown as HTML. HTML in the text is shown as text, a link as its text and where it
// points to, pictures are not loaded, and headings begin at the third level, below those of the page. A text that is
// too long stays plain.
func Markdown(s string) template.HTML {
	s = view.Document(s)
	if len(s) > maxMarkdown {
		return template.HTML(`<pre class="plain">` + html.EscapeString(text.Clip(s, maxPlain)) + `</pre>`)
	}
	table := extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))
	reader := goldmark.New(goldmark.WithExtensions(table, extension.Strikethrough))
	reader.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(ownNodes{}, 1)))
	var out bytes.Buffer
	if err := reader.Convert([]byte(s), &out); err != nil {
		return template.HTML(`<pre class="plain">` + html.EscapeString(s) + `</pre>`)
	}
	return template.HTML(strings.Map(func(r rune) rune {
		if !view.IsShown(r) { // a text can name characters by their numbers
			return -1
		}
		return r
	}, out.String()))
}

// ownNodes are the nodes with which a text could do more than be read; goldmark writes the others.
type ownNodes struct{}

// RegisterFuncs is goldmark's renderer.NodeRenderer.
func (ownNodes) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	for _, kind := range []ast.NodeKind{
		ast.KindHeading, ast.KindFencedCodeBlock, ast.KindHTMLBlock, ast.KindRawHTML, ast.KindLink, ast.KindAutoLink, ast.KindImage,
	} {
		to.Register(kind, writeNode)
	}
}

// writeNode writes what comes before the children of a node, or after them.
func writeNode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	var before, after string
	escape := func(text []byte) string { return html.EscapeString(string(text)) }
	switch n := node.(type) {
	case *ast.Heading:
		tag := []string{"h3", "h4", "h5", "h6"}[min(n.Level, 4)-1]
		before, after = "<"+tag+">", "</"+tag+">\n"
	case *ast.FencedCodeBlock:
		before, after = "<pre><code>"+escape(n.Lines().Value(source)), "</code></pre>\n"
	case *ast.HTMLBlock:
		before, after = "<p>"+escape(n.Lines().Value(source)), "</p>\n"
		if n.HasClosure() {
			before += escape(n.ClosureLine.Value(source))
		}
	case *ast.RawHTML:
		before = escape(n.Segments.Value(source))
	case *ast.Link:
		after = " (" + escape(n.Destination) + ")"
	case *ast.AutoLink:
		before = escape(n.Label(source))
	case *ast.Image:
		before, after = `<span class="image">`, `</span>`
	}
	if !entering {
		before = after
	}
	_, err := w.WriteString(before)
	return ast.WalkContinue, err
}
