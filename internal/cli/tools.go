package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	o.addJSONFlag(cmd)
}

func (o *toolOptions) addJSONFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().BoolVar(&o.JSON, "json", false, "print the tool's reply as JSON")
}

// callTool sends a request to a session and returns the reply: what a session started through its
// door, a person's through the journal.
func (a *App) callTool(ctx context.Context, session string, r task.Request) (json.RawMessage, error) {
	caller := a.identifyCaller()
	switch {
	case caller.Role == process.RoleNone:
		return a.client().Request(ctx, session, r)
	case a.Getenv(door.EnvDoor) != "":
		return door.Call(ctx, a.Getenv, r)
	}
	return nil, usererror.Usage(fmt.Sprintf("this was given below %s (%s), whose environment has lost %s", caller.Role, caller.Why, door.EnvDoor),
		"give it with the environment that it was started with")
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
		return usererror.New(told.Code, asCommands(told.Words), told.Hint)
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

// A fillFunc puts the arguments of a command among those of its tool.
type fillFunc = func(fields map[string]any, args []string) error

// newToolCommand completes a command that calls one tool. The tool's arguments are the flags that were
// given, and what fill makes of the command's arguments; fill is nil for a command that takes none.
func (a *App) newToolCommand(cmd *cobra.Command, opt *toolOptions, tool string, show toolShow, fill fillFunc) *cobra.Command {
	for _, t := range task.Tools() {
		if t.Name == tool {
			cmd.Long = wrapText(asCommands(t.Doc), 92) + cmd.Long
		}
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		fields := readFlags(cmd)
		if fill != nil {
			if err := fill(fields, args); err != nil {
				return err
			}
		}
		return a.runTool(cmd.Context(), *opt, tool, fields, show)
	}
	return cmd
}

// newAgentCommand is newToolCommand for a tool that only an agent inside a turn has.
func (a *App) newAgentCommand(cmd *cobra.Command, tool string, show toolShow, fill fillFunc) *cobra.Command {
	var opt toolOptions
	opt.addJSONFlag(cmd)
	return a.newToolCommand(cmd, &opt, tool, show, func(fields map[string]any, args []string) error {
		if a.Getenv(door.EnvDoor) == "" {
			return usererror.Usage(fmt.Sprintf("`mulligan %s` is for the agent of a running session", cmd.Name()),
				"an agent has "+door.EnvDoor+" in its environment; a person has `mulligan tell`, `answer`, `task` and `note`")
		}
		return fill(fields, args)
	})
}

// readFlags returns the flags of its own that a command was given, by name: 0 is a value too.
func readFlags(cmd *cobra.Command) map[string]any {
	fields := map[string]any{}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Changed {
			return
		}
		switch f.Value.Type() {
		case "int":
			fields[f.Name], _ = cmd.Flags().GetInt(f.Name)
		case "intSlice":
			fields[f.Name], _ = cmd.Flags().GetIntSlice(f.Name)
		case "stringSlice", "stringArray":
			fields[f.Name] = f.Value.(pflag.SliceValue).GetSlice()
		default:
			fields[f.Name] = f.Value.String()
		}
	})
	return fields
}

// readField returns a function that reads one argument of a tool from the first of the command, if there
// is one.
func (a *App) readField(name string) fillFunc {
	return func(fields map[string]any, args []string) (err error) {
		if len(args) > 0 {
			fields[name], err = a.readText(args[0])
		}
		return err
	}
}
