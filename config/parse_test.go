package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const head = "version: 1\n"

// C1: mistakes about what is not YAML, or not supported YAML, have the same form.
func TestYAMLMistakes(t *testing.T) {
	deep := strings.Repeat("[", 500)
	tests := []struct{ name, yaml, want string }{
		{"empty", "", "mulligan.yaml:1:1: the file is empty"},
		{"comments only", "# nothing\n", "mulligan.yaml:1:1: the file is empty"},
		{"separator only", "---\n", "mulligan.yaml:1:1: the file is empty"},
		{"null", "~\n", "mulligan.yaml:1:1: has no value"},
		{"a list", "- a\n", "mulligan.yaml:1:1: expected a mapping, got a list"},
		{"a word", "hello\n", "mulligan.yaml:1:1: expected a mapping, got text"},
		{"version missing", "agent: a\n", "mulligan.yaml:1:1: version: the key is missing"},
		{"version text", "version: '1'\n", "mulligan.yaml:1:10: version: expected a whole number, got text"},
		{"second document", head + "---\nagent: x\n", "mulligan.yaml:2:1: a second YAML document"},
		{"tab", head + "git:\n\tbranch: true\n", "a tab indents this line"},
		{"unclosed", head + "agents: {a: [b\n", "not valid YAML"},
		{"colon", head + "agent: a: b\n", "not valid YAML"},
		{"quote", head + "agent: 'x\n", "mulligan.yaml:2:8: not valid YAML"},
		{"leading zero", head + "limits: {turns: 010}\n", "mulligan.yaml:2:17: limits.turns: 010 is read differently"},
		{"08", head + "limits: {turns: 08}\n", "limits.turns: 08 is read differently"},
		{"octal", head + "limits: {turns: 0o10}\n", "0o10 is read differently"},
		{"hex", head + "limits: {turns: 0x1F}\n", "0x1F is read differently"},
		{"underscore", head + "limits: {turns: 1_000}\n", "1_000 is read differently"},
		{"exponent", head + "limits: {turns: 1e3}\n", "expected a whole number, got the number 1e3"},
		{"huge", head + "limits: {turns: 99999999999999999999}\n", "99999999999999999999 is too large a number"},
		{"infinite", head + "limits: {turns: .inf}\n", ".inf is read differently"},
		{"date as text", head + "agent: 010\n", "expected an agent's name, got the number 010"},
		{"duration null", head + "limits: {duration: }\n", "limits.duration: has no value"},
		{"duration bare", head + "limits: {duration: 5 minutes}\n", `"5 minutes" is not a duration`},
		{"duration float", head + "limits: {duration: 1.5}\n", "expected a duration"},
		{"duration negative", head + "limits: {duration: -5}\n", "-5 is less than no time"},
		{"duration long", head + "limits: {duration: 9223372037}\n", "too long a time"},
		{"merge key", head + "git: &g {sign: true}\nworkspace: {<<: *g}\n", "mulligan.yaml:3:13: workspace: merge keys"},
		{"tag", head + "agent: !!str x\n", "mulligan.yaml:2:8: agent: tags such as !!str"},
		{"no anchor", head + "agent: *x\n", "agent: there is no anchor &x above"},
		{"own anchor", head + "agents: &a {b: *a}\n", "agents.b: the alias *a stands inside its own anchor"},
		{"duplicate", head + "agent: a\nagent: b\n", "mulligan.yaml:3:1: agent: the key is given twice, first in line 2"},
		{"deep", head + "agent: " + deep, "nested deeper than 64 levels"},
		{"deep dashes", head + "agent:\n" + strings.Repeat("- ", 500) + "a", "nested deeper than 64 levels"},
		{"key of a list", head + "? [a]\n: b\n", "not valid YAML"},
		{"null key", head + "~: b\n", "mulligan.yaml:2:1: a key must be plain text"},
		{"crlf", "version: 1\r\nagnet: x\r\n", "mulligan.yaml:2:1: agnet: unknown key\n    agnet: x\n    ^\n"},
		{"wide characters", head + "agents: {é: {type: x}}\n", `mulligan.yaml:2:20: agents.é.type: "x" is not`},
		{"not utf-8", head + "agent: \xff\n", "mulligan.yaml: is not UTF-8 text (line 2)"},
		{"zero byte", head + "agent: \x00\n", "mulligan.yaml: has a zero byte (line 2)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := testSchema().Decode("mulligan.yaml", []byte(tt.yaml)).Err()
			if err == nil {
				t.Fatalf("taken without a word; want %q", tt.want)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want %q in:\n%s", tt.want, err)
			}
		})
	}
}

