package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// C3, C5: layers are merged key by key, and every value knows which it came from.
func TestLayers(t *testing.T) {
	dir := t.TempDir()
	user := write(t, dir, "user.yaml", `version: 1
agent: mine
agents:
  mine: {type: program, exec: [mine], timeout: 5m, env: [A]}
  both: {type: program, exec: [old], continues: true}
  turned: {type: scripted, script: a.yaml, timeout: 7m}
limits: {turns: 5, duration: 1h}
git: {sign: true}
pipelines:
  users: [{name: u}]
`)
	project := write(t, dir, "mulligan.yaml", `version: 1
agents:
  mine: {timeout: 9m, env: [B]}
  both: {type: program, exec: [new, x]}
  turned: {type: program, exec: [y]}
limits: {turns: 7}
pipelines:
  projects: [{name: p}]
`)
	c := testSchema().Load(Sources{
		User: user, Project: project,
		Environ: []string{"MULLIGAN_LIMITS_TURNS=9", "MULLIGAN_SANDBOX=none", "MULLIGAN_GIT_BRANCH=", "HOME=/x"},
		Flags:   []Setting{FlagSetting("agent", "both", "agent"), FlagSetting("sandbox", "bwrap", "sandbox")},
	})
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2]string{
		"agent":                {"both", "flag --agent"},
		"sandbox":              {"bwrap", "flag --sandbox"},
		"limits.turns":         {"9", "env MULLIGAN_LIMITS_TURNS"},
		"limits.duration":      {"1h", user + ":7"},
		"git.sign":             {"true", user + ":8"},
		"git.commit":           {"true", "default"},
		"git.message":          {"mulligan({{step}}): {{summary}}", "default"},
		"agents.mine.type":     {"program", user + ":4"},
		"agents.mine.timeout":  {"9m", project + ":3"},
		"agents.mine.env":      {"[B]", project + ":3"},
		"agents.both.exec":     {"[new x]", project + ":4"},
		"agents.both.timeout":  {"0s", "default"},
		"agents.turned.type":   {"program", project + ":5"},
		"agents.turned.script": {"", ""},
		// An agent of another type is another agent: nothing of the old one is left.
		"agents.turned.timeout": {"0s", "default"},
		"engine":                {"embedded", "default"},
	} {
		v := c.Get(strings.Split(path, ".")...)
		got := v.String()
		if v.IsList() {
			got = "[" + strings.Join(v.Strings(), " ") + "]"
		}
		if got != want[0] || v.Origin() != want[1] {
			t.Errorf("%s is %q from %q, want %q from %q", path, got, v.Origin(), want[0], want[1])
		}
	}
	if got := strings.Join(c.Get("pipelines").Keys(), " "); got != "projects users" {
		t.Errorf("pipelines are %s: the project's come first", got)
	}
	if got := c.Get("agents", "mine", "timeout").Duration(); got != 9*time.Minute {
		t.Errorf("timeout is %s", got)
	}
	if got := c.Get("agents", "mine").Get("exec").Dir(); got != dir {
		t.Errorf("a value of the user's file is relative to %s", got)
	}
}

// A layer may leave out what a lower one has, and nothing else.
func TestPartialLayer(t *testing.T) {
	dir := t.TempDir()
	project := write(t, dir, "mulligan.yaml", "version: 1\nagents: {a: {timeout: 9m}}\n")
	if err := testSchema().Load(Sources{Project: project}).Err(); err == nil || !strings.Contains(err.Error(), `the key "type" is missing`) {
		t.Errorf("got %v", err)
	}
	user := write(t, dir, "user.yaml", "version: 1\nagents: {a: {type: program}}\n")
	err := testSchema().Load(Sources{Project: project, User: user}).Err()
	if err == nil || !strings.Contains(err.Error(), `agents.a: the key "exec" is missing`) {
		t.Errorf("got %v", err)
	}
}

