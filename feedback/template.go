package feedback

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"text/template"

	"mulligan/internal/text"
)

//go:embed loop.tmpl
var loopTemplate string

// LoopTemplate returns the built-in template of a loop's prompt.
func LoopTemplate() string { return loopTemplate }

// maxTemplated is how many bytes a template may write beside the specification: a range
// within a range is soon more than any agent reads.
const maxTemplated = 1 << 20

// templateName is how text/template's errors name a template.
const templateName = "prompt"

// renderTemplate executes a template. What the data hold is never read as a template.
func renderTemplate(text string, d LoopData) (string, error) {
	t, err := parseTemplate(text)
	if err != nil {
		return "", err
	}
	return executeTemplate(t, d)
}

// parseTemplate reads a template, with the functions that it may call.
func parseTemplate(text string) (*template.Template, error) {
	t, err := template.New(templateName).Funcs(templateFunctions()).Parse(text)
	if err != nil {
		return nil, rewordTemplateError(err)
	}
	return t, nil
}

func executeTemplate(t *template.Template, d LoopData) (string, error) {
	out := boundedBuilder{room: maxTemplated + len(d.Spec)}
	if err := t.Execute(&out, d); err != nil {
		return "", rewordTemplateError(err)
	}
	prompt := strings.TrimSpace(out.b.String())
	if prompt == "" {
		return "", errors.New("it gives an empty prompt")
	}
	return prompt, nil
}

// A boundedBuilder takes so many bytes, and refuses more.
type boundedBuilder struct {
	b    strings.Builder
	room int
}

func (w *boundedBuilder) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, fmt.Errorf("it gives more than %s beside the specification", formatSize(maxTemplated))
	}
	return w.b.Write(p)
}

// templateFunctions returns what a template may call besides text/template's own functions.
func templateFunctions() template.FuncMap {
	return template.FuncMap{
		"indent": indentLines,
		"limit":  func(n int, s string) string { return text.Clip(s, max(n, 0)) },
		"join":   joinList,
		"code":   quoteCode,
		"fence":  fence,
	}
}

// indentLines puts n blanks before every line but the first, so that a text of several lines
// stays one entry of a list.
func indentLines(n int, text string) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", min(max(n, 0), 80)))
}

// joinList returns a list of texts or numbers as one text.
func joinList(separator string, list any) (string, error) {
	switch list := list.(type) {
	case []string:
		return strings.Join(list, separator), nil
	case []int:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", separator), nil
	}
	return "", fmt.Errorf("join wants a list of texts or of numbers, not %T", list)
}

// rewordTemplateError returns an error of text/template with its line and without the words that
// name the package.
func rewordTemplateError(err error) error {
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
