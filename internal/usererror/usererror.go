// Package usererror holds the one error type whose words, hint and exit code are meant for the
// person who gave a command. The command line prints it; every other package only makes it.
package usererror

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"

	"mulligan"
)

// An Error describes what went wrong, what the person can do about it, and the exit code that
// the command ends with.
type Error struct {
	Code  int
	Words string
	Hint  string // "" if there is nothing to do
	Cause error  // nil if no caller asks for it
}

func (e *Error) Error() string { return e.Words }
func (e *Error) Unwrap() error { return e.Cause }

// New returns an error without a cause.
func New(code int, words, hint string) error {
	return &Error{Code: code, Words: words, Hint: hint}
}

// Usage returns an error about what the person asked for, with the exit code of usage.
func Usage(words, hint string) error { return New(mulligan.ExitUsage, words, hint) }

// An Exit ends a command with an exit code and without words: all has been printed already.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// QuotePath makes a path in a hint safe to paste into a shell.
func QuotePath(path string) string {
	quoted, err := syntax.Quote(path, syntax.LangPOSIX)
	if err != nil {
		return path
	}
	return quoted
}
