package e2e

import (
	"os"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/process/processtest"
	"mulligan/test/modeltest"
)

// moveOutOfTmp puts the temporary folders of a test where a confined agent may not write, as a person's home is.
func moveOutOfTmp(t *testing.T) {
	t.Helper()
	if !process.DescribeLandlock(process.LandlockABI()).Confines {
		t.Skip("the kernel has no Landlock that can confine")
	}
	if _, err := built(); err != nil { // in a folder that outlives this test
		t.Fatal(err)
	}
	root, err := os.MkdirTemp(processtest.CacheDir(t), "mt") // short: sockets are made below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	t.Setenv("TMPDIR", root)
	t.Setenv("XDG_RUNTIME_DIR", root) // else sockets may be in /tmp, which keeps agents from that
}

// TestConfined: the programs work confined, in a home and a workspace that are not in /tmp, and what they run
// cannot write the home. By default they then may do everything else.
func TestConfined(t *testing.T) {
	for _, name := range []string{"claude", "codex"} {
		t.Run(name, func(t *testing.T) {
			moveOutOfTmp(t)
			a := cast[name]
			s := onStage(t, setup{by: name, config: oneStep})
			s.play(a.runs(triesBoth).At("Make the answer"), modeltest.Say("It is made.").At("it-is-made"))
			r := s.run(0)
			s.played()
			if s.isPlanted() || s.file("answer") != "right" {
				t.Errorf("planted: %v, answer %q\n%s", s.isPlanted(), s.file("answer"), r.shown())
			}
		})
	}
}

// honestSteps are two steps with the project's tests as their check: the first without write rules, the second with some.
const honestSteps = `pipelines:
  default:
    - {name: one, prompt: do the first thing, check: sh test.sh one}
    - name: two
      prompt: do the second thing
      check: sh test.sh two
      file_access: {allow_write: [src/two], protect: [test.sh]}
`

// TestHonestConfined: each program edits a file with its own tool and runs the tests with its own shell, confined,
// under the config that a person gets without asking. It is verified at once, the commits hold the two files and nothing
// else, and there is no false alarm: nothing was against the rules, put back, denied or refused.
func TestHonestConfined(t *testing.T) {
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "claude-acp", "codex-acp"} {
		t.Run(name, func(t *testing.T) {
			moveOutOfTmp(t)
			a := cast[name]
			s := onStage(t, setup{by: name, config: honestSteps, files: map[string]string{
				"src/README": "Here is the source.\n",
				"test.sh":    "grep -qx right src/$1 && echo the-tests-of-$1-pass && exit\necho src/$1 is not right\nexit 1\n",
			}})
			s.put("mulligan.yaml", strings.Replace(s.config(), "    permissions: full\n", "", 1))
			s.play(
				a.writes(s.work("src/one"), "right\n").At("do the first thing"), a.runs("sh test.sh one; git status"),
				modeltest.Say("The first is made.").At("the-tests-of-one-pass"),
				a.writes(s.work("src/two"), "right\n").At("do the second thing"), a.runs("sh test.sh two; git add -A; git commit -qm made"),
				modeltest.Say("The second is made.").At("the-tests-of-two-pass"),
			)
			r := s.run(0)
			s.played()
			s.undisturbed(r)
			changed := s.git("diff", "--name-status", "main", s.branch())
			if o := r.outcome(); o.Ended != mulligan.Verified || o.Iterations != 2 || changed != "A\tsrc/one\nA\tsrc/two" || s.git("status", "--short") != "" {
				t.Errorf("outcome %+v\nthe commits hold %q\n%s", o, changed, s.git("status", "--short"))
			}
		})
	}
}

// undisturbed: the agent was confined by Landlock, might do everything else, and nothing that it did counted as a fault.
func (s *stage) undisturbed(r ran) {
	s.t.Helper()
	for _, started := range all[mulligan.SessionStarted](r) {
		if it := started.Plan.Agents["it"]; it.Confined != process.Landlock || it.Permissions != "full" {
			s.t.Errorf("confined by %q, permissions %q", it.Confined, it.Permissions)
		}
	}
	for _, turn := range all[mulligan.TurnEnded](r) {
		if turn.Breach != nil || len(turn.Result.Refused)+len(turn.Result.Denied) > 0 || turn.Result.Ending != mulligan.Finished {
			s.t.Errorf("turn %d: %s; against the rules %+v, refused %v, denied %v", turn.Turn, turn.Result.Ending, turn.Breach, turn.Result.Refused, turn.Result.Denied)
		}
	}
	for _, gate := range all[mulligan.GateEnded](r) {
		if gate.Verdict.Status != mulligan.Pass || len(gate.Undone) > 0 {
			s.t.Errorf("check %d: %+v, put back %v", gate.Index, gate.Verdict, gate.Undone)
		}
	}
	for _, note := range all[mulligan.Noted](r) {
		s.t.Errorf("a note: %s", note.Text)
	}
	if got := r.attempts(); !slices.Equal(got, []int{1, 1}) {
		s.t.Errorf("attempts %v", got)
	}
}
