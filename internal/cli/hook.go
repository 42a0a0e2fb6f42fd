package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mulligan/internal/guardhook"
	"mulligan/internal/process"
	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
	"mulligan/task/door"
)

// maxEvent is how many bytes an event of an agent may have.
const maxEvent = 6 << 20

// hookName is the command that agents' hooks call.
const hookName = "hook"

func newHook(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   hookName + " [EVENT]",
		Short: "Answer an agent's own hook; agents are told to call it",
		Long: `Hook is what an agent's program calls at the moments that happen inside it (PreToolUse,
PostToolUse …). It reads the event as JSON on standard input; EVENT is its name, else the event's
own hook_event_name. Inside a session it has the session run the hooks that mulligan.yaml has for
them, and answers in the agent's own terms. Outside of one it answers for the guard, where that is
on: see ` + "`mulligan guard`" + `. Where it cannot, it denies and says why: exit 2.`,
		Args:   cobra.MaximumNArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.Getenv(process.DoorEnv) == "" || a.identifyCaller().Role == process.RoleNone {
				return a.answerGuarded(cmd.Context(), firstArg(args))
			}
			return a.answerHook(cmd.Context(), firstArg(args))
		},
	}
}

// answerGuarded answers an event of an agent that no session runs.
func (a *App) answerGuarded(ctx context.Context, event string) error {
	if event != "" && !guardhook.IsGuarded(event) {
		return nil
	}
	answer := guardhook.Handler{Env: a.Env, Validate: guardhook.JudgeClaims(a.Env)}.Answer(ctx, event, a.Stdin)
	return a.printHookAnswer(protocol.HookAnswer(answer))
}

// answerHook denies what it cannot answer: an agent takes a hook that breaks for one that allows.
func (a *App) answerHook(ctx context.Context, event string) error {
	answer, err := a.askHooks(ctx, event)
	if err != nil {
		fmt.Fprintf(a.Stderr, "mulligan: the %s hooks could not be asked, so this is not allowed: %v\n", cmp.Or(event, "agent's"), err)
		return usererror.Exit(2)
	}
	return a.printHookAnswer(answer)
}

func (a *App) printHookAnswer(answer protocol.HookAnswer) error {
	fmt.Fprint(a.Stdout, answer.Stdout)
	fmt.Fprint(a.Stderr, answer.Stderr)
	if answer.Exit != 0 {
		return usererror.Exit(answer.Exit)
	}
	return nil
}

// askHooks has the session run the hooks of an event that is read from standard input.
func (a *App) askHooks(ctx context.Context, event string) (answer protocol.HookAnswer, err error) {
	input, err := io.ReadAll(io.LimitReader(a.Stdin, maxEvent+1))
	if err != nil {
		return answer, err
	}
	if len(input) > maxEvent {
		return answer, fmt.Errorf("the event is larger than %d bytes", maxEvent)
	}
	if !json.Valid(input) {
		return answer, fmt.Errorf("the event is not JSON")
	}
	if event == "" {
		if event = ownName(input); event == "" {
			return answer, fmt.Errorf("the event has no hook_event_name")
		}
	}
	reply, err := door.Call(ctx, a.Getenv, protocol.NewRequest(protocol.ToolHook, protocol.HookArgs{Event: event, Input: input}))
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(reply, &answer)
}

// ownName returns the name that an event gives itself, or "" if it gives none.
func ownName(input []byte) string {
	var e struct {
		Name string `json:"hook_event_name"`
	}
	_ = json.Unmarshal(input, &e)
	return e.Name
}
