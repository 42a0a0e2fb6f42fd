package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
)

func claude(t testing.TB) Agent {
	t.Helper()
	a, ok := FindAgent("claude")
	if !ok {
		t.Fatal("no agent claude")
	}
	return a
}

// written is what Install writes into a folder without settings.
const written = `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "TodoWrite|TaskUpdate",
        "hooks": [
          {
            "type": "command",
            "command": "mulligan hook PreToolUse || exit 2",
            "timeout": 600
          }
        ]
      }
    ],
    "TaskCompleted": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "mulligan hook TaskCompleted || exit 2",
            "timeout": 600
          }
        ]
      }
    ],
    "TaskCreated": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "mulligan hook TaskCreated || exit 2",
            "timeout": 600
          }
        ]
      }
    ]
  }
}
`

// files are settings files that are as programs want them, or nearly.
var files = map[string]string{
	"nothing":          "",
	"blank":            "\n\n",
	"empty":            "{}",
	"empty, line":      "{}\n",
	"empty, space":     "{ }\n",
	"empty, two lines": "{\n}\n",
	"empty, comment":   "{ /* mine */ }",
	"empty, CRLF":      "{\r\n}\r\n",
	"plain":            "{\n  \"model\": \"opus\",\n  \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n",
	"comments":         "// mine\n{ // the model\n  \"model\": \"opus\" // the best\n  // that is all\n}\n// end\n",
	"block comments":   "/* a */ { /* b */ \"model\" /* c */ : /* d */ \"opus\" /* e */ } /* f */",
	"tabs":             "{\n\t\"model\": \"opus\"\n}\n",
	"four":             "{\n    \"model\": \"opus\"\n}",
	"CRLF":             "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	"minified":         `{"model":"opus","n":1e3}`,
	"one line":         `{ "model": "opus" }` + "\n",
	"trailing commas":  "{\n  \"a\": [1, 2,],\n  \"model\": \"opus\",\n}\n",
	"unicode":          "{\n  \"Ünïcödé ☃\": \"\\u2603 \\ud83d\\ude00 \U0001f600\",\n  \"big\": 12345678901234567890.10\n}\n",
	"hooks empty":      "{\"hooks\": {}}",
	"hooks, line":      "{\n  \"hooks\": {\n  }\n}\n",
	"hooks, minified":  `{"hooks":{}}`,
	"list empty":       "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"TaskCreated\": [ ]\n  }\n}\n",
	"lists, minified":  `{"hooks":{"PreToolUse":[],"TaskCompleted":[]}}`,
	"other hooks":      "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mulligan hook Stop || exit 2\"}]}]\n  },\n  \"z\": 1\n}\n",
	"same event":       "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{\"type\": \"command\", \"command\": \"./check\"}]\n      }\n    ]\n  }\n}\n",
	"same matcher":     "{\"hooks\": {\n \"PreToolUse\": [ // two\n {\"matcher\": \"TodoWrite|TaskUpdate\", \"hooks\": [{\"type\": \"command\", \"command\": \"my-mulligan hook PreToolUse || exit 2\"}]}, ]}}",
	"own, no denial":   `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"mulligan hook PreToolUse"}]}]}}`,
	"escaped name":     "{\n  \"\\u0068ooks\": {\n    \"Stop\": []\n  }\n}",
	"first line":       "{\"model\": \"opus\",\n  \"n\": 1}",
	"not indented":     "{\n\"model\": \"opus\"\n}\n",
	"byte order mark":  byteOrderMark + "{\n  \"model\": \"opus\"\n}\n",
}

// TestInstallUninstall: whatever a file is like, the hooks are added once, everything else stays, and
// Uninstall gives the bytes back.
func TestInstallUninstall(t *testing.T) {
	for _, a := range Agents() {
		for name, before := range files {
			t.Run(a.Name+"/"+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "settings.json")
				writeFile(t, path, before)
				roundTrip(t, a, path, "/opt/it's $here/mulligan")
				if got := readFile(t, path); got != before {
					t.Errorf("uninstalled:\n%q\nwant\n%q", got, before)
				}
			})
		}
	}
}

