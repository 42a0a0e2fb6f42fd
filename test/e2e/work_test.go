package e2e

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"mulligan"
	"mulligan/test/modeltest"
)

// oneStep is a pipeline whose check wants the right answer.
const oneStep = `pipelines:
  default:
    - name: make
      check: 'grep -x right answer || { echo the-answer-is-not-right; exit 1; }'
      retry: 2
limits: {failed_iterations: 1}
`

// right writes the right answer and says so.
func (a actor) right(at string) []modeltest.Turn {
	return []modeltest.Turn{a.runs("echo right > answer; echo it-is-made").At(at), modeltest.Say("It is made.").At("it-is-made")}
}

// wrongThenRight notes a task first, and is right only when it hears what was wrong.
func (a actor) wrongThenRight(evidence string) []modeltest.Turn {
	return append(a.right(evidence),
		a.uses("task_add", object{"content": "write the answer"}).At("Make the answer"),
		a.runs("echo wrong > answer; echo first-is-made"),
		modeltest.Say("Done, I think.").At("first-is-made"))
}

// later is a command that ends when a conversation that began before it can be brought back.
func (a actor) later() string {
	if a.forgetful {
		return "sleep $((61 - $(date +%-S)))"
	}
	return "true"
}

// TestFeedback: a wrong attempt, the evidence in the same conversation, a right one, committed.
// What was spent is told.
func TestFeedback(t *testing.T) {
	// How much is told of five calls: Gemini CLI does not tell what was cached, opencode tells only
	// of the last call of a turn.
	one := modeltest.DefaultUsage
	told := map[string]struct{ calls, input, cached int }{
		"claude": {5, one.Input, one.Cached}, "codex": {5, one.Input, one.Cached}, "gemini": {5, one.Input, 0},
		"opencode":   {2, one.Input, one.Cached},
		"claude-acp": {5, one.Input, one.Cached}, "codex-acp": {5, one.Input, one.Cached},
	}
	with(t, []string{"claude", "codex", "gemini", "opencode", "claude-acp", "codex-acp"}, func(t *testing.T, name string) {
		a := cast[name]
		s := onStage(t, setup{by: name, config: strings.Replace(oneStep, "exit 1", a.later()+"; exit 1", 1)})
		s.play(a.wrongThenRight("the-answer-is-not-right")...)
		r := s.run(0)
		s.played()
		if got := r.attempts(); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("attempts %v", got)
		}
		if history := s.heard("the-answer-is-not-right").Conversation(); !strings.Contains(history, "Done, I think.") {
			t.Errorf("the conversation began anew: %s", history)
		}
		if s.file("answer") != "right" || !strings.Contains(s.git("log", "--format=%s", "--all"), "mulligan(make)") {
			t.Errorf("answer %q, commits %s", s.file("answer"), s.git("log", "--oneline", "--all"))
		}
		if tasks := r.outcome().Tasks; tasks.All != 1 {
			t.Errorf("tasks %+v", tasks)
		}
		spent := s.status().Spent
		if spent.Turns != 2 || spent.Usage != r.outcome().Usage {
			t.Errorf("spent %+v, and the outcome has %+v", spent, r.outcome().Usage)
		}
		if (spent.Usage.CostUSD > 0) != (name == "claude") || spent.Usage.Estimated != (a.kind == "acp") {
			t.Errorf("spent %+v", spent.Usage)
		}
		u, want := spent.Usage, told[name]
		if int(u.InputTokens) != want.calls*want.input || int(u.CachedTokens) != want.calls*want.cached || int(u.OutputTokens) != want.calls*one.Output {
			t.Errorf("spent %+v, want %+v", u, want)
		}
	})
}

// TestStopHook: it sends the agent back in the same conversation, without an attempt.
func TestStopHook(t *testing.T) {
	with(t, []string{"claude", "codex", "gemini"}, func(t *testing.T, name string) {
		a := cast[name]
		s := onStage(t, setup{
			by:     name,
			config: oneStep + "agent_hooks:\n  Stop:\n    - hooks: [{type: command, command: ./stop.sh, timeout: 120}]\n",
			files:  map[string]string{"stop.sh": "#!/bin/sh\ngrep -qx right answer && exit 0\n" + a.later() + "\necho the-hook-says-no >&2\nexit 2\n"},
		}).play(a.wrongThenRight("the-hook-says-no")...)
		r := s.run(0)
		s.played()
		if got := r.attempts(); !slices.Equal(got, []int{1}) {
			t.Errorf("attempts %v", got)
		}
		if history := s.heard("the-hook-says-no").Conversation(); !strings.Contains(history, "Done, I think.") {
			t.Errorf("the conversation began anew: %s", history)
		}
		if turns := all[mulligan.TurnStarted](r); len(turns) != 2 || turns[1].Purpose != mulligan.ForHook || turns[1].Conversation == "" {
			t.Errorf("turns %+v", turns)
		}
	})
}

