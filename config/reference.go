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
	appendRows(s.root.Fields, "", false, &rows)
	_, err := fmt.Fprintln(w, strings.Join(rows, "\n"))
	return err
}

func appendRows(fields []Field, path string, later bool, rows *[]string) {
	for _, f := range fields {
		name, doc := path+f.Name, f.Doc
		if f.NotYet && !later {
			doc += " (not supported yet)"
		}
		byDefault := ""
		if f.Default != "" {
			byDefault = "`" + f.Default + "`"
		}
		cells := []string{"`" + name + "`", f.Type.nounPhrase(), byDefault, doc}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		*rows = append(*rows, "| "+strings.Join(cells, " | ")+" |")
		appendRowsBelow(f.Type, name, later || f.NotYet, rows)
	}
}

// appendRowsBelow appends what stands under a key: NAME is a name of the user's choice, * any of those
// listed before it, and [] an item of a list.
func appendRowsBelow(t *Type, path string, later bool, rows *[]string) {
	switch t.Kind {
	case Object:
		appendRows(t.Fields, path+".", later, rows)
	case Map:
		name := ".NAME"
		for _, c := range t.Choices {
			name = ".*"
			*rows = append(*rows, fmt.Sprintf("| `%s.%s` | %s | | %s |", path, c.Name, t.Elem.nounPhrase(), c.Doc))
		}
		appendRowsBelow(t.Elem, path+name, later, rows)
	case List:
		appendRowsBelow(t.Elem, path+"[]", later, rows)
	case Union:
		for _, v := range t.Variants {
			doc := v.Doc
			if v.NotYet && !later {
				doc += " (not supported yet)"
			}
			*rows = append(*rows, fmt.Sprintf("| `%s.type: %s` | | | %s |", path, v.Name, doc))
			appendRows(v.Fields, path+".", later || v.NotYet, rows)
		}
		appendRows(t.Fields, path+".", later, rows)
	case OneOf:
		// A list of the same values adds nothing to the value.
		for _, a := range t.Any {
			if a.Kind != List {
				appendRowsBelow(a, path, later, rows)
			}
		}
	default:
	}
}
