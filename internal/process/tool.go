// Package process starts and ends child processes; nothing else imports os/exec.
package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A Tool is a program of the user's system that mulligan itself uses and trusts to end by itself (git).
// It runs without a keeper.
type Tool struct {
	Dir   string
	Env   []string // nil: ours
	Stdin io.Reader
	Argv  []string
	Hold  *os.File // a file that the tool inherits and holds open until it ends; may be nil
	// Tidy sends SIGTERM to the tool when ctx ends, rather than SIGKILL: a git that is killed leaves its locks.
	Tidy bool
}

// A ToolError means that a tool could not be started or failed.
type ToolError struct {
	Argv   []string
	Err    error
	Stderr string
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("%s: %v: %s", strings.Join(e.Argv, " "), e.Err, strings.TrimSpace(e.Stderr))
}

func (e *ToolError) Unwrap() error { return e.Err }

// Missing reports whether there is no such program.
func (e *ToolError) Missing() bool { return errors.Is(e.Err, exec.ErrNotFound) }

// Ended reports whether a signal ended the tool, so that its answer is not known.
func (e *ToolError) Ended() bool {
	exit, ok := errors.AsType[*exec.ExitError](e.Err)
	return ok && exit.ExitCode() < 0
}

// Output runs the tool and returns its standard output. The error is a *ToolError.
func (t Tool) Output(ctx context.Context) ([]byte, error) {
	cmd := t.newCommand(ctx)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Stdin = &stdout, &stderr, t.Stdin
	err := startTool(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return stdout.Bytes(), &ToolError{Argv: t.Argv, Err: err, Stderr: stderr.String()}
	}
	return stdout.Bytes(), nil
}

// A Conversation is a tool that keeps running and answers requests on its standard input.
type Conversation struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	cmd    *exec.Cmd
}

// Converse starts a tool that runs until Close.
func (t Tool) Converse(ctx context.Context) (*Conversation, error) {
	cmd := t.newCommand(ctx)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := startTool(cmd); err != nil {
		return nil, &ToolError{Argv: t.Argv, Err: err}
	}
	return &Conversation{Stdin: in, Stdout: out, cmd: cmd}, nil
}

// PID returns the id of the tool's process.
func (c *Conversation) PID() int { return c.cmd.Process.Pid }

// Close ends the tool's input and waits for it to end.
func (c *Conversation) Close() error {
	c.Stdin.Close()
	io.Copy(io.Discard, c.Stdout)
	return c.cmd.Wait()
}

// newCommand returns the tool's command, in a process group of its own.
func (t Tool) newCommand(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.Argv[0], t.Argv[1:]...)
	cmd.Dir, cmd.Env = t.Dir, t.Env
	if t.Hold != nil {
		cmd.ExtraFiles = []*os.File{t.Hold}
	}
	setProcessGroup(cmd)
	if t.Tidy {
		terminateOnCancel(cmd)
		cmd.WaitDelay = 2 * DefaultGrace // a child of the tool's may hold its output open
	}
	return cmd
}
