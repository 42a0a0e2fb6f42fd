package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/journal/jetstream"
	"mulligan/plan"
	"mulligan/workspace"
)

// gitTime is how long the check of a repository may take.
const gitTime = 30 * time.Second

// checkGit checks the program, and the repository as a session would.
func (d *doctor) checkGit(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	version, err := d.runGit(ctx, "version")
	if err != nil {
		d.addFinding(Problem, "git", "install git 2.32 or newer, and put it on PATH", "cannot be run: %v", err)
		return
	}
	root, err := d.Root()
	if err != nil {
		d.addFinding(OK, "git", "", "%s", version)
		d.addFinding(Problem, "repository", "run doctor in the repository that you work in, or make one: git init && git add -A && git commit -m start", "%v", err)
		return
	}
	d.root = root
	checkout, err := workspace.LookAt(ctx, root, d.Environ)
	if err != nil && !errors.Is(err, workspace.ErrUnborn) {
		d.addFinding(Problem, "git", "mulligan works in a repository that git can read, with git 2.32 or newer", "%s: %v", version, err)
		return
	}
	d.addFinding(OK, "git", "", "%s", version)
	if err != nil {
		d.addFinding(Problem, "repository", "mulligan needs a commit to build on: git add -A && git commit -m start", "%v", err)
		return
	}
	d.checkRepository(ctx, checkout)
	d.checkModules(ctx, checkout)
	d.reportFilters(ctx, checkout)
	d.checkIdentity(ctx)
}

// runGit returns what a git command prints.
func (d *doctor) runGit(ctx context.Context, args ...string) (string, error) {
	out, err := process.Tool{Dir: d.Dir, Env: d.Environ, Argv: append([]string{"git"}, args...)}.Output(ctx)
	return strings.TrimSpace(string(out)), err
}

// checkRepository reports where a session would begin, and what it would not have.
func (d *doctor) checkRepository(ctx context.Context, c workspace.Checkout) {
	uncommitted, err := c.Uncommitted(ctx, d.Environ)
	switch {
	case err != nil:
		d.addFinding(Problem, "repository", "", "%v", err)
	case len(uncommitted) > 0:
		d.addFinding(OK, "repository", "run with --carry to take it along", "has uncommitted work in %s, which stays in your checkout: a session begins at HEAD", text.Count(len(uncommitted), "file"))
	case c.Branch == "":
		d.addFinding(OK, "repository", "", "%s, at no branch", d.root)
	default:
		d.addFinding(OK, "repository", "", "%s, on %s", d.root, c.Branch)
	}
}

// checkModules warns of submodules whose files a session would not have.
func (d *doctor) checkModules(ctx context.Context, c workspace.Checkout) {
	missing, err := c.MissingModules(ctx, d.Environ)
	if err != nil {
		d.addFinding(Problem, "git", "", "%v", err)
	}
	for _, m := range missing {
		d.addFinding(Warning, "submodule "+text.QuotePath(m.Path), "git submodule update "+text.QuotePath(m.Path), "is empty in a session: %s", m.Why)
	}
}

// reportFilters lists the programs of git's config that a session's git would start, and how they are kept.
func (d *doctor) reportFilters(ctx context.Context, c workspace.Checkout) {
	filters, failed, err := c.Filters(ctx, d.Environ)
	if err != nil {
		d.addFinding(Problem, "git", "", "%v", err)
	}
	for _, f := range filters {
		from := ""
		if len(f.Folders) > 0 {
			from = fmt.Sprintf("from a copy of %s that is made at a session's start, ", strings.Join(f.Folders, ", "))
		}
		d.addFinding(OK, "filter "+f.Name, "", "git starts %s: %sunder a keeper, with the environment and the confinement of an agent, for at most %v", strings.Join(f.Programs, ", "), from, workspace.FilterLimit)
	}
	for _, err := range failed {
		d.addFinding(Problem, "filter "+err.Filter, workspace.FilterHint(err), "%v", err)
	}
}

