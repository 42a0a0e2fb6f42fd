package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"mulligan/feedback"
	"mulligan/internal/usererror"
)

func newDistill(a *App) *cobra.Command {
	limit := feedback.DefaultLimit
	cmd := &cobra.Command{
		Use:   "distill [FILE]",
		Short: "Print what an agent would get of an output",
		Long: `Distill reads an output (a file, else standard input) and prints what an agent would be
given of it: what failed first (tests, errors of compilers and linters, stack traces), each
item whole as far as there is room, then its start and its end, without colours, progress
bars and repetitions, in at most --limit characters.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return a.printDistilled(firstArg(args), limit)
		},
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "the most characters to print")
	return cmd
}

func (a *App) printDistilled(path string, limit int) error {
	if limit < feedback.MinLimit {
		return usererror.Usage(fmt.Sprintf("--limit %d is too small", limit), fmt.Sprintf("the least is %d", feedback.MinLimit))
	}
	var in io.Reader = a.Stdin
	if path != "" {
		f, err := os.Open(a.Abs(path))
		if err != nil {
			return usererror.Usage(err.Error(), "")
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return usererror.Usage(path+" is a folder", "give a file, or pipe the output in")
		}
		in = f
	}
	d, err := feedback.Distill(a.Secrets.Reader(in), limit, path)
	if err != nil {
		return err
	}
	text := d.Text
	if text == "" {
		text = feedback.NoOutput
	}
	_, err = fmt.Fprintln(a.Stdout, text)
	return err
}