// roundTrip installs, twice, with another program, and uninstalls, twice.
func roundTrip(t *testing.T, a Agent, path, program string) {
	t.Helper()
	before := readFile(t, path)
	for i, p := range []string{program, program, "mulligan", program} {
		change, err := Install(a, path, p)
		if err != nil || change.Written == (i == 1) {
			t.Fatalf("%d: %+v, %v", i, change, err)
		}
		if ok, err := Installed(a, path); !ok || err != nil {
			t.Fatalf("%d: installed %v, %v:\n%s", i, ok, err, readFile(t, path))
		}
		if !isBlank([]byte(before)) && !reflect.DeepEqual(meaning(t, before, true), meaning(t, readFile(t, path), true)) {
			t.Fatalf("%d: the rest changed:\n%s\nwas\n%s", i, readFile(t, path), before)
		}
		d, err := a.parse(path, bytes.TrimPrefix([]byte(readFile(t, path)), []byte(byteOrderMark)))
		if err != nil || len(a.findOurs(d)) != len(a.entries) {
			t.Fatalf("%d: %v:\n%s", i, err, readFile(t, path))
		}
	}
	for i := range 2 {
		change, err := Uninstall(a, path)
		if err != nil || change.Written == (i == 1) || change.Removed {
			t.Fatalf("%d: %+v, %v", i, change, err)
		}
		if ok, err := Installed(a, path); ok || err != nil {
			t.Fatalf("%d: installed %v, %v", i, ok, err)
		}
	}
}

// meaning returns what a program reads in settings. pruned is without our hooks and without empty hooks.
func meaning(t *testing.T, text string, pruned bool) map[string]any {
	t.Helper()
	plain, err := hujson.Standardize([]byte(strings.TrimPrefix(text, byteOrderMark)))
	if err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	hooks, ok := all["hooks"].(map[string]any)
	if !ok || !pruned {
		return all
	}
	for event, list := range hooks {
		var kept []any
		groups, ok := list.([]any)
		for _, group := range groups {
			text, _ := json.Marshal(group)
			if !bytes.Contains(text, []byte("mulligan hook "+event+" || exit 2")) && !bytes.Contains(text, []byte(`/mulligan\" hook `)) || bytes.Contains(text, []byte("my-mulligan")) {
				kept = append(kept, group)
			}
		}
		if ok && len(kept) == 0 {
			delete(hooks, event)
		} else if ok {
			hooks[event] = kept
		}
	}
	if len(hooks) == 0 {
		delete(all, "hooks")
	}
	return all
}

