package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"syscall"

	"mulligan"
	"mulligan/internal/process"
)

// EndingOf returns how a turn ended whose program ended so, and why. A turn that we stopped is not
// the program's doing, whatever code it gave while it was stopped. complaint is the last line of
// the program's standard error, which explains a crash; "" if there is none.
func EndingOf(exit process.Exit, complaint string) (mulligan.Ending, string) {
	switch {
	case exit.Cancelled:
		return mulligan.Cancelled, ""
	case exit.TimedOut, exit.IdledOut:
		return mulligan.TimedOut, exit.String()
	case !exit.OK() && complaint != "":
		return mulligan.Crashed, exit.String() + ": " + complaint
	case !exit.OK():
		return mulligan.Crashed, exit.String()
	}
	return mulligan.Finished, ""
}

// ByStatus returns how a turn ended whose model answered with an HTTP status that is an error.
func ByStatus(status int) mulligan.Result {
	switch {
	case status == http.StatusTooManyRequests:
		return mulligan.Result{Ending: mulligan.RateLimited}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth}
	case status == http.StatusPaymentRequired:
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Billing}
	case status == http.StatusRequestTimeout, status >= http.StatusInternalServerError:
		return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network}
	}
	return mulligan.Result{Ending: mulligan.Crashed} // a request that the model's side does not understand
}

// StartFailure returns the result of a turn whose program did not run to an end of its own, or the
// error if that is mulligan's own trouble, such as a log that cannot be written. A program that is missing is Unavailable: it will be
// missing at the next try too.
func StartFailure(err error, argv []string, t mulligan.Turn) (mulligan.Result, error) {
	if _, gone := os.Stat(t.Dir); gone != nil {
		return mulligan.Result{}, fmt.Errorf("the workspace cannot be entered: %w", gone)
	}
	if errors.Is(err, process.ErrKeeperLost) {
		return mulligan.Result{Ending: mulligan.Crashed, Reason: err.Error()}, nil
	}
	if start, ok := errors.AsType[*process.StartError](err); ok {
		if why := explainStartError(start.Err, argv[0]); why != "" {
			return mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Missing, Reason: why}, nil
		}
	}
	return mulligan.Result{}, err
}

// explainStartError returns what is wrong with a program itself, or "" if something else is.
func explainStartError(err error, name string) string {
	switch {
	case errors.Is(err, fs.ErrNotExist) && len(strings.Fields(name)) > 1:
		return fmt.Sprintf("there is no program whose name is %q: the words of exec: are items of a list each: [%s]", name, strings.Join(strings.Fields(name), ", "))
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsRune(name, '/'):
		return fmt.Sprintf("the program %s does not exist, or its interpreter does not (a path with a slash is relative to the workspace)", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the program %s was not found on the agent's PATH", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("the program %s is not executable", name)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Sprintf("the program %s is neither a binary of this system nor a script that begins with #!", name)
	}
	return ""
}
