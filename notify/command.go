package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/internal/text"
)

// shell is not looked up on PATH: a folder of the workspace may be on it.
const shell = "/bin/sh"

// grace is how long a command that is stopped has to tidy up.
const grace = 2 * time.Second

// runCommand runs the person's command under a keeper, as a hook is run. The message is its input and its variables, and
// never part of the command itself.
func (n Notifier) runCommand(ctx context.Context, m message) mulligan.NotifyResult {
	input, err := json.Marshal(m)
	if err != nil {
		return failed(0, err.Error())
	}
	var said tail
	exit, err := n.Pool.Run(ctx, process.Spec{
		Argv: []string{shell, "-c", n.Command}, Dir: n.Dir, Env: n.commandEnviron(m),
		Stdin: bytes.NewReader(append(input, '\n')), Stdout: &said, Stderr: &said,
		Timeout: n.Timeout - time.Second/2, Grace: grace, Role: process.RoleHook,
	})
	return newResult(exit, err, said.String())
}

// commandEnviron returns the person's environment with the message.
func (n Notifier) commandEnviron(m message) []string {
	code := ""
	if m.ExitCode != nil {
		code = strconv.Itoa(*m.ExitCode)
	}
	add := []string{
		"MULLIGAN_EVENT=" + m.Event, "MULLIGAN_EVENT_ID=" + m.ID, "MULLIGAN_EVENT_TITLE=" + m.Title, "MULLIGAN_EVENT_TEXT=" + m.Text,
		"MULLIGAN_EVENT_NEXT=" + m.Next, "MULLIGAN_EVENT_TASK=" + m.Task, "MULLIGAN_EVENT_OUTCOME=" + m.Outcome, "MULLIGAN_EVENT_EXIT_CODE=" + code,
		"MULLIGAN_SESSION=" + m.Session,
	}
	return process.Set(n.Environ, add...)
}

// showOnDesktop shows the message on the desktop, with the program that the system has for it.
func (n Notifier) showOnDesktop(ctx context.Context, m message) mulligan.NotifyResult {
	argv := desktopCommand(runtime.GOOS, m)
	path, err := process.Find(argv[0], n.Dir, n.Environ)
	if err != nil {
		return failed(0, argv[0]+" is not installed")
	}
	argv[0] = path
	var said tail
	exit, err := n.Pool.Run(ctx, process.Spec{
		Argv: argv, Dir: n.Dir, Env: n.Environ, Stdout: &said, Stderr: &said, Timeout: n.Timeout - time.Second/2, Grace: grace, Role: process.RoleHook,
	})
	return newResult(exit, err, said.String())
}

// desktopCommand returns the command line that shows a message. Its texts are arguments, and never read as a script.
func desktopCommand(system string, m message) []string {
	if system == "darwin" {
		return []string{
			"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)", "-e", "end run",
			"mulligan: " + m.Title, m.Text,
		}
	}
	urgency := "normal"
	if m.NeedsYou {
		urgency = "critical"
	}
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace // the body may have markup
	return []string{"notify-send", "--app-name=mulligan", "--urgency=" + urgency, "--", "mulligan: " + m.Title, escape(m.Text)}
}

// newResult returns what became of a command.
func newResult(exit process.Exit, err error, said string) mulligan.NotifyResult {
	if _, ran := errors.AsType[*process.OutputError](err); ran {
		err = nil
	}
	switch {
	case err != nil:
		return failed(1, err.Error())
	case exit.OK():
		return mulligan.NotifyResult{OK: true, Tries: 1}
	case said == "":
		return failed(1, exit.String())
	}
	return failed(1, fmt.Sprintf("%s: %s", exit, said))
}

// A tail keeps the end of what a command prints.
type tail struct{ end []byte }

// maxTail is how much of it is kept.
const maxTail = 400

func (t *tail) Write(p []byte) (int, error) {
	t.end = append(t.end, p...)
	if over := len(t.end) - maxTail; over > 0 {
		t.end = append(t.end[:0:0], t.end[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return text.OneLine(strings.ToValidUTF8(string(t.end), "")) }
