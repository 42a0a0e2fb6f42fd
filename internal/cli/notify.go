package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/environ"
	"mulligan/internal/process"
	"mulligan/internal/runner"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/notify"
	"mulligan/view"
)

func newNotify(a *App) *cobra.Command {
	var test bool
	var file string
	cmd := &cobra.Command{
		Use:   "notify --test [SESSION]",
		Short: "Send a test on every way that the config has to notify you",
		Long: `Notify sends one message on every way that ` + "`notify:`" + ` in the config has, as a session does when it
has ended or needs you, and says what became of each: the webhook, the command, the desktop, and
the bell of this terminal. It ends with exit 1 if one of them failed.

With a SESSION the message is about that session. The journal has nothing of a test.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !test {
				return usererror.Usage("a session notifies you by itself; what can be given here is a test", "mulligan notify --test")
			}
			return a.testNotify(cmd.Context(), firstArg(args), file)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&test, "test", false, "send a test")
	f.StringVarP(&file, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	f.BoolVar(&a.Trust, trustFlag, false, "trust what the repository's own config may not decide alone, for this test")
	return cmd
}

// testNotify sends a test on every way, and prints what became of it.
func (a *App) testNotify(ctx context.Context, session, file string) error {
	root, err := a.Root()
	if err != nil {
		return err
	}
	settings, err := a.loadNotify(root, file)
	if err != nil {
		return err
	}
	if !settings.Any() {
		return usererror.Usage("the config has no way to notify you", "write one under notify: (bell, desktop, webhook, command); docs/notifications.md has examples")
	}
	d := mulligan.Delivery{NotifyStarted: mulligan.NotifyStarted{
		ID: fmt.Sprintf("test-%d", a.SessionClock().Now().UnixNano()), Notice: mulligan.Notice{Moment: mulligan.NoticeTest, Text: "it has arrived"},
	}}
	if session != "" {
		s, state, err := a.readState(ctx, session)
		if err != nil {
			return err
		}
		d.Summary, d.Usage, d.Turns = s, state.Spent.Usage, state.Spent.Turns
	}
	return a.printNotifyTest(ctx, root, settings, d)
}

// printNotifyTest sends a delivery on all ways and prints what became of each.
func (a *App) printNotifyTest(ctx context.Context, root string, settings notify.Settings, d mulligan.Delivery) error {
	pool := process.NewPool(process.PoolOptions{})
	notifier := runner.NewNotifier(a.Env, settings, root, pool)
	d.Ways = slices.DeleteFunc(notifier.Ways(mulligan.NoticeTest), func(way string) bool { return way == mulligan.WayBell })
	results := notifier.Send(ctx, d)
	if settings.Bell {
		results = append(results, a.ringTest(d.Notice))
	}
	bad := 0
	for _, r := range results {
		word := "ok"
		if !r.OK {
			word, bad = "failed", bad+1
		}
		details := view.Line(r.Note)
		if r.Tries > 1 {
			details = strings.TrimPrefix(details+", "+text.Count(r.Tries, "try"), ", ")
		}
		fmt.Fprintln(a.Stdout, strings.TrimSpace(fmt.Sprintf("%-7s %-8s %s", word, r.Way, details)))
	}
	if bad > 0 {
		return usererror.Exit(mulligan.ExitInternal)
	}
	return nil
}

// ringTest rings this terminal's bell.
func (a *App) ringTest(n mulligan.Notice) mulligan.NotifyResult {
	r := mulligan.NotifyResult{Way: mulligan.WayBell, OK: true}
	if ringer := a.newRinger(0); ringer != nil {
		ringer.ring(n)
	} else {
		r.Note = "this is no terminal; one that shows a session rings"
	}
	return r
}

// loadNotify returns how the config has a person notified. What waits for trust is an error, as it is for a session.
func (a *App) loadNotify(root, file string) (notify.Settings, error) {
	// The checks of a command line stand for a config that is not there.
	c, err := a.LoadConfig(root, environ.ConfigFlags{File: file, Checks: []string{"true"}})
	if err != nil {
		return notify.Settings{}, err
	}
	settings, mistakes := notify.Decode(c.Get("notify"))
	wrong := slices.DeleteFunc(slices.Clone(c.Mistakes), func(m config.Mistake) bool {
		return m.Path != "notify" && !strings.HasPrefix(m.Path, "notify.")
	})
	if err := append(wrong, mistakes...).Err(); err != nil {
		return notify.Settings{}, err
	}
	waiting, err := a.ListUntrusted(root, file, c)
	if err == nil && slices.ContainsFunc(waiting, isNotifyClaim) {
		err = a.CheckTrust(root, file, c)
	}
	return settings, err
}

func isNotifyClaim(c config.Claim) bool { return strings.HasPrefix(c.Key, "notify.") }

// notifySettings returns how the person of a session is notified, for a runner; nil if they do not want it this time.
func (a *App) notifySettings(root string, opt runOptions) func(*mulligan.Plan) (notify.Settings, error) {
	if opt.NoNotify {
		return nil
	}
	return func(p *mulligan.Plan) (notify.Settings, error) { return a.loadNotify(root, p.Given.Config) }
}

// A ringer rings the bell of the terminal that shows a session.
type ringer struct {
	screen      io.Writer
	term        string
	multiplexed bool
	seen        int64 // the number of the last event that is old news
	task        string
}

// newRinger returns a ringer for the screen, or nil if that is no terminal. Events up to seen are old news.
func (a *App) newRinger(seen int64) *ringer {
	if !environ.IsTerminal(a.Screen) {
		return nil
	}
	return &ringer{screen: a.Screen, term: a.Getenv("TERM"), multiplexed: a.Getenv("TMUX")+a.Getenv("STY") != "", seen: seen}
}

// hear rings if an event is a notice that a bell is wanted for. A nil ringer hears nothing.
func (r *ringer) hear(e mulligan.Event) {
	if r == nil {
		return
	}
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		r.task = b.Plan.Task.Label()
	case mulligan.NotifyStarted:
		if e.Number > r.seen && slices.Contains(b.Ways, mulligan.WayBell) {
			r.ring(b.Notice)
		}
	}
}

func (r *ringer) ring(n mulligan.Notice) {
	_, _ = io.WriteString(r.screen, notify.Bell(n, r.task, r.term, r.multiplexed)) // a terminal that has gone does not matter
}

// A ringingView is a view on a terminal that rings.
type ringingView struct {
	runner.EventView
	ringer *ringer
}

func (v ringingView) Event(e mulligan.Event) {
	v.ringer.hear(e)
	v.EventView.Event(e)
}

func (v ringingView) Past(e mulligan.Event) {
	v.ringer.seen = e.Number
	v.ringer.hear(e)
	v.EventView.Past(e)
}
