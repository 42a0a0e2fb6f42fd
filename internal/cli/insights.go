package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mulligan/history"
	"mulligan/internal/client"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/view/insights"
)

// insightsOptions are the flags of `insights`.
type insightsOptions struct {
	client.PastOptions
	JSON bool
}

func newInsights(a *App) *cobra.Command {
	opt := insightsOptions{PastOptions: client.PastOptions{Limit: 1000}}
	since := moment{now: a.SessionClock().Now}
	cmd := &cobra.Command{
		Use:   "insights",
		Short: "Say what past sessions have in common",
		Long: `Insights tells how this repository's sessions went: which steps fail, which strategies help at which
step, where time and money go, what agents cost, what hooks and checks did, which checks are flaky,
how the last week went, and which session is unusual. A session that still runs counts as far as it is.

--since takes a date (2026-11-01), a time (2026-11-01T08:30:00Z) or how long ago (72h, 14d, 2w), and
goes by the ends of sessions. docs/history.md tells how each figure is made.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Limit < 1 {
				return usererror.Usage(fmt.Sprintf("--limit %d: there is nothing to count", opt.Limit), "give a number above 0")
			}
			opt.Since = since.at
			return a.showInsights(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&opt.All, "all", "a", false, "of every repository")
	f.StringVar(&opt.Session, "session", "", "of this session alone")
	f.Var(&since, "since", "of sessions that ended since then")
	f.IntVar(&opt.Limit, "limit", opt.Limit, "of the newest so many sessions")
	f.BoolVar(&opt.JSON, "json", false, "print it as JSON")
	cmd.MarkFlagsMutuallyExclusive("all", "session")
	return cmd
}

// insightsJSON is what `insights --json` prints.
type insightsJSON struct {
	Version  int `json:"v"`
	Sessions int `json:"sessions"` // that were read
	history.Insights
	Unread []client.UnreadSession `json:"unread,omitempty"`
}

// showInsights prints what past sessions have in common.
func (a *App) showInsights(ctx context.Context, opt insightsOptions) error {
	past, err := a.client().ReadPast(ctx, opt.PastOptions)
	if err != nil {
		return err
	}
	found := insightsJSON{Version: 1, Sessions: past.Whole(), Insights: history.Examine(past.Records), Unread: past.Unread}
	if opt.JSON {
		err = a.printJSON(found)
	} else {
		err = a.printInsights(found, opt.All)
	}
	if err != nil {
		return err
	}
	return past.Err()
}

// printInsights prints the figures for people. withRoot names the repository of each.
func (a *App) printInsights(found insightsJSON, withRoot bool) error {
	for _, u := range found.Unread {
		a.warn(u.Error)
	}
	var out strings.Builder
	fmt.Fprintln(&out, text.Count(found.Sessions, "session"))
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, t := range insights.Tables(found.Insights, withRoot) {
		fmt.Fprintln(w, "\n"+strings.Join(t.Head, "\t"))
		for _, row := range t.Rows {
			fmt.Fprintln(w, strings.Join(row, "\t"))
		}
		_ = w.Flush() // to memory
	}
	if lines := insights.Lines(found.Insights); len(lines) > 0 {
		fmt.Fprintln(&out, "\n"+strings.Join(lines, "\n"))
	}
	_, err := io.WriteString(a.Stdout, out.String())
	return err
}
