package builtin

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"mvdan.cc/sh/v3/syntax"

	"mulligan"
	"mulligan/config"
	"mulligan/gate"
	"mulligan/gate/command"
	"mulligan/gate/files"
	"mulligan/internal/process"
	"mulligan/internal/shellword"
)

// Checks returns the types of checks.
func Checks() []CheckEntry {
	return []CheckEntry{
		{
			Variant: config.Variant{
				Name:   "none",
				Doc:    "no check: the work is accepted, not verified",
				Decode: func(config.Value, config.Reader) (any, config.Mistakes) { return nil, nil },
			},
		},
		{
			Variant: config.Variant{
				Name: "file_exists",
				Doc:  "a file exists",
				Fields: []config.Field{
					{Name: "path", Doc: "path or glob inside the workspace", Required: true, Type: config.NamedString("a path")},
				},
				Decode: decodeFileExists,
				Title:  func(v config.Value) string { return "file_exists " + v.Get("path").String() },
			},
			New: func(spec mulligan.CheckSpec, _ Deps) (mulligan.Gate, error) {
				return files.New(spec)
			},
		},
		shellEntry(),
		judgeEntry(),
	}
}

func shellEntry() CheckEntry {
	return CheckEntry{
		Variant: config.Variant{
			Name: "shell",
			Doc:  "a shell command passes, or fails where that is expected",
			Fields: []config.Field{
				{Name: "command", Doc: "the shell command, run in the workspace", Required: true, Type: config.NamedString("a command")},
				{Name: "expect", Doc: "how the command must end", Default: "pass", Type: config.Word("pass", "fail")},
				{Name: "keep", Doc: "what the command writes is part of the work: a formatter, a generator", Default: "false", Type: config.Flag()},
				{Name: "timeout", Doc: "the command is stopped after this", Default: command.DefaultTimeout.String(), Type: config.DurationType()},
				{Name: "min_tests", Doc: "fewer tests than this fail the check, skipped ones not counted; without it none at all fail it where a known runner tells so; 0 lets that pass", Type: config.From(0)},
				{Name: "golden", Doc: "run with the protected files as they were at the session's start", Default: "false", Type: config.Flag()},
				{Name: "flaky", Doc: "how often a failing run may be repeated; a pass is reported as flaky then", Default: "0", Type: config.From(0)},
			},
			Decode:   decodeShell,
			Title:    func(v config.Value) string { return firstLine(shellCommand(v).String()) },
			Inverted: func(v config.Value) bool { return v.Get("expect").String() == "fail" },
			Keep:     func(v config.Value) bool { return v.Get("keep").Bool() },
			Golden:   func(v config.Value) bool { return v.Get("golden").Bool() },
			Flaky:    func(v config.Value) int { return v.Get("flaky").Int() },
		},
		New: func(spec mulligan.CheckSpec, deps Deps) (mulligan.Gate, error) {
			return command.New(spec, gate.Deps{Pool: deps.Pool, Environ: process.Set(deps.Environ, deps.CheckEnv...), Limit: deps.Limit, FileLimit: deps.FileLimit, Filter: deps.Filter})
		},
	}
}

func decodeFileExists(v config.Value, _ config.Reader) (any, config.Mistakes) {
	path := v.Get("path")
	if !path.OK() {
		return nil, nil
	}
	switch s := path.String(); {
	case !filepath.IsLocal(filepath.FromSlash(s)):
		return nil, config.Mistakes{path.Wrong("%q is not a path inside the workspace", s)}
	case !doublestar.ValidatePattern(filepath.ToSlash(s)):
		return nil, config.Mistakes{path.Wrong("%q is not a glob: a bracket or brace is not closed", s)}
	default:
		return files.Options{Path: s}, nil
	}
}

// shellCommand returns the command of a check, which may stand without a mapping around it.
func shellCommand(v config.Value) config.Value {
	if v.IsMap() {
		return v.Get("command")
	}
	return v
}

func decodeShell(v config.Value, _ config.Reader) (any, config.Mistakes) {
	cmd := shellCommand(v)
	if !cmd.OK() {
		return nil, nil
	}
	var mistakes config.Mistakes
	if !v.IsMap() && cmd.String() == "none" {
		mistakes = append(mistakes, cmd.Wrong("a bare word is a command to run").WithHint("for no check write: {type: none}"))
	}
	// A command that no shell can read would fail every attempt, and the agent, which may not
	// change it, would be told to fix it.
	if err := shellError(cmd.String()); err != nil {
		mistakes = append(mistakes, cmd.Wrong("the shell cannot read it: %v", err))
	}
	if shellword.IsBlank(cmd.String()) {
		mistakes = append(mistakes, cmd.Wrong("the command has only comments, and would always pass").WithHint("for no check write: {type: none}"))
	}
	if limit := v.Get("timeout"); limit.OK() && limit.Duration() == 0 {
		mistakes = append(mistakes, limit.Wrong("a check needs a time to end in: leave the key out for %s", command.DefaultTimeout))
	}
	if keep := v.Get("keep"); keep.Bool() && v.Get("expect").String() == "fail" {
		mistakes = append(mistakes, keep.Wrong("a check that is expected to fail cannot keep what it writes").WithHint("put the command that writes in a check of its own"))
	}
	if keep := v.Get("keep"); keep.Bool() && v.Get("golden").Bool() {
		mistakes = append(mistakes, keep.Wrong("a golden check cannot keep what it writes: it runs with other files than the work's").WithHint("put the command that writes in a check of its own"))
	}
	mistakes = append(mistakes, checkCounting(v, cmd.String())...)
	opt := command.Options{Command: cmd.String(), Expect: v.Get("expect").String()}
	if least := v.Get("min_tests"); least.OK() {
		n := least.Int()
		opt.MinTests = &n
	}
	return opt, mistakes
}

// checkCounting returns the mistakes in how a check counts tests and repeats runs.
func checkCounting(v config.Value, cmd string) (mistakes config.Mistakes) {
	least, flaky, fails := v.Get("min_tests"), v.Get("flaky"), v.Get("expect").String() == "fail"
	switch {
	case least.OK() && fails:
		mistakes = append(mistakes, least.Wrong("a check that is expected to fail counts no tests").WithHint("take min_tests out"))
	case least.OK() && least.Int() > 0 && !command.CountsTests(cmd):
		mistakes = append(mistakes, least.Wrong("the command names no test runner whose tests can be counted").
			WithHint("name the runner (go test, pytest, cargo test …), or a script or tool that starts it (./test.sh, npm test, make test)"))
	}
	if flaky.Int() > 0 && fails {
		mistakes = append(mistakes, flaky.Wrong("a check that is expected to fail is not repeated").WithHint("take flaky out"))
	}
	return mistakes
}

// shellError returns what is wrong with a command in every dialect that sh may be.
func shellError(s string) error {
	var err error
	for _, dialect := range []syntax.LangVariant{syntax.LangPOSIX, syntax.LangBash} {
		if _, err = syntax.NewParser(syntax.Variant(dialect)).Parse(strings.NewReader(s), ""); err == nil {
			return nil
		}
	}
	return err
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if strings.TrimSpace(rest) != "" {
		line += " …"
	}
	return line
}
