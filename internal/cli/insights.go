package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"mulligan/history"
	"mulligan/internal/client"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
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
		Long: `Insights tells how this repository's sessions went: which steps fail, where time and money go, how
that changes over the weeks, which sessions are unusual and why, which strategies help at which
step, what hooks and checks did, and which checks are flaky. A session that still runs counts as
far as it is.

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
	fmt.Fprintf(a.Stdout, "%s\n", text.Count(found.Sessions, "session"))
	p := insightsPrinter{to: a.Stdout, withRoot: withRoot}
	p.printSteps(found.Steps)
	p.printBottlenecks(found.Bottlenecks)
	p.printTrends(found.Trends)
	p.printAnomalies(found.Anomalies)
	p.printStrategies(found.Strategies)
	p.printHooks(found.Hooks)
	p.printChecks(found.Checks)
	p.printCost(found.Cost)
	return p.err
}
