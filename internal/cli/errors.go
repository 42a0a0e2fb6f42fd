package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/gitfolder"
	"mulligan/internal/lockfile"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
	"mulligan/plan"
	"mulligan/view"
	"mulligan/workspace"
)

// reportError writes the words of an error to w and returns its exit code. It is the only place that
// decides either.
func reportError(w io.Writer, err error, color bool) int {
	var (
		code     usererror.Exit
		hinted   *usererror.Error
		mistakes config.Mistakes
		notReady *plan.NotReadyError
		busy     *lockfile.BusyError
	)
	switch {
	case err == nil:
		return mulligan.ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &mistakes):
		mistakes.Format(w, color)
		return mulligan.ExitUsage
	case errors.As(err, &notReady):
		notReady.Missing.Format(w, color)
		fmt.Fprintf(w, "mulligan: a session would stop: %s cannot be run\n", text.Count(len(notReady.Missing), "command"))
		return mulligan.ExitGateBroken
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "mulligan: interrupted")
		return mulligan.ExitInterrupted
	}
	// Names of files and what git says are text from outside.
	fmt.Fprintf(w, "mulligan: %s\n", view.Text(err.Error()))
	switch {
	case errors.As(err, &hinted):
		if hinted.Hint != "" {
			fmt.Fprintf(w, "  %s\n", view.Text(hinted.Hint))
		}
		return hinted.Code
	case errors.As(err, &busy):
		return mulligan.ExitBusy
	}
	return explainShared(w, err)
}

// reportPlainly is reportError without colours.
func reportPlainly(w io.Writer, err error) int { return reportError(w, err, false) }

// explainShared writes what to do about an error that many commands share, and returns its exit code.
func explainShared(w io.Writer, err error) int {
	hint := func(text string) { fmt.Fprintf(w, "  %s\n", text) }
	var (
		engine *jetstream.EngineError
		filter *gitfolder.ProgramError
	)
	switch {
	case errors.Is(err, workspace.ErrNoRepository):
		hint("mulligan works in a git repository; make one here: git init && git add -A && git commit -m start")
		return mulligan.ExitUsage
	case errors.Is(err, workspace.ErrNoGit):
		hint("install git, or put it on PATH; `mulligan doctor` looks at what a session needs")
		return mulligan.ExitUsage
	case errors.Is(err, workspace.ErrUnborn):
		hint("mulligan needs a commit to build on: git add -A && git commit -m start")
		return mulligan.ExitUsage
	case errors.Is(err, workspace.ErrNoIdentity):
		hint("set one: git config user.name 'Your Name' && git config user.email you@example.com; or commit nothing: git: {commit: false}")
		return mulligan.ExitUsage
	case errors.Is(err, mulligan.ErrNoSession):
		hint("`mulligan sessions --all` lists the sessions there are")
		return mulligan.ExitUsage
	case errors.Is(err, jetstream.ErrNamespace):
		hint("give the command outside of this namespace, as before; or give mulligan a state folder of its own here: XDG_STATE_HOME")
		return mulligan.ExitUsage
	case errors.Is(err, jetstream.ErrBelow):
		hint("an agent reaches its session with `mulligan task`, `note`, `summary`, `ask` and `complete`, also as tools over MCP")
		return mulligan.ExitUsage
	case errors.Is(err, mulligan.ErrStale):
		hint("this process has stopped; the session is the other one's: `mulligan attach` watches it")
		return mulligan.ExitBusy
	case errors.Is(err, syscall.ENOSPC), strings.Contains(strings.ToLower(err.Error()), syscall.ENOSPC.Error()): // git and the journal's engine say it in words
		hint("the disk is full; free some space and run `mulligan resume`: nothing that was stored is lost")
	case errors.As(err, &filter):
		hint(workspace.FilterHint(filter))
		return mulligan.ExitUsage
	case errors.As(err, &engine):
		hint("start it, or name another with --engine, MULLIGAN_ENGINE or engine: in mulligan.yaml; --engine embedded is the journal of this machine")
	case errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES):
		hint("the place cannot be written; XDG_STATE_HOME names another one for mulligan's state")
	case errors.Is(err, syscall.ENOTDIR):
		hint("a file is where a folder has to be: move it away, or name another place for mulligan's state with XDG_STATE_HOME")
	}
	return mulligan.ExitInternal
}