func TestInstallMakes(t *testing.T) {
	dir := t.TempDir()
	a := claude(t)
	path := a.ProjectPath(dir)
	change, err := Install(a, path, "mulligan")
	if err != nil || !change.Made || !change.Written || change.Path != path {
		t.Fatalf("%+v, %v", change, err)
	}
	if got := readFile(t, path); strings.Replace(got, "{\t\t\n", "{\n", 1) != written {
		t.Errorf("%s", got)
	}
	if change, err := Uninstall(a, path); err != nil || !change.Removed || len(change.Hooks) != 3 {
		t.Errorf("%+v, %v", change, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if change, err := Uninstall(a, path); err != nil || change.Written {
		t.Errorf("again: %+v, %v", change, err)
	}
}

// TestFolderStays: Uninstall removes a folder only if Install has made it, and it is empty.
func TestFolderStays(t *testing.T) {
	a := claude(t)
	for name, other := range map[string]string{"was there": "", "has a file": "other.json"} {
		t.Run(name, func(t *testing.T) {
			path := a.ProjectPath(t.TempDir())
			if other == "" {
				os.Mkdir(filepath.Dir(path), 0o755)
			}
			if _, err := Install(a, path, "mulligan"); err != nil {
				t.Fatal(err)
			}
			if other == "" && readFile(t, path) != written {
				t.Errorf("%q", readFile(t, path))
			}
			if other != "" {
				writeFile(t, filepath.Join(filepath.Dir(path), other), "{}")
			}
			change, err := Uninstall(a, path)
			if _, gone := os.Stat(filepath.Dir(path)); err != nil || !change.Removed || gone != nil {
				t.Errorf("%+v, %v, %v", change, err, gone)
			}
		})
	}
}

// TestReformatted: a program that writes the file anew does not keep Uninstall from its work.
func TestReformatted(t *testing.T) {
	a := claude(t)
	path := filepath.Join(t.TempDir(), "settings.json")
	writeFile(t, path, `{"z":1,"hooks":{"Stop":[]}}`)
	if _, err := Install(a, path, "/opt/mulligan"); err != nil {
		t.Fatal(err)
	}
	text, _ := json.MarshalIndent(meaning(t, readFile(t, path), false), "", "   ")
	writeFile(t, path, string(text))
	if change, err := Install(a, path, "/opt/mulligan"); err != nil || change.Written {
		t.Errorf("%+v, %v", change, err)
	}
	if _, err := Uninstall(a, path); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, path); got != "{\n   \"hooks\": {\n      \"Stop\": []\n   },\n   \"z\": 1\n}" {
		t.Errorf("%s", got)
	}
}

// TestOthersStay: a person's hooks around ours stay, and comments do.
func TestOthersStay(t *testing.T) {
	const ours = `{"type": "command", "command": "/old/mulligan hook PreToolUse || exit 2", "timeout": 5}`
	tests := map[string][2]string{
		"in one group, last":   {`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "mine"}, ` + ours + `]}]}}`, `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "mine"}]}]}}`},
		"in one group, first":  {`{"hooks": {"PreToolUse": [{"hooks": [` + ours + `, {"type": "command", "command": "mine"}]}]}}`, `{"hooks": {"PreToolUse": [{"hooks": [ {"type": "command", "command": "mine"}]}]}}`},
		"in one group, middle": {`{"hooks": {"PreToolUse": [{"hooks": [{"a": 1}, /* c */ ` + ours + ` /* d */, {"b": 1}]}]}}`, `{"hooks": {"PreToolUse": [{"hooks": [{"a": 1} /* c */  /* d */, {"b": 1}]}]}}`},
		"comments":             {"{\"hooks\": {\"PreToolUse\": [ // mine\n{\"hooks\": [" + ours + "]}, // after\n]}}", "{\"hooks\": {\"PreToolUse\": [ // mine\n // after\n]}}"},
		"comment and another":  {"{\"hooks\": {\"PreToolUse\": [ // mine\n{\"hooks\": [" + ours + "]}, // after\n{\"hooks\": []}]}}", "{\"hooks\": {\"PreToolUse\": [ // mine\n // after\n{\"hooks\": []}]}}"},
		"trailing comma":       {`{"a": 1, "hooks": {"PreToolUse": [{"hooks": [` + ours + `,],},],},}`, `{"a": 1,}`},
		"twice":                {`{"hooks": {"PreToolUse": [{"hooks": [` + ours + `]}, {"matcher": "x", "hooks": [` + ours + `]}], "Stop": []}}`, `{"hooks": {"PreToolUse": [], "Stop": []}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			writeFile(t, path, test[0])
			if _, err := Uninstall(claude(t), path); err != nil {
				t.Fatal(err)
			}
			if got := readFile(t, path); got != test[1] {
				t.Errorf("%s\nwant\n%s", got, test[1])
			}
			meaning(t, readFile(t, path), false)
		})
	}
}

// TestBroken: a file that is not as the program wants it is reported, and stays.
func TestBroken(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"cut off":            {"{\n  \"a\": [1,\n", `:3:1: this is not JSON: parsing value: unexpected EOF`},
		"no quotes":          {"{\n  model: 1\n}", `:2:3: this is not JSON: `},
		"two values":         {"{} {}", `:1:4: this is not JSON: `},
		"text":               {"hello\n", `:1:1: this is not JSON: `},
		"comment alone":      {"// nothing\n", `:2:1: this is not JSON: `},
		"list":               {"[]", `:1:1: the settings have to be an object`},
		"null":               {"null", `:1:1: the settings have to be an object`},
		"hooks null":         {"{\n  \"hooks\": null}", `:2:12: "hooks" has to be an object`},
		"hooks list":         {`{"hooks": []}`, `:1:11: "hooks" has to be an object`},
		"hooks twice":        {`{"hooks": {}, "hooks": {}}`, `:1:15: "hooks" is there twice`},
		"event object":       {`{"hooks": {"PreToolUse": {}}}`, `:1:26: the hooks of "PreToolUse" have to be a list`},
		"event twice":        {`{"hooks": {"TaskCreated": [], "TaskCreated": []}}`, `:1:31: "TaskCreated" is there twice`},
		"group text":         {`{"hooks": {"PreToolUse": ["x"]}}`, `:1:27: a hook of "PreToolUse" has to be an object`},
		"group without":      {`{"hooks": {"PreToolUse": [{}]}}`, `:1:27: a hook of "PreToolUse" has no list "hooks"`},
		"handlers":           {`{"hooks": {"PreToolUse": [{"hooks": {}}]}}`, `:1:37: "hooks" has to be a list here`},
		"handler":            {`{"hooks": {"PreToolUse": [{"hooks": [1]}]}}`, `:1:38: each of "hooks" has to be an object`},
		"not UTF-8":          {"{\"a\": \"\xff\"}", `:1:8: this is not JSON: it is not UTF-8 text`},
		"large":              {"{}" + strings.Repeat(" ", maxBytes), `is larger than 1 MiB (1048578 bytes)`},
		"deep":               {strings.Repeat("[", maxBytes), `has more than 100000 brackets`},
		"a group is shorter": {`{"hooks": {"PreToolUse": [{"hooks": []}, 7]}}`, `:1:42: a hook of "PreToolUse" has to be an object`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			writeFile(t, path, test.text)
			_, installed := Install(claude(t), path, "mulligan")
			_, uninstalled := Uninstall(claude(t), path)
			_, looked := Installed(claude(t), path)
			for _, err := range []error{installed, uninstalled, looked} {
				if mistake := new(Mistake); !errors.As(err, &mistake) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%v, want %q", err, test.want)
				}
			}
			if readFile(t, path) != test.text {
				t.Error("it was written")
			}
		})
	}
}

// TestChangedMeanwhile: what another program writes between reading and writing is not lost.
func TestChangedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, before := range []string{"", "{}"} {
		if before != "" {
			writeFile(t, path, before)
		}
		f, err := openFile(path)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, `{"theirs": 1}`)
		write := func() error { return f.replace([]byte("{}")) }
		if !f.exists {
			write = func() error { return f.create(func(string) []byte { return []byte("{}") }) }
		}
		if err := write(); !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
		if err := f.remove(); !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
		if all, _ := os.ReadDir(filepath.Dir(path)); len(all) != 1 || readFile(t, path) != `{"theirs": 1}` {
			t.Errorf("%v: %s", all, readFile(t, path))
		}
		os.Remove(path)
	}
}

// TestInspect: what keeps the program from running the hooks is told.
func TestInspect(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, a := range Agents() {
		writeFile(t, path, "{\n  // mine\n  \"disableAllHooks\": true\n}\n")
		change, err := Install(a, path, "mulligan")
		if err != nil || !change.Disabled || (change.Unreadable != nil) != a.strict {
			t.Errorf("%s: %+v, %v", a.Name, change, err)
		}
		if a.strict && !strings.HasPrefix(strings.Split(readFile(t, path), "\n")[change.Unreadable.Line-1][change.Unreadable.Col-1:], "// mine") {
			t.Errorf("%s: %v", a.Name, change.Unreadable)
		}
	}
}

func TestIsOurCommand(t *testing.T) {
	for _, program := range []string{"mulligan", "/usr/bin/mulligan", "/it's/mulligan", "/a b/mulligan", "/$x/`y`/\"/\\/'/mulligan", "/ä/mulligan", "/*/mulligan", "~/mulligan"} {
		command, err := formatCommand(program, "PreToolUse")
		if err != nil || !isOurCommand(command, "PreToolUse", "/own") || isOurCommand(command, "TaskCreated", "/own") {
			t.Errorf("%s: %s, %v", program, command, err)
		}
	}
	for _, command := range []string{
		"", "mulligan", "mulligan hook PreToolUse", "my-mulligan hook PreToolUse || exit 2", "mulligan hook Stop", "mulligan hook Stop || exit 2",
		"mulligan hook PreToolUse && exit 2", "mulligan hook PreToolUse || exit 1", "mulligan hook PreToolUse || exit", "X=1 mulligan hook PreToolUse || exit 2",
		"mulligan hook PreToolUse >log || exit 2", "! mulligan hook PreToolUse || exit 2", "mulligan hook PreToolUse || exit 2 &", "mulligan hook PreToolUse || exit 2; echo",
		"echo; mulligan hook PreToolUse || exit 2", "mulligan hook PreToolUse --x || exit 2", "(mulligan hook PreToolUse) || exit 2", "$m/mulligan hook PreToolUse || exit 2",
		"mulligan hook PreToolUse || exit 2 || exit 3", "mulligan hook PreToolUse || exit 2 # mine", "echo mulligan hook PreToolUse || exit 2", "mulligan hook 'PreToolUse || exit 2'", "mulligan hook PreToolUse || exit 2 )",
	} {
		if isOurCommand(command, "PreToolUse", "/own") {
			t.Errorf("%s", command)
		}
	}
	if own := "/own hook PreToolUse || exit 2"; !isOurCommand(own, "PreToolUse", "/own") || isOurCommand(own, "PreToolUse", "") {
		t.Error("a program of another name is known by its path alone")
	}
	if _, err := formatCommand("/\xff/mulligan", "PreToolUse"); err == nil {
		t.Error("a path that no settings file can hold")
	}
}

func TestPaths(t *testing.T) {
	for name, want := range map[string][3]string{
		"claude": {"/p/.claude/settings.json", "/h/.claude/settings.json", "/c/settings.json"},
		"codex":  {"/p/.codex/hooks.json", "/h/.codex/hooks.json", "/c/hooks.json"},
		"gemini": {"/p/.gemini/settings.json", "/h/.gemini/settings.json", "/c/.gemini/settings.json"},
	} {
		a, _ := FindAgent(name)
		env := map[string]string{"HOME": "/h"}
		home, err1 := a.UserPath(func(n string) string { return env[n] })
		env[a.home] = "/c"
		own, err2 := a.UserPath(func(n string) string { return env[n] })
		if got := [3]string{a.ProjectPath("/p"), home, own}; got != want || err1 != nil || err2 != nil {
			t.Errorf("%v, %v, %v", got, err1, err2)
		}
		if _, err := a.UserPath(func(string) string { return "" }); err == nil {
			t.Errorf("%s: a path without a home", name)
		}
	}
}

func FuzzInstall(f *testing.F) {
	for _, text := range files {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := claude(t)
		text = strings.TrimPrefix(text, byteOrderMark)
		d, err := a.parse("f", []byte(text))
		if err != nil || len(a.findOurs(d)) > 0 {
			return
		}
		hooks, _ := a.hooks("/opt/mulligan")
		after, err := a.install("f", []byte(text), hooks, &Change{})
		if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		d, err = a.parse("f", after)
		if err != nil || !a.isComplete(a.findOurs(d), hooks) {
			t.Fatalf("%v:\n%q\nfrom\n%q", err, after, text)
		}
		back, nothing, err := a.remove("f", after)
		if err != nil || nothing || string(back) != text {
			t.Fatalf("%v, %v:\n%q\nfrom\n%q\nover\n%q", err, nothing, back, text, after)
		}
	})
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
