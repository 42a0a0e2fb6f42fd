package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
	"mulligan/task/door"
)

// maxEvent is how many bytes an event of an agent may have.
const maxEvent = 6 << 20

func newHook(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "hook EVENT",
		Short: "Answer an agent's own hook; agents are told to call it",
		Long: `Hook is what an agent's program calls at the moments that happen inside it (PreToolUse,
PostToolUse …), where mulligan.yaml has hooks for them. It reads the event as JSON on standard
input, has the session run the hooks, and answers in the agent's own terms. Where it cannot, it
denies and says why: exit 2.`,
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.answerHook(cmd.Context(), args[0])
		},
	}
}

// answerHook denies what it cannot answer: an agent takes a hook that breaks for one that allows.
func (a *App) answerHook(ctx context.Context, event string) error {
	answer, err := a.askHooks(ctx, event)
	if err != nil {
		fmt.Fprintf(a.Stderr, "mulligan: the %s hooks could not be asked, so this is not allowed: %v\n", event, err)
		return usererror.Exit(2)
	}
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
	reply, err := door.Call(ctx, a.Getenv, protocol.NewRequest(protocol.ToolHook, protocol.HookArgs{Event: event, Input: input}))
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(reply, &answer)
}
