package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/config"
	"mulligan/gate/files"
	"mulligan/internal/builtin"
	"mulligan/plan"
	"mulligan/view"
	"mulligan/workspace"
)

func newValidate(a *App) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check the config, and say how much each step, and a loop, may spend",
		Long: `Validate reports every mistake of the config and of the files that it names, at once (exit 2), then
the checks and hooks whose program cannot be found (exit 6). It runs nothing.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.validate(cmd.Context(), opt) },
	}
	cmd.Flags().StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	return cmd
}

// validate prints every mistake of the config, or the bounds of its plans.
func (a *App) validate(ctx context.Context, opt runOptions) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil {
		return err
	}
	plans, err := plan.All(plan.Request{Config: c, Catalog: builtin.Catalog(), Root: root, Secrets: a.Secrets.Clean, Environ: a.Environ, Confines: a.Confines()})
	if err != nil {
		return err
	}
	notes, err := a.listTrustNotes(root, opt.Config, c)
	if err != nil {
		return err
	}
	a.showBounds(plans, slices.Concat(c.Notes, notes, listIgnoredChecks(ctx, root, plans, a.Environ)))
	if err := plan.CheckPrograms(c, root, a.Environ, plans...); err != nil {
		return err
	}
	fmt.Fprintln(a.Stdout, "the config is right")
	return nil
}

// listIgnoredChecks returns a note for each file_exists check whose path git ignores: no commit
// has it, so that it is looked for where the agent works. A glob is not looked at.
func listIgnoredChecks(ctx context.Context, root string, plans []*mulligan.Plan, environ []string) []string {
	var paths []string
	for _, p := range plans {
		for _, step := range p.Steps {
			for _, check := range step.Checks {
				if path := files.LiteralPath(check); path != "" && !slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
	}
	ignored, err := workspace.IgnoredIn(ctx, root, paths, environ)
	if err != nil {
		return []string{fmt.Sprintf("git could not be asked what it ignores: %v", err)}
	}
	var notes []string
	for _, path := range ignored {
		notes = append(notes, fmt.Sprintf("the check file_exists %s wants a file that git ignores: it is looked for in the workspace, and no commit has it", path))
	}
	return notes
}

// showBounds prints what a person should know, how much each plan may spend, and which hooks run when.
func (a *App) showBounds(plans []*mulligan.Plan, notes []string) {
	for _, p := range plans {
		for _, note := range p.Notes {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	for _, note := range notes {
		fmt.Fprintln(a.Stdout, "note: "+view.Line(note))
	}
	for _, p := range plans {
		if len(p.Steps) == 0 {
			continue
		}
		bounds := plan.Bounds(p)
		if p.Loop != nil {
			fmt.Fprintf(a.Stdout, "loop: %s\n", bounds[0])
			bounds = bounds[1:]
		} else {
			fmt.Fprintf(a.Stdout, "pipeline %s\n", view.Line(p.Pipeline))
		}
		for _, bound := range bounds {
			fmt.Fprintf(a.Stdout, "  %s\n", bound)
		}
	}
	a.printSection("write rules", plan.AccessLines(plans))
	a.printSection("hooks", plan.HookLines(plans[0]))
	a.printSection("agent hooks", plan.AgentHookLines(plans[0]))
	a.printSection("guard", plan.GuardLines(plans[0]))
}

func (a *App) printSection(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(a.Stdout, title)
	for _, line := range lines {
		fmt.Fprintf(a.Stdout, "  %s\n", view.Line(line))
	}
}

func newConfig(a *App) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the config in force, with where each value came from",
		Long: `Config prints what the flags, the environment (MULLIGAN_…), what ` + "`mulligan retry-config set`" + ` has
kept, mulligan.yaml, the user's own file ($XDG_CONFIG_HOME/mulligan/mulligan.yaml) and the defaults
come to, in that order.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := a.Root()
			if err != nil {
				return err
			}
			c, err := a.LoadConfig(root, opt.configFlags())
			if err != nil {
				return err
			}
			if err := c.Err(); err != nil {
				return err
			}
			a.printNotes(c)
			return config.Render(a.Stdout, c.Value)
		},
	}
	cmd.Flags().StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	cmd.Flags().StringVar(&opt.Agent, "agent", "", "the agent for every step that names none, as of run")
	return cmd
}

func newSchema(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of mulligan.yaml, for editors",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.Stdout, "%s\n", builtin.Schema().JSON())
			return err
		},
	}
}
