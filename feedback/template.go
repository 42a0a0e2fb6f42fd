package feedback

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"text/template"
)

//go:embed loop.tmpl
var loopTemplate string

// LoopTemplate is the built-in template of a loop's prompt.
func LoopTemplate() string { return loopTemplate }

// maxTemplated is how many bytes a template may give beside the specification: a range
// within a range is soon more than any agent reads.
const maxTemplated = 1 << 20

// templateName is what the kit's errors call a template.
const templateName = "prompt"

// render runs a template. What the data hold is never looked at as a template.
func render(text string, d LoopData) (string, error) {
	t, err := parseTemplate(text)
	if err != nil {
		return "", err
	}
	return execute(t, d)
}

// parseTemplate reads a template, with the functions that it may call.
func parseTemplate(text string) (*template.Template, error) {
	t, err := template.New(templateName).Funcs(functions()).Parse(text)
	if err != nil {
		return nil, placed(err)
	}
	return t, nil
}

func execute(t *template.Template, d LoopData) (string, error) {
	out := bounded{room: maxTemplated + len(d.Spec)}
	if err := t.Execute(&out, d); err != nil {
		return "", placed(err)
	}
	prompt := strings.TrimSpace(out.b.String())
	if prompt == "" {
		return "", errors.New("it gives an empty prompt")
	}
	return prompt, nil
}

// bounded takes so many bytes and no more.
type bounded struct {
	b    strings.Builder
	room int
}

func (w *bounded) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, fmt.Errorf("it gives more than %s beside the specification", size(maxTemplated))
	}
	return w.b.Write(p)
}

// functions are what a template may call besides the kit's own.
func functions() template.FuncMap {
	return template.FuncMap{
		"indent": indent,
		"limit":  func(n int, text string) string { return clip(text, max(n, 0)) },
		"join":   joined,
		"code":   code,
		"fence":  fence,
	}
}

// indent puts n blanks before every line but the first, so that a text of several lines
// stays one entry of a list.
func indent(n int, text string) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", min(max(n, 0), 80)))
}

// joined writes a list of texts or numbers as one.
func joined(separator string, list any) (string, error) {
	switch list := list.(type) {
	case []string:
		return strings.Join(list, separator), nil
	case []int:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", separator), nil
	}
	return "", fmt.Errorf("join wants a list of texts or of numbers, not %T", list)
}

// placed says where in the template an error is, without the kit's own words for it.
func placed(err error) error {
	rest, ok := strings.CutPrefix(err.Error(), "template: "+templateName+":")
	if !ok {
		return errors.New(strings.TrimPrefix(err.Error(), "template: "))
	}
	line, what, _ := strings.Cut(rest, ":")
	if column, after, ok := strings.Cut(what, ":"); ok && strings.Trim(column, "0123456789") == "" {
		what = after
	}
	return fmt.Errorf("line %s: %s", line, strings.TrimPrefix(strings.TrimSpace(what), `executing "`+templateName+`" at `))
}