// TestStepsBeginAfresh: the second step's conversation knows nothing of the first one's.
func TestStepsBeginAfresh(t *testing.T) {
	with(t, []string{"claude", "codex", "gemini"}, func(t *testing.T, name string) {
		a := cast[name]
		s := onStage(t, setup{by: name, config: `pipelines:
  default:
    - {name: one, prompt: do the first thing, check: test -f one}
    - {name: two, prompt: do the second thing, check: test -f two}
`}).play(a.runs("touch one; echo one-is-made").At("do the first thing"), modeltest.Say("The first words.").At("one-is-made"),
			a.runs("touch two; echo two-is-made").At("do the second thing"), modeltest.Say("The second words.").At("two-is-made"))
		s.run(0)
		s.played()
		if history := s.heard("two-is-made").Conversation(); strings.Contains(history, "The first words.") || strings.Contains(history, "one-is-made") {
			t.Errorf("the second step goes on with the first one's conversation: %s", history)
		}
	})
}

// TestLoopWithTools: the agent keeps its tasks by the session's tools, and its word that all is
// complete is verified. Each iteration is a conversation of its own.
func TestLoopWithTools(t *testing.T) {
	with(t, []string{"claude", "codex", "gemini"}, func(t *testing.T, name string) {
		a := cast[name]
		s := onStage(t, setup{
			by:          name,
			permissions: "edits", // the session's tools are allowed whatever else is not
			task:        "The spec: a right answer.",
			config: `loop: {iterations: 4, check: grep -x right answer}
hooks:
  on_task_complete: [{command: "echo {{task_content}} >> ../completed"}]
`,
		})
		s.play(
			a.uses("task_add", object{"content": "write the answer"}).At("The spec: a right answer"),
			a.writes(s.work("wrong"), "wrong\n"),
			modeltest.Say("More to come."),
			a.writes(s.work("answer"), "right\n").At("The spec: a right answer"),
			a.uses("session_complete", object{"text": "too early"}),
			a.uses("task_update", object{"id": 1, "status": "completed"}),
			a.uses("session_complete", object{"text": "all is done"}),
			modeltest.Say("Complete."),
		)
		r := s.loop(0)
		s.played()
		if o := r.outcome(); o.Ended != mulligan.Verified || o.Iterations != 2 || o.Tasks.All != 1 || o.Tasks.Open != 0 {
			t.Errorf("outcome %+v", o)
		}
		if claims := all[mulligan.Claimed](r); len(claims) != 1 || claims[0].Text != "all is done" {
			t.Errorf("claims %+v", claims)
		}
		if ran := all[mulligan.HookEnded](r); len(ran) != 1 || ran[0].Moment != mulligan.OnTaskComplete || !ran[0].Result.OK || s.file("../completed") != "write the answer" {
			t.Errorf("hooks %+v wrote %q", ran, s.file("../completed"))
		}
		last := s.model.Asked()[len(s.model.Asked())-1]
		if strings.Contains(last.Conversation(), "More to come.") {
			t.Error("the second iteration goes on with the first one's conversation")
		}
		if turns := all[mulligan.TurnStarted](r); len(turns) != 2 || turns[1].Conversation != "" || !strings.Contains(turns[1].Prompt, "write the answer") {
			t.Errorf("turns %+v", turns)
		}
	})
}

// TestSideBySide: two sessions in two repositories, one home and one model, none mixed up.
func TestSideBySide(t *testing.T) {
	with(t, []string{"claude", "codex", "gemini"}, sideBySide)
}

func sideBySide(t *testing.T, name string) {
	sessions := 2
	var stages []*stage
	var turns []modeltest.Turn
	a := cast[name]
	if name == "codex" {
		sessions++ // see below
	}
	first := onStage(t, setup{by: name, config: oneStep, task: "You are number 0."})
	stages = append(stages, first)
	for n := 1; n < sessions; n++ {
		other := *first
		other.dir = t.TempDir()
		other.put("mulligan.yaml", first.config())
		other.put("task.md", fmt.Sprintf("You are number %d.\n", n))
		stages = append(stages, &other)
	}
	for n := range sessions {
		turns = append(turns,
			a.runs(fmt.Sprintf("echo right > answer; echo %d > mine; echo made-by-%d", n, n)).At(fmt.Sprintf("You are number %d.", n)),
			modeltest.Say(fmt.Sprintf("I was %d.", n)).At(fmt.Sprintf("made-by-%d", n)))
	}
	first.play(turns...)
	for _, s := range stages[1:] {
		s.model, s.env = first.model, first.env
		s.commit()
	}
	results := make([]ran, sessions)
	var wg sync.WaitGroup
	for n, s := range slices.Backward(stages) {
		if n == 2 {
			// Codex 0.166 fails where it is started twice in a home that it has never been in.
			results[n] = s.mulligan("run", "--foreground", "--json", "task.md")
			continue
		}
		wg.Go(func() { results[n] = s.mulligan("run", "--foreground", "--json", "task.md") })
	}
	wg.Wait()
	first.played()
	for n, s := range stages {
		results[n].exits(0)
		ended := all[mulligan.TurnEnded](results[n])
		if len(ended) != 1 || ended[0].Result.Message != fmt.Sprintf("I was %d.", n) || s.file("mine") != fmt.Sprint(n) {
			t.Errorf("session %d: turns %+v, the workspace says %q", n, ended, s.file("mine"))
		}
	}
}
