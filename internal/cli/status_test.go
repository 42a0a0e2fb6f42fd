package cli

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// docs/json.md names every field that `status --json` has besides those of a line of `sessions --json`.
func TestFieldsOfStatusAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(doc), "Status adds:\n")
	if !found {
		t.Fatal("docs/json.md has no table of what status adds")
	}
	item := sessionItemJSON{}
	for _, value := range []any{statusJSON{}, waitJSON{}, spentJSON{}, stepSpent{}, loopJSON{}, sessionGuardJSON{}, item, item.GuardItem, asideJSON{}} {
		for field := range reflect.TypeOf(value).Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !field.Anonymous && !regexp.MustCompile("`[^`]*\\b"+name+"\\b[^`]*`").MatchString(table) {
				t.Errorf("docs/json.md does not name the field %s of %T", name, value)
			}
		}
	}
}
