package feedback

import (
	"fmt"
	"reflect"
	"strings"
	"text/template/parse"

	"mulligan"
)

// CheckTemplate returns what is wrong with a user's template of a loop's prompt, with the line:
// it parses the template, looks up every field that the template names, and executes it for a
// session's first iteration and for one with something in every field.
func CheckTemplate(text string) error {
	t, err := parseTemplate(text)
	if err != nil {
		return err
	}
	known := collectFieldNames(reflect.TypeFor[LoopData](), map[string]bool{})
	for _, part := range t.Templates() {
		if part.Tree == nil {
			continue
		}
		if err := checkFields(part.Tree, known); err != nil {
			return err
		}
	}
	for _, d := range []LoopData{{Name: "name", Path: "SPEC.md", Spec: "text", Iteration: 1}, sampleData()} {
		if _, err := executeTemplate(t, d); err != nil {
			return err
		}
	}
	return nil
}

// collectFieldNames adds the names of all that a template can reach from a type.
func collectFieldNames(t reflect.Type, names map[string]bool) map[string]bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return names
	}
	for i := range t.NumField() {
		names[t.Field(i).Name] = true
		collectFieldNames(t.Field(i).Type, names)
	}
	for i := range t.NumMethod() {
		names[t.Method(i).Name] = true
	}
	return names
}

// checkFields returns an error for a name that no data has, also in branches that executing does
// not reach. Whether a name stands in the right place only executing can tell.
func checkFields(tree *parse.Tree, known map[string]bool) (err error) {
	walkNodes(reflect.ValueOf(tree.Root), func(n parse.Node) {
		var idents []string
		switch n := n.(type) {
		case *parse.FieldNode:
			idents = n.Ident
		case *parse.VariableNode:
			idents = n.Ident[1:]
		case *parse.ChainNode:
			idents = n.Field
		}
		for _, name := range idents {
			if !known[name] && err == nil {
				place, _ := tree.ErrorContext(n) // "name:line:column"
				parts := strings.Split(place, ":")
				err = fmt.Errorf("line %s: there is no field .%s (`mulligan prompt --help` names them)", parts[max(len(parts)-2, 0)], name)
			}
		}
	})
	return err
}

// walkNodes visits every node of a template, in its order.
func walkNodes(v reflect.Value, visit func(parse.Node)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() || v.Type() == reflect.TypeFor[*parse.Tree]() {
			return
		}
		if n, ok := v.Interface().(parse.Node); ok && v.Kind() == reflect.Pointer {
			visit(n)
		}
		walkNodes(v.Elem(), visit)
	case reflect.Slice:
		for i := range v.Len() {
			walkNodes(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walkNodes(v.Field(i), visit)
			}
		}
	}
}

// sampleData returns data with something in every field.
func sampleData() LoopData {
	task := LoopTask{ID: 3, Content: "a task", Status: "in_progress", Priority: 1, Waits: []int{1, 2}, Reason: "a reason", Iteration: 1}
	return LoopData{
		Session: "20260101-000000-name", Name: "name", Spec: "text", Path: "SPEC.md", Iteration: 3, Limit: 20,
		Counts:    mulligan.TasksByStatus{All: 9, Remaining: 4, InProgress: 1, Completed: 2, Blocked: 1, Cancelled: 1},
		Summaries: []LoopSummary{{Iteration: 2, Text: "a summary"}}, SummariesMore: 1,
		Next: &task, Open: []LoopTask{task}, OpenMore: 2, Blocked: []LoopTask{task}, BlockedMore: 1,
		Notes:   []LoopNotes{{Type: "decision", Title: "Decisions", Notes: []LoopNote{{ID: 1, Text: "a note", Iteration: 1}}, More: 1}},
		Changed: []string{"M main.go"}, ChangedMore: 3,
		Checks: []string{"go test ./..."}, FinalChecks: []string{"make e2e"}, Passed: true, Feedback: "the checks failed", Refused: true,
		Told: []string{"a message"}, ToldMore: 1,
		Answers: []LoopAnswer{{Question: "which?", Answer: "this", Assumed: true}}, AnswersMore: 1,
	}
}
