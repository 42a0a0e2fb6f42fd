package config

import (
	"os"
	"strings"
	"testing"
)

// FuzzDecode: no text makes the decoder panic, none is taken that the schema refuses,
// and what is taken is printed as the same config.
func FuzzDecode(f *testing.F) {
	mistakes, err := os.ReadFile("testdata/mistakes.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(mistakes), rendered, head, "", "- a", "? [a]\n: b", head + "agents: &a {b: *a}",
		head + "limits: {duration: 1h, turns: 1}", "{version: 1, git: {sign: true}}", head + "agent: |+\n  a\n\n",
		head + "agents: {a: {type: program, exec: [\"\\x1b\", 'it''s', ~]}}", "%YAML 1.2\n---\nversion: 1\n...\n",
	} {
		f.Add([]byte(seed))
	}
	s := testSchema()
	schema := compiled(f, s)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 16<<10 {
			return // large files are another test's
		}
		c := s.Decode("mulligan.yaml", data)
		if err := c.Err(); err != nil {
			if err.Error() == "" {
				t.Error("a mistake says nothing")
			}
			return
		}
		text, _ := CheckText(data)
		r, _ := parse(newSource("mulligan.yaml", "mulligan.yaml", text), text)
		if !allows(t, schema, asJSON(r)) {
			t.Fatalf("taken, though the schema refuses it:\n%s", data)
		}
		var out strings.Builder
		if err := Render(&out, c.Value); err != nil {
			t.Fatal(err)
		}
		again := s.Decode("mulligan.yaml", []byte(out.String()))
		if err := again.Err(); err != nil {
			t.Fatalf("printed as what is not a config: %v\n%s", err, out.String())
		}
		if got, want := flat(again.n), flat(c.n); got != want {
			t.Errorf("printed as another config:\n%s\nwant:\n%s", got, want)
		}
	})
}
