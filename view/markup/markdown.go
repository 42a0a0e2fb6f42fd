package markup

import (
	"html"
	"html/template"
	"net/url"
	"strings"

	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/parser"

	"mulligan/internal/text"
	"mulligan/view"
)

const (
	// maxMarkdown is how many bytes of a text are read as Markdown. More of it is a document that nobody reads on a
	// page.
	maxMarkdown = 64 << 10
	// maxOpeners is how many characters of a text of more than shortMarkdown bytes may open something that ends
	// later. For each the parser looks for its end in all that follows.
	maxOpeners    = 1_000
	shortMarkdown = 2 << 10
)

// Links is what becomes of the links of a text.
type Links bool

const (
	// WithLinks lets a person follow links to http, https and mailto.
	WithLinks Links = true
	// WithoutLinks shows where a link points to as text.
	WithoutLinks Links = false
)

// Markdown returns a text in Markdown as HTML. HTML in the text is shown as text, pictures are not loaded, and
// headings begin at the third level, below those of the page. A text that is too long stays plain.
func Markdown(s string, links Links) template.HTML {
	s = view.Document(s)
	if isTooLong(s) {
		return template.HTML(`<pre class="plain">` + html.EscapeString(text.Clip(s, 4*maxMarkdown)) + `</pre>`)
	}
	p := parser.NewWithExtensions(parser.NoIntraEmphasis | parser.Tables | parser.FencedCode | parser.Autolink |
		parser.Strikethrough | parser.SpaceHeadings | parser.BackslashLineBreak | parser.NoEmptyLineBeforeBlock)
	w := markdownWriter{links: links}
	ast.WalkFunc(p.Parse([]byte(s)), w.visit)
	return template.HTML(w.out.String())
}

// isTooLong reports whether it could take too long to parse a text.
func isTooLong(s string) bool {
	openers := 0
	for i := range len(s) {
		if s[i] == '[' || s[i] == '`' || s[i] == '<' {
			openers++
		}
	}
	return len(s) > maxMarkdown || len(s) > shortMarkdown && openers > maxOpeners
}

// A markdownWriter writes the nodes of a parsed text.
type markdownWriter struct {
	out   strings.Builder
	links Links
}

func (w *markdownWriter) visit(node ast.Node, entering bool) ast.WalkStatus {
	if tag := tagOf(node); tag != "" {
		w.writeTag(tag, entering)
		return ast.GoToNext
	}
	switch n := node.(type) {
	case *ast.Link:
		w.writeLink(n, entering)
	case *ast.Image:
		if entering {
			w.out.WriteString(`<span class="image">`)
		} else {
			w.out.WriteString(`</span>`)
		}
	default:
		if entering {
			w.writeLeaf(node)
		}
	}
	return ast.GoToNext
}

// tagOf returns the tag of a node that needs nothing else, "" for any other node.
func tagOf(node ast.Node) string {
	switch n := node.(type) {
	case *ast.Paragraph:
		if isTightItem(n) {
			return ""
		}
		return "p"
	case *ast.BlockQuote:
		return "blockquote"
	case *ast.List:
		if n.ListFlags&ast.ListTypeOrdered != 0 {
			return "ol"
		}
		return "ul"
	case *ast.ListItem:
		return "li"
	case *ast.Heading:
		return []string{"h3", "h4", "h5", "h6"}[min(max(n.Level, 1), 4)-1]
	case *ast.Emph:
		return "em"
	case *ast.Strong:
		return "strong"
	case *ast.Del:
		return "del"
	case *ast.Table:
		return "table"
	case *ast.TableHeader:
		return "thead"
	case *ast.TableBody:
		return "tbody"
	case *ast.TableRow:
		return "tr"
	case *ast.TableCell:
		if n.IsHeader {
			return "th"
		}
		return "td"
	}
	return ""
}

// isTightItem reports whether a paragraph is the text of a list's item that has no empty lines around it.
func isTightItem(p *ast.Paragraph) bool {
	item, ok := p.Parent.(*ast.ListItem)
	if !ok {
		return false
	}
	list, ok := item.Parent.(*ast.List)
	return ok && list.Tight
}

func (w *markdownWriter) writeTag(tag string, entering bool) {
	if entering {
		w.out.WriteString("<" + tag + ">")
		return
	}
	w.out.WriteString("</" + tag + ">")
	if !strings.Contains(" em strong del td th ", " "+tag+" ") {
		w.out.WriteString("\n")
	}
}

// writeLeaf writes a node that contains no other.
func (w *markdownWriter) writeLeaf(node ast.Node) {
	switch n := node.(type) {
	case *ast.CodeBlock:
		w.out.WriteString("<pre><code>" + html.EscapeString(string(n.Literal)) + "</code></pre>\n")
	case *ast.Code:
		w.out.WriteString("<code>" + html.EscapeString(string(n.Literal)) + "</code>")
	case *ast.HorizontalRule:
		w.out.WriteString("<hr>\n")
	case *ast.Hardbreak:
		w.out.WriteString("<br>\n")
	case *ast.HTMLBlock:
		w.out.WriteString("<p>" + html.EscapeString(string(n.Literal)) + "</p>\n")
	default:
		if leaf := node.AsLeaf(); leaf != nil {
			w.out.WriteString(html.EscapeString(string(leaf.Literal)))
		}
	}
}

// writeLink writes the beginning or the end of a link. One to anything but a page or a mail address is text.
func (w *markdownWriter) writeLink(n *ast.Link, entering bool) {
	target := string(n.Destination)
	switch safe := isSafeLink(target); {
	case w.links == WithLinks && safe && entering:
		w.out.WriteString(`<a href="` + html.EscapeString(target) + `" rel="noopener noreferrer">`)
	case w.links == WithLinks && safe:
		w.out.WriteString("</a>")
	case !entering && target != linkText(n):
		w.out.WriteString(" (" + html.EscapeString(target) + ")")
	}
}

// linkText returns the text of a link that has no other nodes.
func linkText(n *ast.Link) string {
	if len(n.Children) != 1 || n.Children[0].AsLeaf() == nil {
		return ""
	}
	return string(n.Children[0].AsLeaf().Literal)
}

func isSafeLink(target string) bool {
	u, err := url.Parse(target)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}
