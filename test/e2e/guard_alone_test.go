package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// byHand runs Claude Code as a person does, without a session of mulligan's.
func (s *stage) byHand(args ...string) {
	s.t.Helper()
	pool := process.NewPool(process.PoolOptions{})
	var out bytes.Buffer
	exit, err := pool.Run(s.t.Context(), process.Spec{
		Argv: append([]string{s.path, "--permission-mode", "bypassPermissions", "-p"}, args...), Dir: s.dir, Env: s.env, Stdout: &out, Stderr: &out, Timeout: hung,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.alone()
	if exit.Code != 0 {
		s.t.Fatalf("the program exited with %d: %s", exit.Code, out.String())
	}
}

// installGuard writes the hooks into the project's settings, and switches the guard on.
func (s *stage) installGuard() {
	s.t.Helper()
	s.mulligan("guard", "install").exits(0)
	s.mulligan("guard", "on").exits(0)
}

// guardItems are the items of `guard status --json`, each as "content status attempts".
func (s *stage) guardItems() []string {
	s.t.Helper()
	var status struct {
		Sessions []struct {
			Items []struct {
				Content  string `json:"content"`
				Status   string `json:"status"`
				Attempts int    `json:"attempts"`
			} `json:"items"`
		} `json:"sessions"`
	}
	r := s.mulligan("guard", "status", "--json").exits(0)
	if err := json.Unmarshal([]byte(r.stdout), &status); err != nil {
		s.t.Fatalf("%v in %s", err, r.stdout)
	}
	var list []string
	for _, session := range status.Sessions {
		for _, item := range session.Items {
			list = append(list, fmt.Sprintf("%s %s %d", item.Content, item.Status, item.Attempts))
		}
	}
	return list
}

func (s *stage) guardHas(want ...string) {
	s.t.Helper()
	if got := s.guardItems(); !slices.Equal(got, want) {
		s.t.Errorf("the guard has %q, want %q", got, want)
	}
}

// TestGuardByHand: `guard install` and `guard on`, and no config: a person's Claude Code is asked to show
// what was done, and then believed.
func TestGuardByHand(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		env   []string
		opens modeltest.Turn
		done  modeltest.Turn
		opened, closed,
		tool string
	}{
		"TodoWrite": {
			[]string{enableAny, enableOld},
			todos("write the answer"), todos("x write the answer"),
			"Todos have been modified", "Todos have been modified", "TodoWrite",
		},
		"TaskUpdate": {
			[]string{enableAny},
			creates("write the answer"), updates("1", object{"status": "completed"}),
			"created successfully", "Updated task #1", "TaskUpdate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, setup{})
			if err := os.Remove(s.at("mulligan.yaml")); err != nil {
				t.Fatal(err)
			}
			s.play(
				tt.opens.At("Make the answer"),
				tt.done.At(tt.opened),
				claude.runs("echo right > answer; echo it-is-made").At("Not accepted yet: 'write the answer' (claim 1 of 5)"),
				tt.done.At("it-is-made"),
				modeltest.Say("It is made.").At(tt.closed),
			)
			s.env = append(s.env, tt.env...)
			s.installGuard()
			s.byHand("Make the answer.")
			s.played()
			if got := s.heard("Not accepted yet").Newest(); !strings.Contains(got, "PreToolUse:"+tt.tool+" hook error: Not accepted yet: 'write the answer' (claim 1 of 5). First show what was done") {
				t.Errorf("the model heard %q", got)
			}
			s.guardHas("write the answer passed 0")
		})
	}
}

// TestGuardByHandJudged: a second agent decides, the limit's sentence reaches the model, and the claim
// that a person has approved passes in the conversation that goes on.
func TestGuardByHandJudged(t *testing.T) {
	t.Parallel()
	const asked = "the work that is said to be done"
	const sentence = "Maximum retry attempts (2) exceeded for: 'write the answer'. Please wait for user guidance or manually mark as completed."
	s := onStage(t, setup{config: "guard: {max_retry_attempts: 2, validate: {agent: it}}\n"}).play(
		todos("x write the answer").At("Make the answer"),
		todos("x write the answer").At("(claim 1 of 2)"),
		modeltest.Say(`{"ok": false, "reason": "nothing-is-there"}`).At(asked).WithoutTools(),
		todos("x write the answer").At("nothing-is-there"),
		modeltest.Say("I wait for you.").At(sentence),
		todos("x write the answer").At("I have seen it"),
		modeltest.Say("Thank you.").At("Todos have been modified"),
	)
	s.env = append(s.env, enableAny, enableOld)
	s.installGuard()
	s.byHand("Make the answer.")
	s.guardHas("write the answer over 3")
	s.mulligan("guard", "approve", "write the answer").exits(0)
	s.byHand("--continue", "I have seen it.")
	s.played()
	s.guardHas("write the answer passed 0")
}
