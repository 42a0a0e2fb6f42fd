package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/task"
	"mulligan/task/door"
)

// toolHook is how an agent's own hooks reach the session.
const toolHook = "hook"

// maxEvent is how large an event of an agent's may be.
const maxEvent = 6 << 20

// hookArgs is an event that happened inside an agent.
type hookArgs struct {
	Event string          `json:"event"`
	Input json.RawMessage `json:"input"`
}

// hookAnswer is what the agent's program is told, in its own way: an exit code and two texts.
type hookAnswer struct {
	Exit   int    `json:"exit"`
	Stdout string `json:"stdout,omitempty"`
	Stderr string `json:"stderr,omitempty"`
}

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
			return a.hook(cmd.Context(), args[0])
		},
	}
}

// hook denies whatever it cannot answer: an agent takes a hook that breaks for one that allows.
func (a *App) hook(ctx context.Context, event string) error {
	answer, err := a.askSession(ctx, event)
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

func (a *App) askSession(ctx context.Context, event string) (answer hookAnswer, err error) {
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
	reply, err := door.Call(ctx, a.Getenv, request(toolHook, hookArgs{Event: event, Input: input}))
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(reply, &answer)
}

// hook runs the hooks of an event that happened inside the agent, beside the session's own work.
func (d *desk) hook(ctx context.Context, r task.Request) (any, error) {
	var args hookArgs
	if err := json.Unmarshal(r.Args, &args); err != nil {
		return nil, err
	}
	call := mulligan.AgentHookCall{Event: args.Event, Input: args.Input, Live: d.store.Live(d.session.State().ID)}
	first := 0
	err := d.session.Do(ctx, func(st *mulligan.State) ([]mulligan.Body, error) {
		call.Hooks = st.Plan.AgentHooks.Inside(args.Event)
		if len(call.Hooks) == 0 {
			return nil, nil
		}
		call.Session, call.Iteration, call.Dir, first = st.ID, st.Iteration, st.Place.Dir, st.Hooks.Runs+1
		if st.Step < len(st.Steps) {
			call.Step, call.Attempt = st.Steps[st.Step].Name, len(st.Steps[st.Step].Attempts)
		}
		call.BudgetUSD = st.BudgetUSD()
		started := mulligan.AgentHookStarted{Event: args.Event, Try: 1}
		for _, h := range call.Hooks {
			started.Hooks = append(started.Hooks, h.Name)
		}
		return []mulligan.Body{started}, nil
	})
	if err != nil || len(call.Hooks) == 0 {
		return hookAnswer{}, err
	}
	call.Output = func(index int) (string, error) { return d.session.Records.HookOutput(first + index) }
	reply := d.session.AgentHooks.Run(ctx, call)
	err = d.session.Do(ctx, func(*mulligan.State) ([]mulligan.Body, error) {
		return []mulligan.Body{mulligan.AgentHookEnded{Event: args.Event, Try: 1, Reply: reply, Inside: true}}, nil
	})
	return vendorAnswer(args.Event, reply), err
}

// vendorAnswer is a reply in the agent's terms. What could not tell denies.
func vendorAnswer(event string, reply mulligan.AgentHookReply) hookAnswer {
	switch reply.Decision {
	case mulligan.Block:
		return hookAnswer{Exit: 2, Stderr: firstOf(reply.Feedback, reply.Reason)}
	case mulligan.HookBroken:
		return hookAnswer{Exit: 2, Stderr: "a hook could not tell, so this is not allowed: " + reply.Reason}
	case mulligan.Halt:
		return hookAnswer{Stdout: line(map[string]any{"continue": false, "stopReason": reply.Reason})}
	}
	specific := map[string]any{"hookEventName": event}
	if reply.Permission != "" {
		specific["permissionDecision"] = reply.Permission
	}
	if context := strings.TrimSpace(reply.Context); context != "" {
		specific["additionalContext"] = context
	}
	if len(specific) == 1 {
		return hookAnswer{}
	}
	return hookAnswer{Stdout: line(map[string]any{"hookSpecificOutput": specific})}
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

func line(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain values marshal
	}
	return string(data) + "\n"
}
