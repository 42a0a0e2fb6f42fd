package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/task"
	"mulligan/task/door"
)

// maxStdin is more than any text that a tool takes.
const maxStdin = 1 << 20

// toolOptions are the flags that all commands of the tools have.
type toolOptions struct {
	Session string
	JSON    bool
}

func (o *toolOptions) addFlags(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&o.Session, "session", "", "the session, for a person; an agent's is its own (default the newest that is not over)")
	cmd.PersistentFlags().BoolVar(&o.JSON, "json", false, "print the tool's reply as JSON")
}

// callTool sends a request to a session and returns the reply: an agent's through its door, a person's
// through the journal.
func (a *App) callTool(ctx context.Context, session string, r task.Request) (json.RawMessage, error) {
	if a.Getenv(door.EnvDoor) != "" {
		return door.Call(ctx, a.Getenv, r)
	}
	if below, why := process.BelowAgent(a.Environ); below {
		return nil, usererror.Usage(fmt.Sprintf("this was given below an agent (%s), whose environment has lost %s", why, door.EnvDoor),
			"give it with the environment that the agent was started with")
	}
	return a.client().Request(ctx, session, r)
}

// runTool calls a tool and prints the reply, with show unless it is wanted as JSON.
func (a *App) runTool(ctx context.Context, opt toolOptions, name string, args map[string]any, show toolShow) error {
	data, err := json.Marshal(args)
	if err != nil {
		return err
	}
	reply, err := a.callTool(ctx, opt.Session, task.Request{Tool: name, Args: data})
	if err != nil {
		return asUsageError(err)
	}
	if opt.JSON {
		_, err := fmt.Fprintf(a.Stdout, "%s\n", reply)
		return err
	}
	return show(a.Stdout, reply)
}

// asUsageError makes what a session refuses an error of usage: the caller has to ask otherwise.
func asUsageError(err error) error {
	var (
		no   *task.Refusal
		told *usererror.Error // a person's request that the session refused
	)
	switch {
	case errors.As(err, &no):
		return usererror.Usage(asCommands(no.Message), "")
	case errors.As(err, &told):
		return &usererror.Error{Code: told.Code, Words: asCommands(told.Words), Hint: told.Hint}
	}
	return err
}

// asCommands replaces the names of tools by the commands that call them.
func asCommands(text string) string {
	return strings.NewReplacer(
		task.ToolAddMany, "`mulligan task add-many`", task.ToolAdd, "`mulligan task add`", task.ToolList, "`mulligan task list`",
		task.ToolNext, "`mulligan task next`", task.ToolUpdate, "`mulligan task update`", task.ToolNoteAdd, "`mulligan note add`",
		task.ToolNoteList, "`mulligan note list`", task.ToolSummary, "`mulligan summary`", task.ToolComplete, "`mulligan complete`",
		task.ToolStatus, "`mulligan task status`",
	).Replace(text)
}

// requireAgent refuses a command that makes sense only inside a turn, if no agent gives it.
func (a *App) requireAgent(what string) error {
	if a.Getenv(door.EnvDoor) != "" {
		return nil
	}
	return usererror.Usage(fmt.Sprintf("`mulligan %s` is for the agent of a running session", what),
		"an agent has "+door.EnvDoor+" in its environment; a person has `mulligan tell`, `answer`, `task` and `note`")
}

// readText returns an argument, or standard input if the argument is "-".
func (a *App) readText(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.Stdin, maxStdin+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxStdin {
		return "", usererror.Usage("standard input is larger than 1 MiB", "")
	}
	return string(data), nil
}

// describeTool returns a tool's description, for the help of its command.
func describeTool(name string) string {
	for _, t := range task.Tools() {
		if t.Name == name {
			return wrapText(asCommands(t.Doc), 92)
		}
	}
	return ""
}

// wrapText breaks a text into lines of at most width bytes.
func wrapText(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// A toolShow prints a tool's reply.
type toolShow = func(io.Writer, json.RawMessage) error

// newToolCommand completes a command that calls one tool. arguments returns the tool's arguments.
func (a *App) newToolCommand(cmd *cobra.Command, opt *toolOptions, tool string, show toolShow, arguments func(cmd *cobra.Command, args []string) (map[string]any, error)) *cobra.Command {
	cmd.Long = describeTool(tool) + cmd.Long
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fields, err := arguments(cmd, args)
		if err != nil {
			return err
		}
		return a.runTool(cmd.Context(), *opt, tool, fields, show)
	}
	return cmd
}

// newAgentCommand is newToolCommand for a tool that only an agent inside a turn has.
func (a *App) newAgentCommand(cmd *cobra.Command, tool string, show toolShow, arguments func(cmd *cobra.Command, args []string) (map[string]any, error)) *cobra.Command {
	var opt toolOptions
	cmd.Flags().BoolVar(&opt.JSON, "json", false, "print the tool's reply as JSON")
	return a.newToolCommand(cmd, &opt, tool, show, func(cmd *cobra.Command, args []string) (map[string]any, error) {
		if err := a.requireAgent(cmd.Name()); err != nil {
			return nil, err
		}
		return arguments(cmd, args)
	})
}

// readField returns a tool's arguments with one of them read from the first argument of the command.
func (a *App) readField(name string, args []string) (map[string]any, error) {
	text, err := a.readText(args[0])
	return map[string]any{name: text}, err
}

// setIfGiven puts the value of a flag among a tool's arguments if the flag was given: 0 is a value too.
func setIfGiven(cmd *cobra.Command, args map[string]any, flag string, value any) {
	if cmd.Flags().Changed(flag) {
		args[flag] = value
	}
}
