package feedback

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestUsersTemplate(t *testing.T) {
	st := busyState()
	st.Plan.Loop.Prompt = `{{.Name}} {{.Iteration}}/{{.Limit}} ({{.Session}})
{{limit 10 .Spec}}
{{with .Next}}{{.ID}}: {{indent 4 .Content}}{{end}}
{{range .Blocked}}{{.ID}} after {{join "+" .Waits}}; {{end}}
{{range .Notes}}{{.Type}}:{{range .Notes}} [{{.Text}}]{{end}} {{end}}
{{join ", " .Changed}} {{range .Checks}}{{code .}}{{end}} {{len .Open}} open
{{define "told"}}{{range .Told}}> {{.}}
{{end}}{{end}}{{template "told" .}}
`
	golden(t, "loop-template", loopPrompt(t, st, "M a", "A b"))
}

func TestBuiltInTemplateIsRight(t *testing.T) {
	if err := CheckTemplate(LoopTemplate()); err != nil {
		t.Error(err)
	}
}

func TestCheckTemplate(t *testing.T) {
	for text, want := range map[string]string{
		"{{.Spec}}":                               "",
		"plain":                                   "",
		"{{range .Open}}{{.ID}}{{end}}x":          "",
		"{{range .Answers}}{{.By}}{{end}}x":       "",
		"one\n{{.Spec":                            "line 2: unclosed action",
		"one\n\n{{nosuch .Spec}}":                 `line 3: function "nosuch" not defined`,
		"one\n{{.Speck}}":                         "line 2: there is no field .Speck",
		"{{if gt .Iteration 99}}\n{{.X}}{{end}}":  "line 2: there is no field .X",
		"{{define \"a\"}}\n{{.X}}{{end}}y":        "line 2: there is no field .X",
		"{{with $d := .}}{{$d.Nope}}{{end}}x":     "line 1: there is no field .Nope",
		"{{(index .Open 0).Nope}}x":               "line 1: there is no field .Nope",
		"a\n{{.Content}}":                         "line 2: <.Content>: can't evaluate field Content",
		"a\n{{range .Open}}\n{{.Spec}}{{end}}":    "line 3: <.Spec>: can't evaluate field Spec",
		"a{{.Next.ID}}":                           "line 1: <.Next.ID>: nil pointer evaluating",
		"{{join \",\" .Iteration}}x":              "join wants a list",
		"":                                        "it gives an empty prompt",
		"{{if .Told}}x{{end}}":                    "it gives an empty prompt",
		"{{range 100000}}0123456789abcdef{{end}}": "it gives more than 1.0 MB beside the specification",
		"{{template \"x\"}}":                      `line 1: `,
		"{{define \"a\"}}{{template \"a\"}}{{end}}{{template \"a\"}}": "exceeded maximum template depth",
	} {
		err := CheckTemplate(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// A template that fails on a later iteration is an error of that prompt, not a half of one.
func TestTemplateFailsWhileItRuns(t *testing.T) {
	st := loopState()
	st.Plan.Loop.Prompt = "begin\n{{.Next.ID}}"
	got, err := Prompter{}.LoopPrompt(st, nil)
	if err == nil || got != "" || !strings.Contains(err.Error(), "the template of the loop's prompt: line 2: ") {
		t.Errorf("got %q, %v", got, err)
	}
}

func FuzzCheckTemplate(f *testing.F) {
	f.Add(LoopTemplate())
	f.Add("{{range $i, $n := .Notes}}{{$n.More}}{{break}}{{end}}")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 || strings.Contains(text, "range") && strings.ContainsAny(text, "0123456789") {
			return // a count of a thousand million is its author's to wait for
		}
		if CheckTemplate(text) == nil {
			if got, err := renderTemplate(text, sampleData()); err != nil || strings.TrimSpace(got) == "" {
				t.Errorf("%q was found right, and gives %q, %v", text, got, err)
			}
		}
	})
}

// What a template is applied to is documented where people look for it.
func TestFieldsAreDocumented(t *testing.T) {
	for _, path := range []string{"../docs/prompts.md", "../internal/cli/prompt.go"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for name := range collectFieldNames(reflect.TypeFor[LoopData](), map[string]bool{}) {
			if !regexp.MustCompile(`\.` + name + `\b`).Match(text) {
				t.Errorf("%s does not name .%s", path, name)
			}
		}
		for name := range templateFunctions() {
			if !regexp.MustCompile(name + " (N|TEXT|SEPARATOR)").Match(text) {
				t.Errorf("%s does not name %s", path, name)
			}
		}
	}
}
