package markup

import (
	"fmt"
	"html"
	"html/template"
	"strconv"
	"strings"
	"time"

	"mulligan/internal/text"
)

// foldedLines is how many lines of a file's changes are shown at once: a file with more is folded.
const foldedLines = 400

// Diff returns a patch as HTML: a <details> for each file, with a table of its lines. It returns "" for a patch
// that changes nothing.
func Diff(patch string) template.HTML { return DiffFiles(ReadPatch(patch)) }

// DiffFiles returns the changes of files as HTML.
func DiffFiles(files []FileChange) template.HTML {
	var b strings.Builder
	until := time.Now().Add(colorTime)
	for _, f := range files {
		writeFile(&b, f, false, until)
	}
	return template.HTML(b.String())
}

// countLines returns how many lines of a file's changes are shown.
func countLines(f FileChange) int {
	n := 0
	for _, h := range f.Hunks {
		n += len(h.Lines)
	}
	return n
}

// writeFile writes the changes of a file; split says that both sides are also written next to each other.
// What is not coloured until then stays plain.
func writeFile(b *strings.Builder, f FileChange, split bool, until time.Time) {
	class := "diff-file"
	if split {
		class += " diff-both"
	}
	b.WriteString(`<details class="` + class + `"`)
	if countLines(f) <= foldedLines {
		b.WriteString(` open`)
	}
	b.WriteString(`><summary><span class="diff-name">`)
	if f.Old != "" && f.Old != f.Name() {
		b.WriteString(showName(f.Old) + " → ")
	}
	b.WriteString(showName(f.Name()) + `</span>`)
	if f.Status != "changed" {
		b.WriteString(` <span class="diff-status">` + html.EscapeString(f.Status) + `</span>`)
	}
	if f.Added > 0 {
		fmt.Fprintf(b, ` <span class="diff-added">+%d</span>`, f.Added)
	}
	if f.Removed > 0 {
		fmt.Fprintf(b, ` <span class="diff-removed">−%d</span>`, f.Removed)
	}
	b.WriteString(`</summary>`)
	for _, note := range f.Notes {
		b.WriteString(`<p class="diff-note">` + html.EscapeString(showHidden(note)) + `</p>`)
	}
	if f.Binary {
		b.WriteString(`<p class="diff-note">a binary file</p>`)
	}
	if len(f.Hunks) > 0 {
		texts := colorHunks(f, until)
		writeHunks(b, f, texts)
		if split {
			writeSplit(b, f, texts)
		}
	}
	if f.LeftOut > 0 {
		fmt.Fprintf(b, `<p class="diff-note">%s more: the patch is too large to be shown whole</p>`, text.Count(f.LeftOut, "line"))
	}
	b.WriteString("</details>\n")
}

// colorHunks returns the lines of each hunk as HTML.
func colorHunks(f FileChange, until time.Time) [][]string {
	color := newHighlighter(f, until)
	var texts [][]string
	for _, h := range f.Hunks {
		texts = append(texts, color.hunk(h))
	}
	return texts
}

// writeHunks writes the hunks of a file one line below the other. texts are the lines as HTML.
func writeHunks(b *strings.Builder, f FileChange, texts [][]string) {
	b.WriteString(`<table class="diff">`)
	for i, h := range f.Hunks {
		b.WriteString(`<tbody><tr class="diff-hunk"><td></td><td></td><td>` + html.EscapeString(showHidden(h.Header)) + "</td></tr>\n")
		for n, line := range h.Lines {
			class, sign := lineLook(line.Kind)
			b.WriteString(`<tr` + class + `><td>` + showNumber(line.Old) + `</td><td>` + showNumber(line.New) + `</td><td>` + sign + texts[i][n] + "</td></tr>\n")
		}
		b.WriteString("</tbody>")
	}
	b.WriteString("</table>")
}

// lineLook returns the class and the sign of a line.
func lineLook(kind LineKind) (class, sign string) {
	switch kind {
	case Added:
		return ` class="diff-add"`, "+"
	case Removed:
		return ` class="diff-del"`, "-"
	case Remark:
		return ` class="diff-remark"`, " "
	case Same:
	}
	return "", " "
}

func showNumber(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func showName(name string) string {
	return html.EscapeString(text.Clip(showHidden(strings.ReplaceAll(name, "\n", "␤")), 300))
}
