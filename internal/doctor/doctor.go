// Package doctor examines what a session would meet here: git and the repository, the config, the
// programs of agents, the variables that they do not get, the journal, and what would pass unexamined.
package doctor

import (
	"context"
	"fmt"
	"runtime"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/view"
)

// The levels of findings.
const (
	OK      = "ok"
	Warning = "warning"
	Problem = "problem"
)

// A Finding is what doctor reports about one thing.
type Finding struct {
	Level string   `json:"level"`
	About string   `json:"about"`
	Text  string   `json:"text"`
	Do    string   `json:"do,omitempty"`
	Names []string `json:"names,omitempty"` // of variables, or what an agent may write
}

// Options say what is examined.
type Options struct {
	Config  string // the config file; "" for the repository's
	Agent   string // the agent for every step that names none, or ""
	Answers bool   // have each agent answer a prompt, which may cost money
}

// A doctor checks everything that a session would need, and gathers findings.
type doctor struct {
	*environ.Env
	opt      Options
	pool     *process.Pool
	root     string // "" outside a repository
	plans    []*mulligan.Plan
	findings []Finding
}

// Examine checks everything and returns what it finds, at least one finding.
func Examine(ctx context.Context, env *environ.Env, opt Options) []Finding {
	d := &doctor{Env: env, opt: opt, pool: process.NewPool(process.PoolOptions{})}
	d.addFinding(OK, "mulligan", "", "%s%s on %s/%s", environ.Version, environ.Revision(), runtime.GOOS, runtime.GOARCH)
	d.checkGit(ctx)
	d.checkConfig()
	d.checkStarts(ctx)
	d.checkAgents(ctx)
	d.checkEnvironment()
	d.checkEngine(ctx)
	d.checkConfinement()
	d.checkSlots()
	return d.findings
}

// addFinding adds a finding about a thing. do is what to do about it, or "".
func (d *doctor) addFinding(level, about, do, format string, args ...any) {
	text := view.Line(fmt.Sprintf(format, args...))
	d.findings = append(d.findings, Finding{Level: level, About: view.Line(about), Text: text, Do: view.Line(do)})
}
