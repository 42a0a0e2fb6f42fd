package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestClaims(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.TempDir(), filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(root, "in") // of the checkout, which is not where an agent works
	if err := os.Mkdir(in, 0o700); err != nil {
		t.Fatal(err)
	}
	beside := "../" + filepath.Base(root) + "/in"
	tests := []struct {
		yaml string
		want []string
	}{
		{"engine: embedded", nil},
		{"engine: nats://host:4222", []string{"engine=nats://host:4222"}},
		{"sandbox: landlock", nil},
		{"sandbox: none", []string{"sandbox=none"}},
		{"agents: {a: {type: program, exec: [x], env: [A, B]}}", nil},
		{"agents: {a: {type: program, exec: [x], env: inherit}}", []string{"agents.a.env=inherit"}},
		{
			"agents: {a: {type: program, exec: [x], writable: [" + in + ", " + beside + "]}}",
			[]string{"agents.a.writable=" + in, "agents.a.writable=" + beside},
		},
		{
			"agents: {a: {type: program, exec: [x], writable: [in, ../x, ~/y, in/../z, out, /etc, out/new/one, $HOME]}}",
			[]string{"agents.a.writable=../x", "agents.a.writable=~/y", "agents.a.writable=out", "agents.a.writable=/etc", "agents.a.writable=out/new/one", "agents.a.writable=$HOME"},
		},
		{"pipelines: {p: [{name: s, prompt_file: in/p.md, check: x}]}", nil},
		{"pipelines: {p: [{name: s, prompt_file: ../p.md, check: x}]}", []string{"pipelines.p.prompt_file=../p.md"}},
		{"pipelines: {p: [{name: s, check: {type: shell, command: ../x}}]}", nil},
		{"hooks: {session_start: [{command: x, dir: /tmp}]}", []string{"hooks.session_start.dir=/tmp"}},
		{"workspace: {copy: [.env]}", nil},
	}
	file := filepath.Join(root, "mulligan.yaml")
	for _, test := range tests {
		text := "version: 1\n" + test.yaml + "\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := testSchema().Load(Sources{Project: file})
		if err := c.Err(); err != nil {
			t.Errorf("%s: %v", test.yaml, err)
			continue
		}
		var got []string
		for _, claim := range c.Claims(file, root) {
			got = append(got, claim.Key+"="+claim.Value.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %q\nwant %q", test.yaml, got, test.want)
		}
		other := testSchema().Load(Sources{Project: file, Flags: []Setting{FlagSetting("engine", "nats://mine:1", "engine")}})
		for _, claim := range other.Claims(file, root) {
			if claim.Key == "engine" {
				t.Errorf("%s: a flag's value needs trust", test.yaml)
			}
		}
	}
}

func TestClaimTellsNoPassword(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mulligan.yaml")
	text := "version: 1\nengine: nats://me:word@host\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	claims := testSchema().Load(Sources{Project: file}).Claims(file, filepath.Dir(file))
	if len(claims) != 1 || strings.Contains(claims[0].Shown()+claims[0].ID(), "word") {
		t.Errorf("%v", claims)
	}
}
