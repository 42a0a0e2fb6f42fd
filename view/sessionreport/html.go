package sessionreport

import (
	"embed"
	"html/template"
	"io"
	"strings"
	"sync"

	"mulligan/view/markup"
	"mulligan/view/plot"
	"mulligan/view/timeline"
)

//go:embed report.html report.css
var files embed.FS

// page is the template of the HTML form, parsed when it is first used.
var page = sync.OnceValues(func() (*template.Template, error) {
	return template.New("report.html").Funcs(template.FuncMap{
		"markdown": markup.Markdown,
		"ansi":     markup.ANSI,
		"diff":     markup.Diff,
		"sign":     timeline.Verdict.Sign,
		"tone":     toneOf,
		"long":     func(s string, most int) bool { return len(s) > most },
	}).ParseFS(files, "report.html")
})

// toneOf returns the name of a verdict's colour.
func toneOf(v timeline.Verdict) string {
	switch v {
	case timeline.Passed:
		return "verified"
	case timeline.Failed:
		return "failed"
	case timeline.Running:
		return "running"
	case timeline.Broken, timeline.Accepted:
		return "waiting"
	case timeline.Cut, timeline.Done:
	}
	return "muted"
}

// HTML writes the report as one HTML file, which needs nothing else.
func (r *Report) HTML(w io.Writer) error {
	t, err := page()
	if err != nil {
		return err
	}
	style, err := files.ReadFile("report.css")
	if err != nil {
		return err
	}
	picture := plot.Session(r.line, r.now)
	return t.Execute(w, struct {
		*Report
		Style    template.CSS
		Timeline plot.Picture
		Changes  template.HTML
	}{r, template.CSS(strings.TrimSpace(string(style)) + "\n" + markup.Style), picture, markup.Diff(r.Patch)})
}