func TestUserFileNeedNotExist(t *testing.T) {
	c := testSchema().Load(Sources{User: filepath.Join(t.TempDir(), "none.yaml")})
	if err := c.Err(); err != nil {
		t.Fatal(err)
	}
	if c.Get("limits", "failed_iterations").Int() != 3 || c.Get("agent").IsSet() {
		t.Error("no file at all is the defaults alone")
	}
}

func TestEnvironment(t *testing.T) {
	c := testSchema().Load(Sources{Environ: []string{
		"MULLIGAN_LIMITS_TURNS=many", "MULLIGAN_AGNT=x", "MULLIGAN_SESSION=s1", "MULLIGAN_STATE_DIR=/x",
		"MULLIGAN_TASK_CONTENT=x", "MULLIGAN_HOOK=on_error", "MULLIGAN_WHATEVER=1", "MULLIGAN_NOTIFY_FORMAT=xml", "MULLIGAN_LIMITS_DURATION=90",
	}})
	want := "env MULLIGAN_LIMITS_TURNS: limits.turns: expected a whole number, got text\n" +
		"    MULLIGAN_LIMITS_TURNS=many\n                          ^\n" +
		"env MULLIGAN_NOTIFY_FORMAT: notify.format: \"xml\" is not one of json, slack\n" +
		"    MULLIGAN_NOTIFY_FORMAT=xml\n                           ^"
	if err := c.Err(); err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	notes := strings.Join(c.Notes, "\n")
	if len(c.Notes) != 2 || !strings.Contains(notes, `MULLIGAN_AGNT is not a setting, and is not used; did you mean "MULLIGAN_AGENT"?`) || !strings.Contains(notes, "MULLIGAN_WHATEVER") {
		t.Errorf("notes: %q", c.Notes)
	}
	if got := c.Get("limits", "duration").Duration(); got != 90*time.Second {
		t.Errorf("duration is %s", got)
	}
}

// No two keys may share a variable, and none may be one that children are given.
func TestVariables(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range testSchema().Variables() {
		if seen[v.Name] || isRuntimeName(strings.TrimPrefix(v.Name, envPrefix)) {
			t.Errorf("%s stands for two things", v.Name)
		}
		seen[v.Name] = true
	}
	for _, name := range []string{"MULLIGAN_AGENT", "MULLIGAN_LIMITS_TURNS", "MULLIGAN_DEFAULT_PIPELINE", "MULLIGAN_GIT_COMMIT"} {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
	if seen["MULLIGAN_VERSION"] {
		t.Error("the version is a file's own")
	}
}

// A file is named as a person in the folder would, its values are relative to it still.
func TestNamesOfFiles(t *testing.T) {
	dir := t.TempDir()
	project := write(t, dir, "sub/mulligan.yaml", "version: 1\nagent: x\n")
	c := testSchema().Load(Sources{Project: project, Dir: dir})
	if got := c.Get("agent").Origin(); got != filepath.Join("sub", "mulligan.yaml")+":2" {
		t.Errorf("the origin is %s", got)
	}
	if got := c.Get("agent").Dir(); got != filepath.Join(dir, "sub") {
		t.Errorf("the folder is %s", got)
	}
	if got := testSchema().Load(Sources{Project: project, Dir: filepath.Join(dir, "other")}).Get("agent").Origin(); got != project+":2" {
		t.Errorf("the origin is %s", got)
	}
}

func TestUserFile(t *testing.T) {
	for want, environ := range map[string][]string{
		"/c/mulligan/mulligan.yaml":         {"HOME=/h", "XDG_CONFIG_HOME=/c"},
		"/h/.config/mulligan/mulligan.yaml": {"HOME=/h", "XDG_CONFIG_HOME=relative"},
		"":                                  {"PATH=/bin"},
	} {
		if got := UserFile(environ); got != want {
			t.Errorf("%v: got %q, want %q", environ, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"agent", "agents", "retry", "prompt_file", "timeout"}
	for word, want := range map[string]string{
		"agnet": "agent", "retires": "", "rety": "retry", "promptfile": "prompt_file", "time_out": "timeout", "x": "", "zzzzzzz": "",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}
