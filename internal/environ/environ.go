// Package environ is what a command has of the world: its streams, its environment variables, the
// folder that it was given in, the folders of mulligan's state, the clock, the filter for secrets,
// and the journal. Nothing else in the program looks these up by itself.
package environ

import (
	"io"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/crashpoint"
	"mulligan/internal/process"
	"mulligan/internal/redact"
	"mulligan/workspace"
)

// An Env is the environment of one command.
type Env struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string
	Dir     string             // the folder that the command was given in
	Points  *crashpoint.Points // where a test ends the process; nil
	Clock   mulligan.Clock     // nil for the system's; SessionClock returns the one in force

	Engine  string           // the value of --engine; "" if it was not given
	Trust   bool             // --trust was given
	Project string           // the config file that --config named; "" if it named none
	Secrets *redact.Redactor // set by RedactOutput
	engine  string           // the journal's engine, as ChooseEngine has set it
	Screen  io.Writer        // standard output as it was given, set by RedactOutput: Stdout goes through Secrets
}

// Getenv returns the value of an environment variable, or "" if it is not set.
func (e *Env) Getenv(name string) string {
	value, _ := process.Lookup(e.Environ, name)
	return value
}

// Root returns the top folder of the repository that the command was given in.
func (e *Env) Root() (string, error) {
	root, err := workspace.Find(e.Dir)
	if err != nil {
		return "", err
	}
	return root.Dir, nil
}

// Abs makes a path of the command line absolute.
func (e *Env) Abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(e.Dir, path)
}

// SessionClock returns the clock that sessions go by.
func (e *Env) SessionClock() mulligan.Clock {
	if e.Clock != nil {
		return e.Clock
	}
	return clock.System{}
}

// Interactive reports whether a person reads standard output and can answer. CI services give their jobs a
// terminal at times, and say by CI that no person is there.
func (e *Env) Interactive() bool {
	return IsTerminal(e.Stdin) && IsTerminal(e.Screen) && e.Getenv("TERM") != "dumb" && !e.inCI()
}

// inCI reports whether a CI service runs the command.
func (e *Env) inCI() bool {
	switch e.Getenv("CI") {
	case "", "0", "false":
		return false
	}
	return true
}

// Color reports whether standard output takes colours.
func (e *Env) Color() bool {
	return IsTerminal(e.Screen) && e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb"
}

// Width returns how many columns the terminal that standard output is has, or 0 if it is none.
func (e *Env) Width() int {
	f, ok := e.Screen.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
