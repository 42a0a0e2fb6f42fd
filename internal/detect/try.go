package detect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mulligan/internal/process"
	"mulligan/internal/shellword"
	"mulligan/internal/text"
)

// A State is how a command did when it was tried.
type State string

// The states of commands.
const (
	Passes   State = "passes"       // its harmless form does
	Fails    State = "fails"        // it starts, and its harmless form fails
	NoTests  State = "no tests"     // it starts, and finds none
	Slow     State = "slow"         // it starts, and was still at its harmless form after TryTime
	Resolved State = "resolved"     // its programs are there; it was not tried
	Missing  State = "cannot start" // a program is not there, or says that it lacks something
)

// A Tried is a command that was tried or looked for.
type Tried struct {
	Command
	State State
	Why   string // the last line that it printed, or why it cannot start; "" if there is nothing to tell
}

// Starts reports whether the command starts.
func (t Tried) Starts() bool { return t.State != Missing }

// Describe returns how the command did, for a sentence.
func (t Tried) Describe() string {
	switch t.State {
	case Passes:
		return "tried: it starts"
	case Fails:
		return withReason("tried: it starts, and fails now", t.Why)
	case NoTests:
		return "tried: it starts, and finds no tests, which is a failure"
	case Slow:
		return fmt.Sprintf("tried for %v: it starts", TryTime)
	case Missing:
		return withReason("it does not start", t.Why)
	case Resolved:
	}
	return "not tried: its program is there"
}

func withReason(words, why string) string {
	if why == "" {
		return words
	}
	return words + ": " + why
}

// A trier tries commands of a repository.
type trier struct {
	pool    *process.Pool // nil: programs are only looked for
	root    string
	environ []string
	limit   time.Duration // of one command
	until   time.Time     // afterwards only what tells whether a command starts is run
}

// try looks for the programs of a command, and runs its harmless form.
func (t trier) try(ctx context.Context, c Command) Tried {
	if why := t.resolve(c); why != "" {
		return Tried{Command: c, State: Missing, Why: why}
	}
	if t.pool == nil {
		return Tried{Command: c, State: Resolved}
	}
	if c.Probe != nil {
		if exit, last, err := t.run(ctx, c, c.Probe); err != nil || !exit.OK() {
			return Tried{Command: c, State: Missing, Why: last}
		}
	}
	if c.Try == nil || time.Now().After(t.until) {
		return Tried{Command: c, State: Resolved}
	}
	exit, last, err := t.run(ctx, c, c.Try)
	switch {
	case err != nil:
		return Tried{Command: c, State: Missing, Why: err.Error()}
	case exit.TimedOut:
		return Tried{Command: c, State: Slow}
	case exit.OK(), slices.Contains(c.Quiet, exit.Code):
		return Tried{Command: c, State: Passes}
	case slices.Contains(c.NoTests, exit.Code):
		return Tried{Command: c, State: NoTests}
	case exit.Code == 126 || exit.Code == 127: // a shell's words for a program that it cannot run
		return Tried{Command: c, State: Missing, Why: last}
	}
	return Tried{Command: c, State: Fails, Why: last}
}

// resolve returns why a program of a command cannot be started, or "" if all are there.
func (t trier) resolve(c Command) (why string) {
	dir := filepath.Join(t.root, c.Dir)
	for _, program := range c.Needs {
		if _, err := process.Find(program, dir, t.environ); err != nil {
			if strings.ContainsRune(program, '/') {
				return program + " is not a program that may be run"
			}
			return program + " is not on PATH"
		}
	}
	if c.Script == "" {
		return ""
	}
	word, err := shellword.Find(c.Script, dir, t.addNodeBin(dir), nil)
	if err != nil {
		return fmt.Sprintf("it runs %s, which %v", word, err)
	}
	return ""
}

// addNodeBin returns the environment that a package's scripts have: programs of its dependencies are on PATH.
func (t trier) addNodeBin(dir string) []string {
	path, _ := process.Lookup(t.environ, "PATH")
	bins := []string{filepath.Join(dir, "node_modules", ".bin"), filepath.Join(t.root, "node_modules", ".bin"), path}
	return process.Set(t.environ, "PATH="+strings.Join(bins, string(filepath.ListSeparator)))
}

// run runs a program in the folder of a command, without a shell, and returns the last line that it printed.
func (t trier) run(ctx context.Context, c Command, argv []string) (exit process.Exit, last string, err error) {
	env := slices.Concat([]string{"COREPACK_ENABLE_NETWORK=0"}, c.Env)
	if _, set := process.Lookup(t.environ, c.TempVar); c.TempVar != "" && !set {
		temp, err := os.MkdirTemp("", "mulligan-try-")
		if err != nil {
			return exit, "", err
		}
		defer os.RemoveAll(temp)
		env = append(env, c.TempVar+"="+temp)
	}
	out := process.NewHeadTail(2<<10, 2<<10)
	exit, err = t.pool.Run(ctx, process.Spec{
		Argv: argv, Dir: filepath.Join(t.root, c.Dir), Env: process.Set(t.environ, env...),
		Stdout: out, Stderr: out, Timeout: t.limit, Grace: time.Second, Role: process.RoleCheck,
	})
	return exit, lastLine(out.String()), err
}

// lastLine returns the last line of an output that is not blank.
func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return text.Clip(text.OneLine(lines[len(lines)-1]), 160)
}
