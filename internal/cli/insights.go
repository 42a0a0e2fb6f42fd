package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mulligan/history"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/view"
)

// insightsOptions are the flags of `insights`.
type insightsOptions struct {
	JSON    bool
	All     bool
	Session string
	Limit   int
}

func newInsights(a *App) *cobra.Command {
	opt := insightsOptions{Limit: 100}
	cmd := &cobra.Command{
		Use:   "insights",
		Short: "Say how hooks and checks did in past sessions",
		Long: `Insights counts what the hooks and checks of this repository's sessions did: how often they
ran, blocked, failed or could not tell, and how long they took. The figures are read from the
journal; a session that still runs counts as far as it is.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Limit < 1 {
				return usererror.Usage(fmt.Sprintf("--limit %d: there is nothing to count", opt.Limit), "give a number above 0")
			}
			return a.showInsights(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&opt.All, "all", "a", false, "of every repository")
	f.StringVar(&opt.Session, "session", "", "of this session alone")
	f.IntVar(&opt.Limit, "limit", opt.Limit, "of the newest so many sessions")
	f.BoolVar(&opt.JSON, "json", false, "print it as JSON")
	cmd.MarkFlagsMutuallyExclusive("all", "session")
	return cmd
}

// insightsJSON is what `insights --json` prints.
type insightsJSON struct {
	Version  int             `json:"v"`
	Sessions int             `json:"sessions"` // that were read
	Hooks    []history.Hook  `json:"hooks"`
	Checks   []history.Check `json:"checks"`
	Unread   []unreadSession `json:"unread,omitempty"`
}

// showInsights counts and prints what past sessions did.
func (a *App) showInsights(ctx context.Context, opt insightsOptions) error {
	past, err := a.readPast(ctx, pastOptions{All: opt.All, Session: opt.Session, Limit: opt.Limit})
	if err != nil {
		return err
	}
	found := insightsJSON{Version: 1, Sessions: past.whole(), Unread: past.Unread}
	var hooks history.Hooks
	var checks history.Checks
	for _, s := range past.Records {
		hooks.Add(s)
		checks.Add(s)
	}
	found.Hooks, found.Checks = hooks.List(), checks.List()
	if err := a.printInsights(found, opt.JSON); err != nil {
		return err
	}
	return past.err()
}

func (a *App) printInsights(found insightsJSON, asJSON bool) error {
	if asJSON {
		return a.printJSON(found)
	}
	for _, u := range found.Unread {
		fmt.Fprintf(a.Stderr, "mulligan: %s\n", view.Text(u.Error))
	}
	fmt.Fprintf(a.Stdout, "%s\n", text.Count(found.Sessions, "session"))
	if err := printHookTable(a.Stdout, found.Hooks); err != nil {
		return err
	}
	return printCheckTable(a.Stdout, found.Checks)
}

// printHookTable prints the figures of hooks. The names stand last: they are of any length, and nothing
// has to be lined up after them.
func printHookTable(to io.Writer, list []history.Hook) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(to, "\nno hook has run")
		return err
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nMOMENT\tRUNS\tBLOCKS\tHALTS\tBROKEN\tFAILED\tP50\tP95\tMAX\tHOOK")
	for _, h := range list {
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", view.Line(h.Moment), h.Runs, formatTimes(h.Blocks), formatTimes(h.Halts), formatTimes(h.Broken),
			formatTimes(h.Failures), formatBriefly(h.P50), formatBriefly(h.P95), formatBriefly(h.Max), view.Line(h.Name))
	}
	return w.Flush()
}

func printCheckTable(to io.Writer, list []history.Check) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(to, "\nno check has run")
		return err
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nRUNS\tFAILED\tBROKEN\tP50\tP95\tMAX\tCHECK")
	for _, c := range list {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Runs, formatTimes(c.Failed), formatTimes(c.Broken), formatBriefly(c.P50), formatBriefly(c.P95), formatBriefly(c.Max), view.Line(c.Name))
	}
	return w.Flush()
}

// formatTimes formats a count for a table, in which what never happened does not catch the eye.
func formatTimes(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// formatBriefly formats a duration for a table.
func formatBriefly(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
