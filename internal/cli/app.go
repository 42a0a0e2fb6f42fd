// Package cli is the command line: one file per command. A command's constructor only
// parses; its run only acts; streams, environment and folder are handed in.
package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"mulligan"
	"mulligan/internal/crashpoint"
	"mulligan/internal/process"
	"mulligan/internal/redact"
	"mulligan/internal/workspace"
)

// An App is what every command has of the world.
type App struct {
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string
	Dir     string             // the folder that the command was given in
	Points  *crashpoint.Points // where a test ends the process; nil
	Clock   mulligan.Clock     // nil: the system's

	engine  string // --engine; "" where it was not given
	project string // the config file that --config named; "" where it did not
	secrets *redact.Redactor
	screen  io.Writer // standard output as it was given: Stdout goes through secrets
}

// env is the value of an environment variable, "" where it is not set.
func (a *App) env(name string) string {
	value, _ := process.Lookup(a.Environ, name)
	return value
}

// stateDir is where mulligan keeps what it must not lose: outside the repository, out of
// reach of `git clean`.
func (a *App) stateDir() (string, error) {
	if dir := a.env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mulligan"), nil
	}
	home := a.env("HOME")
	if home == "" {
		return "", usage("neither XDG_STATE_HOME nor HOME is set", "set one of them: mulligan keeps its journal there")
	}
	return filepath.Join(home, ".local", "state", "mulligan"), nil
}

// root is the top of the repository that the command was given in.
func (a *App) root() (string, error) {
	root, err := workspace.Find(a.Dir)
	if err != nil {
		return "", err
	}
	return root.Dir, nil
}

// terminal says whether a person looks at standard output and can answer.
func (a *App) terminal() bool {
	return isTerminal(a.Stdin) && isTerminal(a.screen) && a.env("TERM") != "dumb"
}

// color says whether standard output takes colours.
func (a *App) color() bool {
	return isTerminal(a.screen) && a.env("NO_COLOR") == "" && a.env("TERM") != "dumb"
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// abs makes a path of the command line absolute.
func (a *App) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Dir, path)
}

// within is path relative to root where it lies inside, else the path itself.
func within(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}
