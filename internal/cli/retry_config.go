package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mulligan/config"
	"mulligan/internal/environ"
	"mulligan/view"
)

// retryConfigOptions are the flags of `retry-config`.
type retryConfigOptions struct {
	Config string
	JSON   bool
	Shared bool
}

func (o *retryConfigOptions) addShowFlags(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	cmd.Flags().BoolVar(&o.JSON, "json", false, "print it as JSON")
}

func newRetryConfig(a *App) *cobra.Command {
	var opt retryConfigOptions
	cmd := &cobra.Command{
		Use:   "retry-config",
		Short: "Show how steps are retried, or change it in this repository",
		Long: `Retry-config shows adaptive_retry as it is in force, and where each value comes from. Set changes
a value for you alone, in a file of this repository in mulligan's state folder, which goes before
mulligan.yaml. Reset deletes that file.`,
		RunE: func(*cobra.Command, []string) error { return a.showRetryConfig(opt) },
	}
	opt.addShowFlags(cmd)
	cmd.AddCommand(newRetryConfigShow(a), newRetryConfigSet(a), newRetryConfigReset(a))
	return cmd
}

func newRetryConfigShow(a *App) *cobra.Command {
	var opt retryConfigOptions
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show the values in force, and where each comes from",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.showRetryConfig(opt) },
	}
	opt.addShowFlags(cmd)
	return cmd
}

func newRetryConfigReset(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "reset",
		Short: "Delete what `retry-config set` has kept",
		Long: `Reset deletes the file of this repository that ` + "`mulligan retry-config set`" + ` has written, and says what
was in it. mulligan.yaml stays as it is.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.resetRetryConfig() },
	}
}

// retryConfigJSON is what `retry-config --json` prints.
type retryConfigJSON struct {
	Version int              `json:"v"`
	Given   bool             `json:"given"` // whether a file, a variable or a flag has adaptive_retry
	File    string           `json:"file"`  // of `retry-config set`; it need not exist
	Values  []retryValueJSON `json:"values"`
}

type retryValueJSON struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// showRetryConfig prints the values of adaptive_retry that are in force.
func (a *App) showRetryConfig(opt retryConfigOptions) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	c, err := a.LoadConfig(root, environ.ConfigFlags{File: opt.Config})
	if err != nil {
		return err
	}
	a.printNotes(c)
	if err := c.Err(); err != nil {
		return err
	}
	values := c.Get("adaptive_retry")
	if opt.JSON {
		path, err := a.RetryFile(root)
		if err != nil {
			return err
		}
		return a.printRetryJSON(retryConfigJSON{Version: 1, Given: values.Given(), File: path, Values: []retryValueJSON{}}, values.Leaves())
	}
	if !values.Given() {
		fmt.Fprintln(a.Stdout, "# the config has no adaptive_retry: a step without a retry of its own is not tried again")
	}
	return config.Render(a.Stdout, values)
}

func (a *App) printRetryJSON(doc retryConfigJSON, leaves []config.Leaf) error {
	for _, leaf := range leaves {
		doc.Values = append(doc.Values, retryValueJSON{Key: strings.Join(leaf.Path, "."), Value: leaf.Value, Origin: leaf.Origin})
	}
	return a.printJSON(doc)
}

// resetRetryConfig deletes the retry file of this repository.
func (a *App) resetRetryConfig() error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	path, err := a.RetryFile(root)
	if err != nil {
		return err
	}
	text, damage, err := environ.ReadRetryFile(path)
	if err != nil {
		return err
	}
	if text == nil && damage == nil {
		fmt.Fprintln(a.Stdout, "nothing to delete: `mulligan retry-config set` has kept nothing of this repository")
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	fmt.Fprintf(a.Stdout, "deleted %s", view.Line(path))
	if damage != nil {
		fmt.Fprintf(a.Stdout, ", which was damaged: %s\n", view.Line(damage.Why))
		return nil
	}
	fmt.Fprintf(a.Stdout, ", which had\n%s\n", strings.TrimRight(indentLines(view.Text(string(text))), "\n"))
	return nil
}

// indentLines returns the lines of a text, without comments, each two blanks further in.
func indentLines(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" {
			out.WriteString("  " + line)
		}
	}
	return out.String()
}
