package command

import (
	"context"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"mulligan"
	"mulligan/internal/process"
)

// The exit codes of a shell for a command that it could not run, and those that stand for a signal
// that ended a command.
const (
	cannotExecute = 126
	notFound      = 127
	firstSignal   = 128 + 1
	lastSignal    = 128 + 64
)

// judgeExit returns what a command's end means, and why it means nothing if the verdict is broken.
//
// A check that must pass and ran is never broken: whatever went wrong in it, the work is not known
// to be right, and the agent may be able to fix it. A check that must fail is met only by a command
// that ran and failed by itself, or a command that does not exist would do.
func judgeExit(expect string, exit process.Exit) (mulligan.Status, string) {
	switch {
	case exit.Cancelled:
		return mulligan.Broken, "it was stopped before it was done"
	case expect == expectFail:
		return judgeFailing(exit)
	case exit.OK():
		return mulligan.Pass, ""
	}
	return mulligan.Fail, ""
}

// judgeFailing judges a check that is expected to fail.
func judgeFailing(exit process.Exit) (mulligan.Status, string) {
	const meant = "the check is expected to fail by itself"
	switch {
	case exit.OK():
		return mulligan.Fail, ""
	case exit.TimedOut || exit.IdledOut:
		return mulligan.Broken, meant + ", and did not end"
	case exit.Signal != "" || exit.Code >= firstSignal && exit.Code <= lastSignal:
		return mulligan.Broken, meant + ", and was ended by a signal"
	case exit.Code == cannotExecute:
		return mulligan.Broken, meant + ", and the shell could not execute a command"
	case exit.Code == notFound:
		return mulligan.Broken, meant + ", and the shell did not find a command"
	}
	return mulligan.Pass, ""
}

// findShellComplaint returns the shell's complaint about a command that it cannot read, or "": such
// a command ends with a code as if it had failed by itself. The shell is started only if our own
// parser cannot read the command.
func (g *Gate) findShellComplaint(ctx context.Context, w mulligan.Work) string {
	if _, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(g.opt.Command), ""); err == nil {
		return ""
	}
	said := process.NewHeadTail(1_000, 0)
	exit, err := g.runShell(ctx, w, said, "-n", "-c", g.opt.Command)
	switch {
	case err != nil:
		return err.Error()
	case exit.OK():
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
	return line
}
