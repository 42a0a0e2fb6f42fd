package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/guardhook"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/plan"
	"mulligan/view"
)

func newGuardStatus(a *App) *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show whether the guard is on here, and how the tasks stand",
		Long: `Status shows whether the guard is on in this repository and why, where its hooks are installed, and
how the tasks stand that agents have claimed to be done: in each conversation with an agent that you
run yourself, and in each session. Under a task that waits for you are the two commands that
decide about it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.printGuardStatus(cmd.Context(), asJSON, all) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	cmd.Flags().BoolVarP(&all, "all", "a", false, fmt.Sprintf("show all conversations and sessions, not only the newest %d", newestGuarded))
	return cmd
}

// guardStatusJSON is what `guard status --json` prints.
type guardStatusJSON struct {
	Version   int             `json:"v"`
	Dir       string          `json:"dir"`
	Enabled   bool            `json:"enabled"`
	By        string          `json:"by"` // switch, config, default
	Origin    string          `json:"origin,omitempty"`
	Rules     *mulligan.Guard `json:"rules,omitempty"`
	Mistakes  string          `json:"mistakes,omitempty"`
	Installed []installation  `json:"installed"`
	Sessions  []guardedJSON   `json:"sessions"`
}

// guardedJSON is a conversation or session with its items.
type guardedJSON struct {
	ID           string          `json:"id"`
	Guard        bool            `json:"guard,omitempty"` // of an agent that no session runs
	Agent        string          `json:"agent,omitempty"`
	Conversation string          `json:"conversation,omitempty"`
	Updated      time.Time       `json:"updated"`
	Max          int             `json:"max"`
	Items        []guardItemJSON `json:"items"`
}

type guardItemJSON struct {
	mulligan.GuardItem
	Waits bool `json:"waits,omitempty"` // for a person
}

// printGuardStatus prints how the guard is set, and what it knows.
func (a *App) printGuardStatus(ctx context.Context, asJSON, all bool) error {
	root := guardhook.FindRoot(a.Dir)
	set, err := guardhook.LoadSettings(a.Env, root)
	if err != nil {
		return err
	}
	store, list, err := a.openGuarded(ctx, all)
	if err != nil {
		return err
	}
	defer store.Close()
	out := newGuardStatusJSON(root, set, list)
	out.Installed = a.listInstalled(root)
	if asJSON {
		return a.printJSON(out)
	}
	a.printGuardSettings(out, set)
	for _, g := range out.Sessions {
		a.printGuarded(g)
	}
	if len(out.Sessions) == 0 {
		fmt.Fprintln(a.Stdout, "\nno agent has claimed a task here yet")
	}
	return nil
}

func newGuardStatusJSON(root string, set guardhook.Settings, list []guarded) guardStatusJSON {
	out := guardStatusJSON{Version: 1, Dir: root, Enabled: set.IsOn(), By: "default", Rules: set.Rules, Sessions: []guardedJSON{}}
	switch {
	case set.Switch != environ.Unswitched:
		out.By, out.Origin = "switch", "mulligan guard "+string(set.Switch)
	case set.Origin != "" && set.Origin != "default":
		out.By, out.Origin = "config", set.Origin
	}
	if set.Wrong != nil {
		out.Mistakes = set.Wrong.Error()
	}
	usual := 0
	if set.Rules != nil {
		usual = set.Rules.MaxAttempts
	}
	for _, g := range list {
		one := guardedJSON{ID: g.summary.ID, Guard: g.summary.Guard, Agent: g.state.Guard.Agent, Conversation: g.state.Guard.Conversation, Updated: g.summary.Updated, Max: g.limit(usual)}
		for _, item := range g.state.Guard.Items {
			one.Items = append(one.Items, guardItemJSON{item, item.Status == mulligan.ItemOver && !item.Gone})
		}
		out.Sessions = append(out.Sessions, one)
	}
	return out
}

func (a *App) printGuardSettings(out guardStatusJSON, set guardhook.Settings) {
	line := func(name, words string) { fmt.Fprintf(a.Stdout, "%-10s %s\n", name, words) }
	onOff := "off"
	if out.Enabled {
		onOff = "on"
	}
	why := out.Origin
	if out.By == "default" {
		why = "the default; `mulligan guard on` switches it on"
	}
	line("guard", fmt.Sprintf("%s in %s (%s)", onOff, view.Line(out.Dir), why))
	if r := set.Rules; r != nil {
		line("limit", fmt.Sprintf("%s of a task; one more waits for you", text.Count(r.MaxAttempts, "claim")))
		line("validation", describeValidation(*r))
		if len(r.Ignore) > 0 {
			line("ignored", strings.Join(r.Ignore, ", "))
		}
	}
	for _, i := range out.Installed {
		line("installed", fmt.Sprintf("for %s, in the %s's settings %s", i.Agent, i.Scope, view.Line(i.Path)))
	}
	if len(out.Installed) == 0 {
		line("installed", "nowhere: agents that you run yourself do not ask; `mulligan guard install` adds the hooks")
	}
	if out.Mistakes != "" {
		fmt.Fprintf(a.Stdout, "\nthe config has mistakes, and until they are corrected every claim is denied:\n%s\n", view.Text(out.Mistakes))
	}
}

func describeValidation(r mulligan.Guard) string {
	by := "the session's checks; outside a session they pass"
	if r.Validate != nil {
		by = fmt.Sprintf("agent %s, within %s", r.Validate.Agent, plan.FormatDuration(r.Validate.Timeout))
	}
	if r.DenyFirst {
		return "the first claim is denied with a request for evidence; the others are validated by " + by
	}
	return "all claims are validated by " + by
}

// printGuarded prints a conversation or session with its items.
func (a *App) printGuarded(g guardedJSON) {
	who := "session " + g.ID
	if g.Guard {
		who = fmt.Sprintf("conversation %s of %s", g.ID, view.Line(g.Agent))
		if !strings.HasSuffix(g.ID, g.Conversation) {
			who += fmt.Sprintf(" (%s)", view.Line(g.Conversation))
		}
	}
	fmt.Fprintf(a.Stdout, "\n%s, %s\n", who, g.Updated.Local().Format("2006-01-02 15:04"))
	for _, item := range g.Items {
		fmt.Fprintf(a.Stdout, "  '%s'  %s\n", view.Line(item.Content), describeItem(item, g.Max))
		if item.Instead != "" {
			fmt.Fprintf(a.Stdout, "    in place of '%s', which had been claimed\n", view.Line(item.Instead))
		}
		if reason := strings.TrimSpace(item.Reason); reason != "" {
			fmt.Fprintf(a.Stdout, "    %s: %s\n", view.Line(item.By), text.Clip(view.Line(text.OneLine(reason)), 300))
		}
		if item.Waits {
			name := usererror.QuotePath(text.OneLine(item.Content))
			fmt.Fprintf(a.Stdout, "    mulligan guard release %[1]s    its claims begin anew\n    mulligan guard approve %[1]s    its next claim passes\n", name)
		}
	}
}

// describeItem returns how an item stands, with its claims.
func describeItem(item guardItemJSON, limit int) string {
	words := describeStatus(item.Status)
	switch {
	case item.Status == mulligan.ItemOver:
		words = fmt.Sprintf("waits for you: %s, the limit is %d", text.Count(item.Attempts, "claim"), limit)
	case item.Status == mulligan.ItemApproved:
		words += ": its next claim passes"
	case item.Attempts > 0:
		words += fmt.Sprintf(", claim %d of %d", item.Attempts, limit)
	}
	if item.Gone {
		words += ", not listed any more"
	}
	return words
}

// describeStatus returns a status in words.
func describeStatus(s mulligan.GuardStatus) string {
	switch s {
	case mulligan.ItemOpen:
		return "open"
	case mulligan.ItemDenied:
		return "denied"
	case mulligan.ItemValidating:
		return "being validated"
	case mulligan.ItemPassed:
		return "passed"
	case mulligan.ItemOver:
		return "over its limit"
	case mulligan.ItemApproved:
		return "approved"
	}
	return string(s)
}