// checkIdentity warns if git has no name or address to make commits with.
func (d *doctor) checkIdentity(ctx context.Context) {
	for _, who := range []struct{ key, variable string }{{"user.name", "GIT_AUTHOR_NAME"}, {"user.email", "GIT_AUTHOR_EMAIL"}} {
		if d.Getenv(who.variable) != "" {
			continue
		}
		if value, err := d.runGit(ctx, "config", who.key); err != nil || value == "" {
			d.addFinding(Warning, "git", "git config --global "+who.key+" …", "%s is not set: commits will be made by mulligan <mulligan@localhost>", who.key)
			return
		}
	}
}

// checkConfig makes the plans of the config, and warns of what in them would pass unexamined.
func (d *doctor) checkConfig() {
	if d.root == "" {
		return
	}
	path := d.ConfigPath(d.root, d.opt.Config)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		d.addFinding(Warning, "config", "mulligan init writes one that fits this repository", "there is no %s", environ.RelativeTo(d.Dir, path))
		return
	}
	c, err := d.LoadConfig(d.root, environ.ConfigFlags{File: d.opt.Config, Agent: d.opt.Agent})
	if err == nil {
		d.plans, err = plan.All(plan.Request{Config: c, Catalog: builtin.Catalog(), Root: d.root, Secrets: d.Secrets.Clean, Environ: d.Environ, Confines: d.Confines()})
	}
	var mistakes config.Mistakes
	switch {
	case errors.As(err, &mistakes):
		d.addFinding(Problem, "config", "mulligan validate shows all of them", "%s has %s, the first in line %d: %s", mistakes[0].File, text.Count(len(mistakes), "mistake"), mistakes[0].Line, mistakes[0].Message)
	case err != nil:
		d.addFinding(Problem, "config", "", "%v", err)
	default:
		d.addFinding(OK, "config", "", "%s is right", environ.RelativeTo(d.Dir, path))
		d.reportMissingPrograms(c)
		d.warnOfFailOpen(c.Notes)
	}
}

// reportMissingPrograms reports the checks and hooks whose program cannot be found: they keep a session
// from beginning.
func (d *doctor) reportMissingPrograms(c *config.Config) {
	notReady, ok := errors.AsType[*plan.NotReadyError](plan.CheckPrograms(c, d.root, d.Environ, d.plans...))
	if !ok {
		return
	}
	for _, m := range notReady.Missing {
		d.addFinding(Problem, "config", m.Hint, "%s:%d: %s: %s", m.File, m.Line, m.Path, m.Message)
	}
}

// warnOfFailOpen warns of what would pass though nothing has examined it.
func (d *doctor) warnOfFailOpen(notes []string) {
	seen := map[string]bool{}
	for _, p := range d.plans {
		for _, note := range append(notes, p.Notes...) {
			if !seen[note] {
				seen[note] = true
				d.addFinding(Warning, "config", "change it in mulligan.yaml, or take it as it is", "%s", note)
			}
		}
		for _, s := range p.Steps {
			if len(s.Checks) == 0 && p.Loop == nil {
				d.addFinding(Warning, "config", "give it a check", "step %s of pipeline %s has no check: its work will be accepted, not verified", s.Name, p.Pipeline)
			}
		}
	}
}

// checkEngine opens the journal as every command does, and lists its sessions.
func (d *doctor) checkEngine(ctx context.Context) {
	store, err := d.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		d.addFinding(Problem, "journal", "see that the state folder can be written, or that the servers of engine: are there", "cannot be opened: %v", err)
		return
	}
	defer store.Close()
	where, _ := d.StateDir()
	if engine, err := d.JournalEngine(); err == nil && engine != jetstream.Embedded {
		where = "on the servers of engine:"
	}
	list, err := store.Sessions(ctx)
	switch {
	case jetstream.Damaged(err):
		d.addFinding(Problem, "journal", sessions.DamageHint, "%s", sessions.DescribeDamage(err))
	case err != nil:
		d.addFinding(Problem, "journal", "", "cannot be read: %v", err)
	default:
		d.addFinding(OK, "journal", "", "%s, %s", where, text.Count(len(list), "session"))
	}
}
