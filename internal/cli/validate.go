package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/plan"
	"mulligan/view"
)

func newValidate(a *App) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check the config, and say how much each step may spend",
		Long:  "Validate reports every mistake of the config and of the files that it names, at once, and runs nothing.",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.validate(opt) },
	}
	cmd.Flags().StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	return cmd
}

func (a *App) validate(opt runOptions) error {
	root, err := a.root()
	if err != nil {
		return err
	}
	c, err := a.config(root, opt)
	if err != nil {
		return err
	}
	plans, err := plan.All(plan.Request{Config: c, Catalog: builtin.Catalog(), Root: root, Secrets: a.secrets.Clean})
	if err != nil {
		return err
	}
	for _, note := range c.Notes {
		fmt.Fprintln(a.Stdout, "note: "+view.Line(note))
	}
	for _, p := range plans {
		fmt.Fprintf(a.Stdout, "pipeline %s\n", view.Line(p.Pipeline))
		for _, bound := range plan.Bounds(p) {
			fmt.Fprintf(a.Stdout, "  %s\n", bound)
		}
	}
	fmt.Fprintln(a.Stdout, "the config is right")
	return nil
}

func newConfig(a *App) *cobra.Command {
	var opt runOptions
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the config in force, with where each value came from",
		Long: `Config prints what the flags, the environment (MULLIGAN_…), mulligan.yaml, the user's own
file ($XDG_CONFIG_HOME/mulligan/mulligan.yaml) and the defaults come to, in that order.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := a.root()
			if err != nil {
				return err
			}
			c, err := a.config(root, opt)
			if err != nil {
				return err
			}
			if err := c.Err(); err != nil {
				return err
			}
			return config.Render(a.Stdout, c.Value)
		},
	}
	cmd.Flags().StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	cmd.Flags().StringVar(&opt.Agent, "agent", "", "as `mulligan run --agent`")
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
