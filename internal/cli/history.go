package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/history"
	"mulligan/internal/client"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/view"
)

// historyOptions are the flags of `history`.
type historyOptions struct {
	client.PastOptions
	JSON bool
	Step string
}

func newHistory(a *App) *cobra.Command {
	opt := historyOptions{PastOptions: client.PastOptions{Limit: 20}}
	since := moment{now: a.SessionClock().Now}
	cmd := &cobra.Command{
		Use:   "history",
		Short: "List past sessions with what each step took",
		Long: `History lists this repository's sessions, the newest last: how each ended, what it took, and of
each step the attempts: which strategy every retry had, who chose it, and what came of it. The
retry of steps decides by the same records.

--since takes a date (2026-11-01), a time (2026-11-01T08:30:00Z) or how long ago (72h, 14d, 2w), and
goes by the ends of sessions. docs/json.md describes the shape of --json.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.Limit < 1 {
				return usererror.Usage(fmt.Sprintf("--limit %d: there is nothing to list", opt.Limit), "give a number above 0")
			}
			opt.Since = since.at
			return a.showHistory(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.Step, "step", "", "of this step alone, and of the sessions that reached it")
	f.Var(&since, "since", "sessions that ended since then")
	f.IntVar(&opt.Limit, "limit", opt.Limit, "the newest so many sessions")
	f.BoolVarP(&opt.All, "all", "a", false, "of every repository")
	f.BoolVar(&opt.JSON, "json", false, "print it as JSON")
	return cmd
}

// historyJSON is what `history --json` prints.
type historyJSON struct {
	Version  int                    `json:"v"`
	Sessions []sessionJSON          `json:"sessions"` // the oldest first
	Unread   []client.UnreadSession `json:"unread,omitempty"`
}

// sessionJSON is a session in `history --json`.
type sessionJSON struct {
	history.Session
	Steps  []stepJSON      `json:"steps"`
	Checks []history.Check `json:"checks"`
	Hooks  []history.Hook  `json:"hooks"`
}

// stepJSON is a step of a session in `history --json`.
type stepJSON struct {
	history.Step
	RetryAttempts  int      `json:"retryAttempts"`
	StrategiesUsed []string `json:"strategiesUsed"` // one for each retry, in order
}

// showHistory prints past sessions.
func (a *App) showHistory(ctx context.Context, opt historyOptions) error {
	found, err := a.client().ReadPast(ctx, opt.PastOptions)
	if err != nil {
		return err
	}
	if opt.Step != "" {
		found.Records = keepStep(found.Records, opt.Step)
	}
	if opt.JSON {
		err = a.printJSON(makeHistoryJSON(found))
	} else {
		a.printHistory(found, opt)
	}
	if err != nil {
		return err
	}
	return found.Err()
}

// keepStep returns the sessions that reached a step, with that step alone.
func keepStep(list []history.Session, name string) []history.Session {
	var kept []history.Session
	for _, s := range list {
		at := slices.IndexFunc(s.Steps, func(step history.Step) bool { return step.Name == name && step.Status.Reached() })
		if at >= 0 {
			s.Steps = s.Steps[at : at+1]
			kept = append(kept, s)
		}
	}
	return kept
}

func makeHistoryJSON(found client.PastSessions) historyJSON {
	out := historyJSON{Version: 1, Sessions: []sessionJSON{}, Unread: found.Unread}
	for _, s := range found.Records {
		var checks history.Checks
		var hooks history.Hooks
		checks.Add(s)
		hooks.Add(s)
		one := sessionJSON{Session: s, Steps: []stepJSON{}, Checks: checks.List(), Hooks: hooks.List()}
		for _, step := range s.Steps {
			one.Steps = append(one.Steps, stepJSON{Step: step, RetryAttempts: len(step.Retries), StrategiesUsed: step.Strategies()})
		}
		out.Sessions = append(out.Sessions, one)
	}
	return out
}

// printHistory prints sessions for people.
func (a *App) printHistory(found client.PastSessions, opt historyOptions) {
	for _, u := range found.Unread {
		a.warn(u.Error)
	}
	if len(found.Records) == 0 {
		fmt.Fprintln(a.Stdout, noSessionWords(opt))
		return
	}
	for _, s := range found.Records {
		fmt.Fprintln(a.Stdout, describeSession(s, opt.All))
		width := 0
		for _, step := range s.Steps {
			width = max(width, len([]rune(view.Line(step.Name))))
		}
		for _, step := range s.Steps {
			name := view.Line(step.Name)
			fmt.Fprintf(a.Stdout, "    %s%s  %s\n", name, strings.Repeat(" ", width-len([]rune(name))), describeStep(step))
		}
	}
}

// noSessionWords tells that there is nothing to list, and why.
func noSessionWords(opt historyOptions) string {
	switch {
	case opt.Step != "":
		return fmt.Sprintf("none of these sessions has reached a step %q", view.Line(opt.Step))
	case !opt.Since.IsZero():
		return "no session has ended since " + opt.Since.Format(time.RFC3339)
	}
	return "no sessions yet: mulligan run TASK.md begins one"
}

// describeSession returns the line of a session.
func describeSession(s history.Session, withRoot bool) string {
	ended := "not ended"
	if s.Ended != "" {
		ended, _, _ = view.EndingWords(s.Ended, false)
	}
	kind := "pipeline " + s.Pipeline
	if s.Name != "" {
		kind = fmt.Sprintf("loop %s, %s", s.Name, text.Count(s.Iterations, "iteration"))
	}
	root := ""
	if withRoot {
		root = view.Line(s.Root)
	}
	return view.Join("  ", s.ID, s.Time().Local().Format("2006-01-02 15:04"), ended, view.Line(kind), view.Line(s.Task), view.Duration(s.Worked), view.Spent(s.Usage), root)
}

// describeStep returns what a step took.
func describeStep(step history.Step) string {
	if !step.Status.Reached() {
		return "not reached"
	}
	words := fmt.Sprintf("%s, %s", step.Status, text.Count(step.Attempts, "attempt"))
	if step.Worked > 0 {
		words += ", " + view.Duration(step.Worked)
	}
	var retries []string
	for _, r := range step.Retries {
		retries = append(retries, describeRetry(r))
	}
	if len(retries) > 0 {
		words += "  retries: " + strings.Join(retries, ", ")
	}
	return words
}

// describeRetry returns a retry's strategy, who chose it unless that was the policy, and what came of it.
func describeRetry(r history.Retry) string {
	words := view.Line(r.Strategy)
	switch r.By {
	case "", "policy":
	case "default":
		words += " (nobody answered)"
	default:
		words += " (" + view.Line(r.By) + ")"
	}
	switch r.Outcome {
	case mulligan.Pass:
		return words + " passed"
	case mulligan.Fail:
		return words + " failed"
	case mulligan.Broken:
		return words + " broken"
	}
	return words + " open"
}

// warn prints a warning.
func (a *App) warn(words string) {
	_, _ = a.Stderr.Write([]byte("mulligan: " + view.Text(words) + "\n"))
}
