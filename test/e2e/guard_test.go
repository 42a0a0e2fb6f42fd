package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mulligan"
	"mulligan/test/modeltest"
)

// The names by which Claude Code is told which tools it has for lists of its own.
const (
	todoTools = "    env: [CLAUDE_CODE_ENABLE_TODO_TOOLS, CLAUDE_CODE_ENABLE_TASKS]\n"
	enableOld = "CLAUDE_CODE_ENABLE_TASKS=0" // TodoWrite instead of TaskCreate and TaskUpdate
	enableAny = "CLAUDE_CODE_ENABLE_TODO_TOOLS=1"
)

// guarded is a pipeline whose checks decide about claims.
const guarded = "guard: {enabled: true}\n" + oneStep

// todos is a call of TodoWrite. An item begins with "x " where it is claimed to be done.
func todos(items ...string) modeltest.Turn {
	var list []object
	for _, item := range items {
		content, done := strings.CutPrefix(item, "x ")
		status := "in_progress"
		if done {
			status = "completed"
		}
		list = append(list, object{"content": content, "status": status, "activeForm": "Doing " + content})
	}
	return modeltest.Use(modeltest.Call{Name: "TodoWrite", Input: object{"todos": list}})
}

// updates is a call of TaskUpdate.
func updates(id string, more object) modeltest.Turn {
	input := object{"taskId": id}
	for name, value := range more {
		input[name] = value
	}
	return modeltest.Use(modeltest.Call{Name: "TaskUpdate", Input: input})
}

// creates is a call of TaskCreate.
func creates(subject string) modeltest.Turn {
	return modeltest.Use(modeltest.Call{Name: "TaskCreate", Input: object{"subject": subject, "description": subject + ", really"}})
}

// claims are the claims of a session, each item as "content attempt status", with what came of it.
func (r ran) claims() []string {
	r.t.Helper()
	var list []string
	for _, c := range all[mulligan.GuardClaimed](r) {
		for _, item := range c.Items {
			list = append(list, fmt.Sprintf("%s %d %s", item.Content, item.Attempt, item.Status))
		}
	}
	for _, c := range all[mulligan.GuardRuled](r) {
		for _, item := range c.Items {
			list = append(list, fmt.Sprintf("%s %d %s by %s", item.Content, item.Attempt, item.Status, item.By))
		}
	}
	return list
}

