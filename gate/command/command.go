// Package command is the gate that runs a shell command: the user's own check, in the workspace, in
// the environment that mulligan was started with.
package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"mulligan"
	"mulligan/gate"
	"mulligan/internal/capture"
	"mulligan/internal/process"
	"mulligan/internal/shellword"
	"mulligan/report"
)

// Options are the settings of such a check.
type Options struct {
	Command string `json:"command"`
	Expect  string `json:"expect,omitempty"` // pass, or fail; "": pass
	// MinTests is how many tests have to run; nil: one, where the output tells that none did; 0: any number.
	MinTests *int `json:"min_tests,omitempty"`
}

const (
	expectPass = "pass"
	expectFail = "fail"
)

// DefaultTimeout is the time limit of a check that has none of its own.
const DefaultTimeout = 10 * time.Minute

// shell is not looked up on PATH: a folder of the workspace may be on it.
const shell = "/bin/sh"

// A Gate runs its command anew for every examination.
type Gate struct {
	spec mulligan.CheckSpec
	opt  Options
	deps gate.Deps
}

// New returns a gate for a spec whose options are Options.
func New(spec mulligan.CheckSpec, deps gate.Deps) (*Gate, error) {
	var opt Options
	if err := json.Unmarshal(spec.Options, &opt); err != nil {
		return nil, fmt.Errorf("check %s: options: %w", spec.Name, err)
	}
	opt.Expect = cmp.Or(opt.Expect, expectPass)
	if opt.Expect != expectPass && opt.Expect != expectFail {
		return nil, fmt.Errorf("check %s: expect is %q: want %s or %s", spec.Name, opt.Expect, expectPass, expectFail)
	}
	if opt.Command == "" {
		return nil, fmt.Errorf("check %s: command is empty", spec.Name)
	}
	spec.Timeout = cmp.Or(spec.Timeout, DefaultTimeout)
	return &Gate{spec: spec, opt: opt, deps: deps}, nil
}

// Examine runs the command and judges how it ended.
func (g *Gate) Examine(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	return gate.Timed(g.spec.Name, func() mulligan.Verdict { return g.runCheck(ctx, w) })
}

// runCheck runs the command, and returns the verdict without its name and duration.
func (g *Gate) runCheck(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	if word := shellword.Unresolved(g.opt.Command, w.Dir, g.deps.Environ); word != "" {
		return g.brokenVerdict("%s is neither on PATH nor a path inside the workspace", word)
	}
	limit := capture.Limit(g.deps.Limit)
	if g.opt.Expect == expectFail {
		limit -= len(unexpectedPass) + 1 // it is the first line then
	}
	out := capture.New(capture.Options{Path: w.Output, Limit: limit, FileLimit: g.deps.FileLimit, Live: w.Live, Filter: g.deps.Filter})
	exit, tests, err := g.runCommand(ctx, w, out)
	out.SetTests(tests)
	evidence := out.Finish()
	if err != nil {
		return g.brokenVerdict("the check could not be run: %v", err)
	}
	status, why := judgeExit(g.opt.Expect, exit)
	if status == mulligan.Pass && g.opt.Expect == expectFail {
		if complaint := g.findShellComplaint(ctx, w); complaint != "" {
			status, why = mulligan.Broken, "the shell cannot read the command: "+complaint
		}
	}
	v := g.newVerdict(status, why, exit, evidence)
	g.judgeTests(&v)
	return v
}

// runCommand runs the check's command. Where that is go test, it is asked for its events, which tests
// counts; otherwise tests is nil.
func (g *Gate) runCommand(ctx context.Context, w mulligan.Work, out io.Writer) (exit process.Exit, tests *report.Report, err error) {
	command, asked := g.opt.Command, false
	if g.opt.Expect == expectPass {
		command, asked = askGoForEvents(command)
	}
	if !asked {
		exit, err = g.runShell(ctx, w, out, "-c", command)
		return exit, nil, err
	}
	text := newGoText(out, asksForVerbose(command))
	exit, err = g.runShell(ctx, w, text, "-c", command)
	text.finish()
	if !text.seen {
		return exit, nil, err // go did not come to run any
	}
	r := text.tests.Report()
	return exit, &r, err
}

// runShell runs the shell. An output that could not be kept is no error: the command ran.
func (g *Gate) runShell(ctx context.Context, w mulligan.Work, out io.Writer, args ...string) (process.Exit, error) {
	exit, err := g.deps.Pool.Run(ctx, process.Spec{
		Argv: append([]string{shell}, args...),
		Dir:  w.Dir,
		Env: process.Set(g.deps.Environ,
			"PWD="+w.Dir,
			"MULLIGAN_SESSION="+w.Session,
			"MULLIGAN_STEP="+w.Step,
			"MULLIGAN_ATTEMPT="+strconv.Itoa(w.Attempt),
			"MULLIGAN_ITERATION="+strconv.Itoa(w.Iteration),
		),
		Stdout:  out,
		Stderr:  out,
		Timeout: g.spec.Timeout,
		Role:    process.RoleCheck,
	})
	if _, kept := errors.AsType[*process.OutputError](err); kept {
		err = nil // the evidence reports what became of the output; the command ran
	}
	return exit, err
}

// brokenVerdict returns the verdict of a check that could not tell.
func (g *Gate) brokenVerdict(format string, args ...any) mulligan.Verdict {
	text := fmt.Sprintf(format, args...)
	return mulligan.Verdict{
		Status:  mulligan.Broken,
		Summary: text,
		Finding: &mulligan.Finding{Command: g.opt.Command, Text: text},
	}
}
