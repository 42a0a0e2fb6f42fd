package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"mulligan/internal/usererror"
)

// maxText is how long a task may be that is given as a text: it becomes an argument of the process that
// runs the session.
const maxText = 100 << 10

// textFlag carries the text of a task to the process that runs its session.
const textFlag = "text"

// readTaskText sets the text of a task that was given instead of a file: as the argument, or on standard
// input if that is "-".
func (a *App) readTaskText(opt *runOptions) error {
	switch {
	case opt.Text != "":
		return nil
	case opt.Path == "-":
		if f, ok := a.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			fmt.Fprintln(a.Stderr, "mulligan: say what is to be done, and end with ctrl-d on a line of its own")
		}
		data, err := io.ReadAll(io.LimitReader(a.Stdin, maxText+1))
		if err != nil {
			return usererror.Usage("the task cannot be read from standard input: "+err.Error(), "")
		}
		opt.Text = strings.TrimSpace(string(data))
		if opt.Text == "" {
			return usererror.Usage("standard input has no task: it is empty", "say what is to be done: echo 'Fix the rounding in Sum' | mulligan run -")
		}
	case a.isTaskText(opt.Path):
		opt.Text = strings.TrimSpace(opt.Path)
	default:
		return nil
	}
	if len(opt.Text) > maxText {
		return usererror.Usage(fmt.Sprintf("the task is longer than %d KiB", maxText>>10), "write it in a file and give its path")
	}
	return nil
}

// isTaskText reports whether an argument is the text of a task and not the path of one. What exists is a
// path, and so is what looks like one: a word alone, or a name that ends in .md.
func (a *App) isTaskText(arg string) bool {
	text := strings.TrimSpace(arg)
	if !strings.ContainsAny(text, " \t\n") || strings.HasSuffix(text, ".md") && !strings.Contains(text, "\n") {
		return false
	}
	_, err := os.Lstat(a.Abs(arg))
	return err != nil
}
