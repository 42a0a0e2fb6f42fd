package config

import (
	"slices"
	"strings"
)

// The fields of what happens around an agent's turns: the loop, hooks, and questions.

func loopField(check *Type) Field {
	loop := Obj(
		Field{Name: "iterations", Doc: "at most so many; 0 is no such limit, and needs another under limits", Default: "20", Type: From(0)},
		Field{Name: "prompt_file", Doc: "file with the template of every iteration's prompt, relative to this file", Trust: TrustOutside, Type: NamedString("a file")},
		Field{Name: "check", Doc: "what runs after every iteration", Type: check},
		Field{Name: "final_check", Doc: "what a claim of completion has to pass besides", Type: check},
		fileAccessField("loop"),
		baselineField("run the checks before the first iteration, so that only new failures count; strict: all count, and the agent is told which are new"),
	)
	loop.Elsewhere = map[string]string{
		"limits": "a loop has no limits of its own: put the session's under limits at the top level",
	}
	return Field{Name: "loop", Doc: "an open-ended session", Type: loop}
}

func hooksField() Field {
	moments := []Field{
		{Name: "session_start", Doc: "once, before the first iteration"},
		{Name: "pre_iteration", Doc: "before each iteration"},
		{Name: "post_iteration", Doc: "after each iteration's gates"},
		{Name: "on_task_complete", Doc: "when a task becomes completed"},
		{Name: "on_error", Doc: "when an agent's turn failed, or mulligan itself did"},
		{Name: "session_end", Doc: "once, at the end"},
	}
	for i := range moments {
		moments[i].Type = ListOf(hookType(moments[i].Name))
	}
	return Field{Name: "hooks", Doc: "commands at moments of the session", Type: Obj(moments...)}
}

// hookType returns the type of a hook at a moment. Some keys only make sense at some moments.
func hookType(moment string) *Type {
	hook := Obj(
		Field{Name: "name", Doc: "what people call the hook; without one its command", Type: Str()},
		Field{Name: "command", Doc: "shell command, run in the workspace", Required: true, Type: NamedString("a command")},
		Field{Name: "timeout", Doc: "the hook is stopped after this", Default: "30s", Type: DurationType()},
		Field{Name: "pipe_output", Doc: "whether the agent gets what it prints", Default: "false", Type: Flag()},
		Field{Name: "env", Doc: "environment variables for it, besides those that mulligan was started with", Type: MapOf(&Type{Kind: Text})},
		Field{Name: "dir", Doc: "folder that it runs in, relative to the workspace", Trust: trustOutsideRoot, Type: NamedString("a path")},
	)
	hook.Noun = "a hook"
	hook.Elsewhere = map[string]string{}
	for _, some := range []struct {
		Field
		moments []string
	}{
		{Field{Name: "when", Doc: "after which verdict or outcome it runs", Default: "always", Type: Word("always", "failure", "success")}, []string{"post_iteration", "session_end"}},
		{Field{Name: "deliver", Doc: "when the agent gets the output: with the next iteration, or now", Default: "next", Type: Word("next", "now")}, []string{"post_iteration"}},
	} {
		hook.Elsewhere[some.Name] = "it may stand at " + strings.Join(some.moments, " and ")
		if slices.Contains(some.moments, moment) {
			hook.Fields = append(hook.Fields, some.Field)
		}
	}
	return hook
}