func (r ran) claimed(want ...string) {
	r.t.Helper()
	if got := r.claims(); !slices.Equal(got, want) {
		r.t.Errorf("claims:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// untouched: no settings of an agent were written, neither the project's nor the user's.
func (s *stage) untouched() {
	s.t.Helper()
	home := ""
	for _, kv := range s.env {
		if dir, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = dir
		}
	}
	for _, path := range []string{
		s.at(".claude"), s.at(".codex"), s.work(".claude"), s.work(".codex"), filepath.Join(home, ".claude", "settings.json"), filepath.Join(home, ".claude", "settings.local.json"),
		filepath.Join(home, ".codex", "hooks.json"),
	} {
		if _, err := os.Stat(path); err == nil {
			s.t.Errorf("the session has written %s", path)
		}
	}
	if left := s.git("status", "--porcelain"); left != "" {
		s.t.Errorf("the session has left %q", left)
	}
}

// TestGuardTodoWrite: an item of the agent's own list is denied with the reason, then decided by the
// checks, and passes when they do.
func TestGuardTodoWrite(t *testing.T) {
	t.Parallel()
	s := onStage(t, setup{agent: todoTools, config: guarded}).play(
		todos("write the answer", "x look around").At("Make the answer"),
		todos("write the answer").At("Not accepted yet: 'look around' (claim 1 of 5)"),
		todos("x write the answer").At("Todos have been modified"),
		claude.runs("echo wrong > answer; echo first-is-made").At("Not accepted yet: 'write the answer' (claim 1 of 5)"),
		todos("x write the answer").At("first-is-made"),
		claude.runs("echo right > answer; echo it-is-made").At("the-answer-is-not-right"),
		todos("x write the answer").At("it-is-made"),
		modeltest.Say("It is made.").At("Todos have been modified"),
	)
	s.env = append(s.env, enableAny, enableOld)
	r := s.run(0)
	s.played()
	if got := s.heard("Not accepted yet: 'write the answer'").Newest(); !strings.Contains(got, "PreToolUse:TodoWrite hook error: Not accepted yet: 'write the answer' (claim 1 of 5). First show what was done") {
		t.Errorf("the model heard %q", got)
	}
	if got := s.heard("the-answer-is-not-right").Newest(); !strings.Contains(got, "It was looked at by the checks, who found:") {
		t.Errorf("the model heard %q", got)
	}
	r.claimed(
		"look around 1 denied", "write the answer 1 denied", "write the answer 2 validating", "write the answer 3 validating",
		"write the answer 2 denied by checks", "write the answer 3 passed by checks",
	)
	if o := r.outcome(); o.Ended != mulligan.Verified || !slices.Equal(r.attempts(), []int{1}) {
		t.Errorf("ended %s in the attempts %v", o.Ended, r.attempts())
	}
	s.untouched()
}

// TestGuardTasks: a claim of which two hooks of the program tell is one attempt, by the subject that the
// program was told when the task was created. A task that is renamed and claimed in one call is
// claimed by its new name, of which the second hook does not know.
func TestGuardTasks(t *testing.T) {
	t.Parallel()
	completed := object{"status": "completed"}
	s := onStage(t, setup{agent: todoTools, config: guarded}).play(
		creates("write the answer").At("Make the answer"),
		updates("1", object{"status": "in_progress"}).At("created successfully"),
		updates("1", completed).At("Updated task #1"),
		claude.runs("echo right > answer; echo it-is-made").At("Not accepted yet: 'write the answer' (claim 1 of 5)"),
		updates("1", completed).At("it-is-made"),
		creates("tell of it").At("Updated task #1"),
		updates("2", object{"subject": "tell the world", "status": "completed"}).At("created successfully"),
		updates("2", object{"subject": "tell the world", "status": "completed"}).At("Not accepted yet: 'tell the world' (claim 1 of 5)"),
		modeltest.Say("It is made.").At("Updated task #2"),
	)
	s.env = append(s.env, enableAny)
	r := s.run(0)
	s.played()
	if got := s.heard("Not accepted yet: 'write the answer'").Newest(); !strings.Contains(got, "PreToolUse:TaskUpdate hook error: Not accepted yet") {
		t.Errorf("the model heard %q", got)
	}
	r.claimed(
		"write the answer 1 denied", "write the answer 2 validating", "tell the world 1 denied", "tell the world 2 validating",
		"write the answer 2 passed by checks", "tell the world 2 passed by checks",
	)
	s.untouched()
}

// TestGuardOver: the model is told the limit's sentence word for word, in each later call that claims
// the item. Other work goes on, and a session that has nothing else left waits for a person.
func TestGuardOver(t *testing.T) {
	t.Parallel()
	const sentence = "Maximum retry attempts (2) exceeded for: 'write the answer'. Please wait for user guidance or manually mark as completed."
	s := onStage(t, setup{agent: todoTools, config: strings.Replace(guarded, "enabled: true", "enabled: true, max_retry_attempts: 2", 1)}).play(
		todos("x write the answer").At("Make the answer"),
		todos("x write the answer").At("(claim 1 of 2)"),
		todos("x write the answer").At("(claim 2 of 2)"),
		modeltest.Say("I wait for a person.").At(sentence),
		claude.runs("echo right > answer; echo it-is-made").At("Please analyze this error"),
		todos("write the answer").At("it-is-made"),
		todos("x write the answer").At("Todos have been modified"),
		modeltest.Say("I wait again.").At(sentence),
	)
	s.env = append(s.env, enableAny, enableOld)
	r := s.run(5)
	s.played()
	r.claimed(
		"write the answer 1 denied", "write the answer 2 validating", "write the answer 3 over", "write the answer 4 over",
		"write the answer 2 denied by checks",
	)
	if o := r.outcome(); o.Ended != mulligan.Waiting || !strings.Contains(o.Reason, "'write the answer'") {
		t.Errorf("ended %s: %s", o.Ended, o.Reason)
	}
	// what was denied is the claim: the agent may use the tool
	if prompt := all[mulligan.TurnStarted](r)[1].Prompt; strings.Contains(prompt, "TodoWrite") {
		t.Errorf("the agent is told to do without the tool:\n%s", prompt)
	}
	s.untouched()
}

// TestGuardOwnTasks: a refusal of one of mulligan's own tasks reaches the model through the session's
// tools.
func TestGuardOwnTasks(t *testing.T) {
	with(t, []string{"claude", "codex", "gemini"}, func(t *testing.T, name string) {
		a := cast[name]
		done := object{"id": 1, "status": "completed"}
		s := onStage(t, setup{by: name, config: guarded})
		s.play(
			a.uses("task_add", object{"content": "write the answer"}).At("Make the answer"),
			a.uses("task_update", done),
			a.uses("task_update", done).At("Not accepted yet: 'write the answer' (claim 1 of 5). First show what was done"),
			a.runs("echo right > answer; echo it-is-made").At("the-answer-is-not-right"),
			a.uses("task_update", done).At("it-is-made"),
			modeltest.Say("It is made."),
		)
		r := s.run(0)
		s.played()
		r.claimed(
			"write the answer 1 denied", "write the answer 2 validating", "write the answer 3 validating",
			"write the answer 2 denied by checks", "write the answer 3 passed by checks",
		)
		if n := len(all[mulligan.TaskCompleted](r)); n != 1 {
			t.Errorf("%d tasks were completed", n)
		}
	})
}

// TestGuardJudge: a second agent of the same program decides. It sees what the first did, and has no
// tools itself.
func TestGuardJudge(t *testing.T) {
	t.Parallel()
	s := onStage(t, setup{agent: todoTools, config: "  second: {type: claude, exec: [SECOND]}\nguard: {enabled: true, validate: {agent: second}}\n" + oneStep})
	s.put("mulligan.yaml", strings.Replace(s.config(), "SECOND", s.path, 1))
	const asked = "the work that is said to be done"
	no, yes := modeltest.Say(`{"ok": false, "reason": "nothing-is-there"}`).At(asked).WithoutTools(), modeltest.Say(`{"ok": true, "reason": "it is there"}`).At(asked).WithoutTools()
	s.play(
		todos("x write the answer").At("Make the answer"),
		todos("x write the answer").At("(claim 1 of 5)"),
		no,
		claude.runs("echo right > answer; echo it-is-made").At("nothing-is-there"),
		todos("x write the answer").At("it-is-made"),
		yes,
		modeltest.Say("It is made.").At("Todos have been modified"),
	)
	s.env = append(s.env, enableAny, enableOld)
	r := s.run(0)
	s.played()
	r.claimed(
		"write the answer 1 denied", "write the answer 2 validating", "write the answer 3 validating",
		"write the answer 2 denied by second", "write the answer 3 passed by second",
	)
	var questions []modeltest.Request
	for _, q := range s.model.Log() {
		if q.Side && strings.Contains(q.Newest(), asked) {
			questions = append(questions, q)
		}
	}
	if len(questions) != 2 {
		t.Fatalf("the second agent was asked %d times", len(questions))
	}
	if last := questions[1].Newest(); !strings.Contains(last, "+right") || !strings.Contains(last, "it-is-made") {
		t.Errorf("the second agent was asked: %s", last)
	}
	for _, ruled := range all[mulligan.GuardRuled](r) {
		if len(ruled.Judges) != 1 || ruled.Judges[0].InputTokens == 0 {
			t.Errorf("the second agent has used %+v", ruled.Judges)
		}
	}
	s.untouched()
}

// TestGuardPlan: Codex's plan and its goal are guarded as the lists of others are.
func TestGuardPlan(t *testing.T) {
	t.Parallel()
	plans := func(status string) modeltest.Turn {
		return modeltest.Use(modeltest.Call{Name: "update_plan", Input: object{"plan": []object{{"step": "write the answer", "status": status}}}})
	}
	s := onStage(t, setup{by: "codex", config: guarded}).play(
		plans("in_progress").At("Make the answer"),
		plans("completed").At("Plan updated"),
		codex.runs("echo right > answer; echo it-is-made").At("Not accepted yet: 'write the answer' (claim 1 of 5)"),
		plans("completed").At("it-is-made"),
		modeltest.Say("It is made.").At("Plan updated"),
	)
	s.appendCodexConfig("\n[tools.update_plan]\nenabled = true\n")
	r := s.run(0)
	s.played()
	if got := s.heard("Not accepted yet: 'write the answer'").Newest(); !strings.Contains(got, "Tool call blocked by PreToolUse hook: Not accepted yet") {
		t.Errorf("the model heard %q", got)
	}
	r.claimed("write the answer 1 denied", "write the answer 2 validating", "write the answer 2 passed by checks")
	s.untouched()
}

// appendCodexConfig appends to the settings of the user's Codex.
func (s *stage) appendCodexConfig(text string) {
	s.t.Helper()
	for _, kv := range s.env {
		dir, ok := strings.CutPrefix(kv, "CODEX_HOME=")
		if !ok {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, "config.toml"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			s.t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(text); err != nil {
			s.t.Fatal(err)
		}
	}
}
