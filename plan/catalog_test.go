package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan/config"
)

// testCatalog stands for what is built in: enough types to resolve.
func testCatalog() config.Catalog {
	type object = map[string]any
	return config.Catalog{
		Agents: []config.Variant{
			{
				Name: "program", Doc: "any program",
				Fields: []config.Field{{Name: "exec", Doc: "its words", Required: true, Type: config.NonEmptyList(config.Str())}},
				Decode: func(v config.Value, _ config.Reader) (any, config.Mistakes) {
					return object{"exec": v.Get("exec").Strings()}, nil
				},
			},
			{
				Name: "scripted", Doc: "plays a file",
				Fields: []config.Field{{Name: "script", Doc: "the file", Required: true, Type: config.Str()}},
				Decode: func(v config.Value, read config.Reader) (any, config.Mistakes) {
					data, mistake := read(v.Get("script"))
					if mistake != nil {
						return nil, config.Mistakes{*mistake}
					}
					return object{"text": string(data)}, nil
				},
			},
			{Name: "claude", Doc: "Claude Code", NotYet: true, Takes: []string{"model", "args", "max_turns"}},
			{
				Name: "modelled", Doc: "one that has all", Takes: []string{"model", "args", "max_turns"}, Tells: []string{"tokens"}, Permits: true,
				Fields: []config.Field{{Name: "exec", Doc: "its words", Required: true, Type: config.NonEmptyList(config.Str())}},
				Decode: func(v config.Value, _ config.Reader) (any, config.Mistakes) {
					return object{"exec": v.Get("exec").Strings()}, nil
				},
			},
		},
		Checks: []config.Variant{
			{Name: "none", Doc: "no check", Decode: func(config.Value, config.Reader) (any, config.Mistakes) { return nil, nil }},
			{
				Name: "file_exists", Doc: "a file exists",
				Fields: []config.Field{{Name: "path", Doc: "the file", Required: true, Type: config.Str()}},
				Decode: func(v config.Value, _ config.Reader) (any, config.Mistakes) {
					return object{"path": v.Get("path").String()}, nil
				},
			},
			{
				Name: "shell", Doc: "a command",
				Fields: []config.Field{
					{Name: "command", Doc: "the command", Required: true, Type: config.Str()},
					{Name: "timeout", Doc: "its time", Type: config.DurationType()},
					{Name: "expect", Doc: "how it must end", Type: config.Word("pass", "fail")},
				},
				Title:    func(v config.Value) string { return "title" },
				Inverted: func(v config.Value) bool { return v.Get("expect").String() == "fail" },
				Decode: func(v config.Value, _ config.Reader) (any, config.Mistakes) {
					if v.IsMap() {
						v = v.Get("command")
					}
					return object{"command": v.String()}, nil
				},
			},
		},
		Named: []config.Named{
			{Name: "claude", Doc: "Claude Code", Type: "claude"},
			{Name: "ready", Doc: "one that is built", Type: "modelled", More: "exec: [ready, --now]"},
			{Name: "scripted", Doc: "a script"},
		},
	}
}

// workplace is a folder with files by path.
func workplace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// request reads the folder's mulligan.yaml.
func request(dir string, more ...config.Setting) Request {
	c := config.NewSchema(testCatalog()).Load(config.Sources{
		Project: filepath.Join(dir, "mulligan.yaml"), Dir: dir, Flags: more,
	})
	r := Request{Config: c, Catalog: testCatalog(), Root: dir}
	r.Task.Text = "the task"
	return r
}

// frame is a config of one agent, whose pipelines follow.
const frame = "version: 1\nagent: a\nagents: {a: {type: program, exec: [x]}}\npipelines:\n"

func wantError(t *testing.T, err error, wants ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %q", wants)
		return
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in:\n%v", want, err)
		}
	}
}
