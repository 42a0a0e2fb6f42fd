package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/history"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
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

// An unreadSession is a session whose figures are missing, or lack what came after the damage.
type unreadSession struct {
	Session string `json:"session"`
	Error   string `json:"error"`
}

// showInsights counts and prints what the hooks and checks of past sessions did.
func (a *App) showInsights(ctx context.Context, opt insightsOptions) error {
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return err
	}
	defer store.Close()
	all, damage := store.Sessions(ctx)
	if damage != nil && !jetstream.Damaged(damage) {
		return damage
	}
	list, err := a.selectSessions(all, opt)
	if err != nil {
		return err
	}
	found, err := countOutcomes(ctx, store, list)
	if err != nil {
		return err
	}
	if err := a.printInsights(found, opt.JSON); err != nil || damage == nil && len(found.Unread) == 0 {
		return err
	}
	if damage != nil {
		return sessions.DamageError(damage)
	}
	words := text.Count(len(found.Unread), "session") + " could not be read to the end, and what came after is not in the figures"
	return usererror.New(mulligan.ExitInternal, words, sessions.DamageHint)
}

// selectSessions returns the sessions that the figures are made of, the oldest first.
func (a *App) selectSessions(all []mulligan.Summary, opt insightsOptions) ([]mulligan.Summary, error) {
	if opt.Session != "" {
		s, err := sessions.FindByName(all, opt.Session)
		return []mulligan.Summary{s}, err
	}
	if !opt.All {
		if _, err := a.Root(); err != nil {
			return nil, err
		}
		all = a.client().OfRepository(all)
	}
	return all[max(0, len(all)-opt.Limit):], nil
}

// countOutcomes reads the sessions into figures. It lists a damaged one as unread, and counts the rest.
func countOutcomes(ctx context.Context, journal mulligan.Journal, list []mulligan.Summary) (insightsJSON, error) {
	found := insightsJSON{Version: 1}
	var hooks history.Hooks
	var checks history.Checks
	for _, s := range list {
		var broke error
		for e, err := range journal.Read(ctx, s.ID, 1) {
			if broke = err; err != nil {
				break
			}
			hooks.Apply(e)
			checks.Apply(e)
		}
		switch {
		case ctx.Err() != nil:
			return found, ctx.Err()
		case broke != nil:
			found.Unread = append(found.Unread, unreadSession{Session: s.ID, Error: broke.Error()})
		default:
			found.Sessions++
		}
	}
	found.Hooks, found.Checks = hooks.List(), checks.List()
	return found, nil
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
