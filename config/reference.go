package config

import (
	"fmt"
	"io"
	"strings"
)

// Reference writes the table for people, as Markdown: every key with what it takes, its
// default and its line of doc.
func (s *Schema) Reference(w io.Writer) error {
	rows := []string{"| key | takes | default | |", "|---|---|---|---|"}
	list(s.root.Fields, "", false, &rows)
	_, err := fmt.Fprintln(w, strings.Join(rows, "\n"))
	return err
}

func list(fields []Field, path string, later bool, rows *[]string) {
	for _, f := range fields {
		name, doc := path+f.Name, f.Doc
		if f.NotYet && !later {
			doc += " (not supported yet)"
		}
		byDefault := ""
		if f.Default != "" {
			byDefault = "`" + f.Default + "`"
		}
		cells := []string{"`" + name + "`", f.Type.noun(), byDefault, doc}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		*rows = append(*rows, "| "+strings.Join(cells, " | ")+" |")
		below(f.Type, name, later || f.NotYet, rows)
	}
}

// below lists what stands under a key: NAME is a name of the user's choice, * any of those
// listed before it, and [] an item of a list.
func below(t *Type, path string, later bool, rows *[]string) {
	switch t.Kind {
	case Object:
		list(t.Fields, path+".", later, rows)
	case Map:
		name := ".NAME"
		for _, c := range t.Choices {
			name = ".*"
			*rows = append(*rows, fmt.Sprintf("| `%s.%s` | %s | | %s |", path, c.Name, t.Elem.noun(), c.Doc))
		}
		below(t.Elem, path+name, later, rows)
	case List:
		below(t.Elem, path+"[]", later, rows)
	case Union:
		for _, v := range t.Variants {
			doc := v.Doc
			if v.NotYet && !later {
				doc += " (not supported yet)"
			}
			*rows = append(*rows, fmt.Sprintf("| `%s.type: %s` | | | %s |", path, v.Name, doc))
			list(v.Fields, path+".", later || v.NotYet, rows)
		}
		list(t.Fields, path+".", later, rows)
	case OneOf:
		// Of a value and a list of the same the value says it all.
		for _, a := range t.Any {
			if a.Kind != List {
				below(a, path, later, rows)
			}
		}
	}
}
