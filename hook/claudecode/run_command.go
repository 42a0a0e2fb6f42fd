package claudecode

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/shellword"
)

// shell is not looked up on PATH: a folder of the workspace may be on it.
const shell = "/bin/sh"

// grace is how long a hook that is stopped has to tidy up.
const grace = 2 * time.Second

// The exit codes of a shell that could not run a command. Those above stand for signals and crashes.
const (
	cannotExecute = 126
	notFound      = 127
)

// blocking is the exit code that sends the agent back.
const blocking = 2

// runCommand runs a hook that is a shell command.
func (r Runner) runCommand(ctx context.Context, t hookTask) result {
	env := hookEnvironment(r.Environ, t)
	program, missing := shellword.Find(t.hook.Command, t.call.Dir, env, map[string]string{projectDir: t.call.Dir})
	out := r.newOutput(t)
	exit, err := r.Pool.Run(ctx, process.Spec{
		Argv:    []string{shell, "-c", t.hook.Command},
		Dir:     t.call.Dir,
		Env:     env,
		Stdin:   bytes.NewReader(t.event),
		Stdout:  out.stdout,
		Stderr:  out.stderr,
		Timeout: t.hook.Timeout,
		Grace:   grace,
		Role:    process.RoleHook,
	})
	out.finish()
	if _, ran := errors.AsType[*process.OutputError](err); ran {
		err = nil // the result reports what became of the output; the hook ran
	}
	if start, ok := errors.AsType[*process.StartError](err); ok {
		err = start.Err
	}
	var s result
	switch {
	case err != nil:
		s = t.brokenResult("cannot start", r.cleanText(err.Error()))
	case missing != nil && !exit.OK() && !exit.TimedOut && !exit.Cancelled:
		s = t.brokenResult("not found", program+" "+missing.Error())
	case isNotFound(exit, out):
		s = t.brokenResult("not found", lastLine(out.stderr.distilled.Text))
	case exit.TimedOut, exit.Cancelled, exit.Signal != "":
		s = t.brokenResult(exit.String(), "")
		s.showText(t, out.agentText(shownToPeople))
	default:
		s = t.resultOfExit(exit, out, r.textLimit())
	}
	return s.withOutput(out)
}

// isNotFound reports whether the shell itself, and not a script that it ran, could not run a
// command. Only the shell's complaint tells: it begins with the shell's name.
func isNotFound(exit process.Exit, out *output) bool {
	return (exit.Code == notFound || exit.Code == cannotExecute) &&
		strings.HasPrefix(lastLine(out.stderr.distilled.Text), shell+": ")
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// projectDir is the variable by which people's scripts find themselves.
const projectDir = "CLAUDE_PROJECT_DIR"

// codemieFile is where codemie's hooks are read from; their scripts read other variables.
const codemieFile = "codemie-cli.config.json"

// maxVariable is what a system lets an environment variable hold, and a little less.
const maxVariable = 120 << 10

// hookEnvironment returns the user's own environment, and the variables that hooks expect.
func hookEnvironment(environ []string, t hookTask) []string {
	c := t.call
	add := []string{
		"PWD=" + c.Dir,
		projectDir + "=" + c.Dir,
		"MULLIGAN_SESSION=" + c.Session,
		"MULLIGAN_HOOK=" + c.Event,
		"MULLIGAN_STEP=" + c.Step,
		"MULLIGAN_ATTEMPT=" + strconv.Itoa(c.Attempt),
		"MULLIGAN_ITERATION=" + strconv.Itoa(c.Iteration),
	}
	if filepath.Base(t.hook.From) == codemieFile {
		add = append(add, codemieVariables(t)...)
	}
	for i, pair := range add {
		add[i] = strings.ReplaceAll(pair, "\x00", "\uFFFD") // an environment cannot have it
	}
	return process.Set(environ, add...)
}

// codemieVariables returns the variables that codemie's scripts read. An event that no variable can
// hold is given without its long text; standard input has all of it.
func codemieVariables(t hookTask) []string {
	c := *t.call
	event := t.event
	if len(event) > maxVariable {
		c.Message, c.Prompt = "", ""
		event = eventJSON(c)
	}
	return []string{
		"CODEMIE_PROJECT_DIR=" + c.Dir,
		"CODEMIE_SESSION_ID=" + c.Session,
		"CODEMIE_HOOK_EVENT=" + c.Event,
		"CODEMIE_TRANSCRIPT_PATH=" + c.Transcript,
		"CODEMIE_HOOK_INPUT=" + strings.TrimSpace(string(event)),
	}
}

// printsContext reports whether what a hook prints at the event is for the agent.
func printsContext(event string) bool {
	return event == mulligan.EventSessionStart || event == mulligan.EventPrompt
}
