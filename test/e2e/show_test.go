package e2e

import (
	"strings"
	"testing"

	"mulligan"
	"mulligan/test/modeltest"
)

// TestChecksMayBeRun: with permissions: edits an agent may run its step's check exactly as it is, and no
// command that is longer. What it said and did is shown, with the commands.
func TestChecksMayBeRun(t *testing.T) {
	t.Parallel()
	const check = "./check 'of the answer'"
	config := "pipelines:\n  default:\n    - name: make\n      check: \"" + check + "\"\n      retry: 1\n"
	for _, name := range []string{"claude", "claude-acp", "gemini"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := cast[name]
			s := onStage(t, setup{by: name, permissions: "edits", config: config})
			s.put("check", "#!/bin/sh\necho \"ran $0 $*\" >>ran\ntest -e answer\n")
			s.play(
				a.writes(s.work("answer"), "right\n").At("Make the answer"), a.runs(check), a.runs(check+"; ./check again"),
				modeltest.Say("I looked at it."),
			)
			r := s.run(0)
			ended := all[mulligan.TurnEnded](r)
			if len(ended) != 1 || len(ended[0].Result.Denied) != 1 {
				t.Fatalf("turns %+v\n%s", ended, s.logs())
			}
			if ran := s.file("ran"); !strings.HasPrefix(ran, "ran ./check of the answer") || strings.Contains(ran, "again") {
				t.Errorf("ran %q\n%s", ran, s.logs())
			}
			shown := s.mulligan("show").exits(0).stdout
			for _, want := range []string{"  > ", check + "\n", "│ I looked at it.\n", "denied", "; ./check again", "permissions: full}}"} {
				if !strings.Contains(shown, want) {
					t.Errorf("%q is not shown:\n%s", want, shown)
				}
			}
		})
	}
}
