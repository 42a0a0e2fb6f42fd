package plan

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// C1: a program that is not on PATH keeps a plan from beginning. A file that is missing does so only if
// nothing could make it before it is to run; else it is a note.
func TestCheckPrograms(t *testing.T) {
	const frame = "version: 1\nagent: a\nagents:\n  a: {type: program, exec: [x]}\n"
	for _, tt := range []struct {
		name, yaml string
		missing    string // of the error; "" for none
		note       string // a part of the only note; "" for none
	}{
		{name: "all there", yaml: "pipelines: {p: [{name: s, check: [here, ./there.sh, 'sh there.sh', 'cd x && gone']}]}"},
		{name: "a word", yaml: "pipelines: {p: [{name: s, check: gone --all}]}", missing: "mulligan.yaml:5:34: pipelines.p[0].check: gone is not on PATH"},
		{name: "a word of a later check", yaml: "pipelines: {p: [{name: s, check: here}, {name: t, check: [here, {type: shell, command: gone}]}]}", missing: "pipelines.p[1].check[1].command: gone is not on PATH"},
		{name: "of another pipeline", yaml: "pipelines: {p: [{name: s, check: here}], q: [{name: s, check: gone}]}"},
		{name: "a file", yaml: "pipelines: {p: [{name: s, check: ./gone.sh}]}", missing: "pipelines.p[0].check: ./gone.sh does not exist"},
		{name: "an interpreter's file", yaml: "pipelines: {p: [{name: s, check: sh gone.sh}]}", missing: "pipelines.p[0].check: gone.sh does not exist"},
		{name: "a file that may not be executed", yaml: "pipelines: {p: [{name: s, check: ./plain.sh}]}", missing: "./plain.sh may not be executed: chmod +x gives it the right"},
		{name: "a file of a later check", yaml: "pipelines: {p: [{name: s, check: [here, ./gone.sh]}]}", note: `check "./gone.sh" of step s cannot be run: ./gone.sh does not exist`},
		{name: "a file of a later step", yaml: "pipelines: {p: [{name: s, check: here}, {name: t, check: ./gone.sh}]}", note: `check "./gone.sh" of step t cannot be run`},
		{name: "a file that a hook may make", yaml: "pipelines: {p: [{name: s, check: ./gone.sh}]}\nhooks: {session_start: [{command: here}]}", note: `check "./gone.sh" of step s cannot be run`},
		{name: "a file that setup may make", yaml: "pipelines: {p: [{name: s, check: ./gone.sh}]}\nworkspace: {setup: here}", note: `check "./gone.sh" of step s cannot be run`},
		{name: "a file that is looked for", yaml: "pipelines: {p: [{name: s, check: test -e gone.sh && ./gone.sh}]}"},
		{name: "a hook", yaml: "pipelines: {p: [{name: s}]}\nhooks: {on_error: [{command: 'gone {{error}}'}]}", missing: "mulligan.yaml:6:30: hooks.on_error[0].command: gone is not on PATH"},
		{name: "a hook's own PATH", yaml: "pipelines: {p: [{name: s}]}\nhooks: {session_end: [{command: own, env: {PATH: own-bin}}]}"},
		{name: "a hook's own folder", yaml: "pipelines: {p: [{name: s}]}\nhooks: {session_end: [{command: ./own, dir: own-bin}]}"},
		{name: "a hook's file", yaml: "pipelines: {p: [{name: s}]}\nhooks: {session_end: [{command: ./gone.sh}]}", note: `session_end hook "./gone.sh" cannot be run: ./gone.sh does not exist`},
		{name: "a command line for an agent's program", yaml: "  b: {type: program, exec: [my-agent --quiet]}\npipelines: {p: [{name: s}]}", note: `agent b cannot be run: there is no program whose name is "my-agent --quiet"; the words of exec: are items of a list each: [my-agent, --quiet]`},
		{name: "an agent's program with a blank in its name", yaml: "  b: {type: program, exec: [./own-bin/my agent]}\npipelines: {p: [{name: s}]}"},
		{name: "a Stop hook", yaml: "pipelines: {p: [{name: s}]}\nagent_hooks: {Stop: [{hooks: [{command: gone}]}]}", missing: "agent_hooks.Stop[0].hooks[0].command: gone is not on PATH"},
		{name: "a Stop hook that may fail", yaml: "pipelines: {p: [{name: s}]}\nagent_hooks: {Stop: [{hooks: [{command: gone, on_failure: allow}]}]}", note: `Stop hook "gone" of mulligan.yaml cannot be run: gone is not on PATH`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(workplace(t, map[string]string{"mulligan.yaml": frame + tt.yaml + "\n", "there.sh": "x", "plain.sh": "x", "own-bin/own": "x", "own-bin/my agent": "x", "bin/here": "x", "bin/sh": "x"}))
			for _, name := range []string{"there.sh", "own-bin/own", "own-bin/my agent", "bin/here", "bin/sh"} {
				if err := os.Chmod(filepath.Join(r.Root, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			r.Environ = []string{"PATH=" + filepath.Join(r.Root, "bin")}
			p, err := Make(r)
			if err != nil {
				t.Fatal(err)
			}
			err = CheckPrograms(r.Config, r.Root, r.Environ, p)
			missing, ok := errors.AsType[*NotReadyError](err)
			switch {
			case tt.missing == "" && err != nil:
				t.Errorf("got %v", err)
			case tt.missing != "" && (!ok || len(missing.Missing) != 1 || !strings.Contains(err.Error(), tt.missing)):
				t.Errorf("got %v, want %s", err, tt.missing)
			}
			if notes := strings.Join(p.Notes, "\n"); (notes == "") != (tt.note == "") || !strings.Contains(notes, tt.note) {
				t.Errorf("the notes are %q, want %q", notes, tt.note)
			}
		})
	}
}

// The first check of a loop is as that of a pipeline; a final check runs after iterations that may make
// its file.
func TestCheckProgramsOfALoop(t *testing.T) {
	for yaml, want := range map[string]string{
		"loop: {check: ./gone.sh}":                         "mulligan.yaml:4:15: loop.check: ./gone.sh does not exist",
		"loop: {check: [true, ./gone.sh]}":                 "",
		"loop: {final_check: ./gone.sh}":                   "",
		"loop: {check: ':', final_check: no-such-program}": "loop.final_check: no-such-program is not on PATH",
	} {
		r := request(workplace(t, map[string]string{"mulligan.yaml": "version: 1\nagent: a\nagents: {a: {type: program, exec: [x]}}\n" + strings.Replace(yaml, "true", "':'", 1) + "\n"}))
		r.Environ = []string{"PATH=/nowhere"}
		plans, err := All(r)
		if err != nil {
			t.Fatal(err)
		}
		err = CheckPrograms(r.Config, r.Root, r.Environ, plans...)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}
