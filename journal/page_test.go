package journal

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// The page for those who write listeners has every kind, with its fields, and no other.
func TestEveryKindIsInThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Kinds")
	rows := map[string]string{}
	for line := range strings.Lines(table) {
		if kind, rest, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` | "); ok {
			rows[kind] = rest
		}
	}
	for kind := range kinds {
		body, err := decodeBody(kind, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		row, there := rows[kind]
		if !there {
			t.Errorf("docs/events.md lacks %s", kind)
		}
		for _, field := range fields(reflect.TypeOf(body)) {
			if !strings.Contains(row, "`"+field+"`") && !strings.Contains(row, "`"+field+" {") {
				t.Errorf("docs/events.md: %s lacks the field %s", kind, field)
			}
		}
		delete(rows, kind)
	}
	for kind := range rows {
		t.Errorf("docs/events.md has %s, which is no kind", kind)
	}
}

// fields are the names that a struct has in JSON.
func fields(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			names = append(names, fields(f.Type)...)
			continue
		}
		names = append(names, name)
	}
	return names
}
