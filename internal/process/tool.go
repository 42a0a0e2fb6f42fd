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

// A Tool is a program of the user's system that mulligan itself uses and trusts to
// end by itself (git): it runs without a keeper.
type Tool struct {
	Dir   string
	Env   []string // nil: as ours
	Stdin io.Reader
	Argv  []string
	Hold  *os.File // is open in the tool too, until it ends; nil: nothing
	// Tidy has the tool asked to end when ctx does, rather than killed: a git that is killed leaves its locks.
	Tidy bool
}

// ToolError is a tool that ran and failed.
type ToolError struct {
	Argv   []string
	Err    error
	Stderr string
}

func (e *ToolError) Error() string {
	return fmt.Sprintf("%s: %v: %s", strings.Join(e.Argv, " "), e.Err, strings.TrimSpace(e.Stderr))
}

func (e *ToolError) Unwrap() error { return e.Err }

// Ended says whether the tool was ended by a signal: what it was to say is not known.
func (e *ToolError) Ended() bool {
	exit, ok := errors.AsType[*exec.ExitError](e.Err)
	return ok && exit.ExitCode() < 0
}

// Output runs the tool and gives what it wrote to standard output.
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

// A Conversation is a tool that stays and answers line by line.
type Conversation struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	cmd    *exec.Cmd
}

// Converse starts a tool that stays until Close.
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

// PID is the id of the tool's process.
func (c *Conversation) PID() int { return c.cmd.Process.Pid }

// Close ends the tool's input and waits for it to end.
func (c *Conversation) Close() error {
	c.Stdin.Close()
	io.Copy(io.Discard, c.Stdout)
	return c.cmd.Wait()
}

func (t Tool) newCommand(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.Argv[0], t.Argv[1:]...)
	cmd.Dir, cmd.Env = t.Dir, t.Env
	if t.Hold != nil {
		cmd.ExtraFiles = []*os.File{t.Hold}
	}
	setProcessGroup(cmd)
	if t.Tidy {
		terminateOnCancel(cmd)
	}
	return cmd
}
