package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/environ"
	"mulligan/internal/text"
	"mulligan/plan"
	"mulligan/view"
)

func newInit(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a mulligan.yaml that fits this repository",
		Long: `Init looks at the repository (go.mod, package.json, Cargo.toml, pyproject.toml, Makefile …) and at the
agents that are installed, and writes a commented mulligan.yaml, a prompt, a sample task and the schema
for your editor. It overwrites nothing. A mulligan.yml or mulligan.json is no config: init names it, and writes
nothing beside it.

A test command that it finds is tried in a harmless form for at most 10 seconds (go test -run ^$, pytest
--collect-only, cargo test --no-run, make -n), which may run code of the repository as its tests would. Of others
it looks whether the program is there. A command that does not start is not written.

After a run without a config (mulligan run "…" --agent … --check …) it writes what the newest such
session of this repository used.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.initRepository(cmd.Context()) },
	}
}

func (a *App) initRepository(ctx context.Context) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	misnamed := a.FindMisnamedConfig(root)
	if misnamed != "" && environ.IsYAML(misnamed) {
		return a.CheckConfigName(root) // renamed, it is the config; another beside it would hide it
	}
	hadConfig := a.HasConfig(root)
	var choice plan.Choice
	var notes []string
	if !hadConfig {
		if choice, notes, err = a.chooseStart(ctx, root); err != nil {
			return err
		}
	}
	start, err := plan.Init(root, builtin.Schema().JSON(), choice)
	if err != nil {
		return err
	}
	if err := start.Write(root); err != nil {
		return err
	}
	wrote := false
	for _, f := range start.Files {
		if f.Exists {
			fmt.Fprintf(a.Stdout, "  kept   %s (it was there)\n", f.Path)
			continue
		}
		wrote = true
		fmt.Fprintf(a.Stdout, "  wrote  %s\n", f.Path)
	}
	if hadConfig {
		notes = a.listRemainingWork(root)
	}
	if misnamed != "" {
		notes = append(notes, environ.RelativeTo(a.Dir, misnamed)+" is not read: write what it says in mulligan.yaml")
	}
	for _, note := range notes {
		fmt.Fprintf(a.Stdout, "note: %s\n", view.Line(note))
	}
	lacks := len(notes) > 0
	if !hadConfig {
		lacks = misnamed != "" || len(choice.Checks) == 0 || choice.Agent == "" && !choice.OwnAgent
	}
	a.printNextSteps(lacks, wrote)
	return nil
}

// printNextSteps prints what a person may do after init.
func (a *App) printNextSteps(lacks, wrote bool) {
	fmt.Fprint(a.Stdout, "\nnext\n")
	if lacks {
		fmt.Fprint(a.Stdout, "  edit mulligan.yaml: the notes say what\n")
	}
	fmt.Fprint(a.Stdout, "  mulligan validate\n")
	if wrote {
		fmt.Fprint(a.Stdout, "  git add -A && git commit -m \"Add mulligan\"\n")
	}
	fmt.Fprint(a.Stdout, "  mulligan run \"Say what is to be done\"     or the file of a task: tasks/_example.md is a sample\n")
}

// listRemainingWork returns what a config that was there already still lacks.
func (a *App) listRemainingWork(root string) []string {
	var opt runOptions
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil {
		return []string{err.Error()}
	}
	plans, err := plan.All(plan.Request{Config: c, Catalog: builtin.Catalog(), Root: root, Secrets: a.Secrets.Clean, Environ: a.Environ, Confines: a.Confines()})
	if err != nil {
		return describeMistakes(err)
	}
	var notes []string
	for _, p := range plans {
		for _, s := range p.Steps {
			note := fmt.Sprintf("step %s has no check: its work will be accepted, not verified", s.Name)
			if len(s.Checks) == 0 && p.Loop == nil && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	if notReady, ok := errors.AsType[*plan.NotReadyError](plan.CheckPrograms(c, root, a.Environ, plans...)); ok {
		notes = append(notes, describeMistakes(notReady.Missing)...)
	}
	return notes
}

// describeMistakes returns the first mistake of a config, and how many there are.
func describeMistakes(err error) []string {
	var mistakes config.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) == 0 {
		return []string{err.Error()}
	}
	m := mistakes[0]
	note := strings.TrimPrefix(fmt.Sprintf("%s:%d: %s: %s", m.File, m.Line, m.Path, m.Message), ":0: ")
	if more := len(mistakes) - 1; more > 0 {
		note += fmt.Sprintf("; and %s more", text.Count(more, "mistake"))
	}
	return []string{note}
}
