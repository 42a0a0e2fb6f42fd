package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"mulligan/internal/builtin"
	"mulligan/plan"
)

func newInit(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a mulligan.yaml that fits this repository",
		Long: `Init looks at the repository (go.mod, package.json, Cargo.toml, pyproject.toml …) and writes
a commented mulligan.yaml, a prompt, a sample task and the schema for your editor. It
overwrites nothing.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.initRepository() },
	}
}

func (a *App) initRepository() error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	start, err := plan.Init(root, builtin.Schema().JSON())
	if err != nil {
		return err
	}
	if start.Kind != "" {
		fmt.Fprintf(a.Stdout, "this looks like %s\n", start.Kind)
	}
	if err := start.Write(root); err != nil {
		return err
	}
	for _, f := range start.Files {
		if f.Exists {
			fmt.Fprintf(a.Stdout, "  kept   %s (it was there)\n", f.Path)
		} else {
			fmt.Fprintf(a.Stdout, "  wrote  %s\n", f.Path)
		}
	}
	for _, note := range start.Notes {
		fmt.Fprintf(a.Stdout, "note: %s\n", note)
	}
	fmt.Fprint(a.Stdout, `
next
  edit mulligan.yaml: say which program is your agent
  mulligan validate
  git add -A && git commit -m "Add mulligan"
  mulligan run tasks/example.md
`)
	return nil
}