func TestYAMLTaken(t *testing.T) {
	for name, yaml := range map[string]string{
		"directive":     "%YAML 1.2\n---\nversion: 1\n...\n",
		"mark":          "\ufeffversion: 1\n",
		"crlf":          "version: 1\r\nagent: x\r\n",
		"explicit key":  "? version\n: 1\n",
		"alias":         head + "pipelines:\n  a: &p\n    - name: x\n      check: &c [make test]\n  b: *p\n  c: [{name: y, check: *c}]\n",
		"zero duration": head + "limits: {duration: 0s}\n",
		"seconds":       head + "limits: {duration: 90}\n",
		"json":          `{"version": 1, "limits": {"turns": 3}}`,
	} {
		if err := testSchema().Decode("mulligan.yaml", []byte(yaml)).Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A few lines must not stand for a billion, nor a large file take minutes.
func TestHostileYAML(t *testing.T) {
	n := MaxBytes / 8
	var laughs, keys strings.Builder
	laughs.WriteString(head + "agents:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 20; i++ {
		fmt.Fprintf(&laughs, "  a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9))
	}
	for i := 0; keys.Len() < n; i++ {
		fmt.Fprintf(&keys, "k%d: v\n", i)
	}
	for name, yaml := range map[string]string{
		"laughs":   laughs.String(),
		"keys":     keys.String(),
		"brackets": strings.Repeat("[", n),
		"braces":   strings.Repeat("{a: ", n/4),
		"dashes":   strings.Repeat("- ", n/2),
		"queries":  strings.Repeat("? ", n/2),
		"flow":     "[" + strings.Repeat("a,", n/2-1) + "]",
		"stairs":   stairs(700),
	} {
		start := time.Now()
		if testSchema().Decode("mulligan.yaml", []byte(yaml)).Err() == nil {
			t.Errorf("%s: taken without a word", name)
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
}

func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// A file that cannot be a config is refused by what it is, before it is parsed.
func TestFileMistakes(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(10_000_000); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for path, want := range map[string]string{
		large:                         "is larger than 1 MiB (10000000 bytes)",
		dir:                           "is a folder, not a file",
		filepath.Join(dir, "no.yaml"): "does not exist\n    mulligan init writes one",
		"/dev/zero":                   "is not a regular file",
	} {
		err := testSchema().Load(Sources{Project: path}).Err()
		if err == nil || err.Error() != path+": "+want {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

func TestFormat(t *testing.T) {
	m := Mistakes{{File: "a\x1b[31m.yaml", Line: 1, Col: 160, Path: "x", Message: "bad \x1b[2J", Source: strings.Repeat("\tlong ", 60), Hint: "mend it"}}
	var plain, colour strings.Builder
	m.Format(&plain, false)
	m.Format(&colour, true)
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("an escape of the file's reached the terminal: %q", plain.String())
	}
	if !strings.Contains(colour.String(), "\x1b[31m") || strings.Contains(colour.String(), "\x1b[2J") {
		t.Errorf("colour is ours alone: %q", colour.String())
	}
	lines := strings.Split(plain.String(), "\n")
	line, caret := []rune(strings.TrimPrefix(lines[1], "    ")), []rune(strings.TrimPrefix(lines[2], "    "))
	if len(line) > maxExcerpt+2 || !strings.HasPrefix(string(line), "…") || !strings.HasSuffix(string(line), "…") {
		t.Errorf("a long line is not cut visibly: %q", lines[1])
	}
	source := []rune(strings.Repeat("\tlong ", 60))
	if got, want := line[len(caret)-1], source[159]; got != want {
		t.Errorf("the caret stands below %q, want %q", got, want)
	}
}
