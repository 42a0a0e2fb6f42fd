package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/guard"
	"mulligan/internal/guardhook"
	"mulligan/internal/protocol"
	"mulligan/internal/usererror"
	"mulligan/state"
	"mulligan/view"
)

// A guardWord is what a person can say about a task that an agent claims to be done.
type guardWord struct {
	tool   string
	decide func(*state.Guard, string) (mulligan.GuardDecided, error)
	said   string // what it came to
}

func newGuardRelease(a *App) *cobra.Command {
	return a.newGuardWord(&cobra.Command{
		Use:   "release TASK",
		Short: "Let the claims of a task begin anew",
		Long: `Release sets the claims of a task back to none: the agent may claim it again, as if it had never
claimed it.`,
	}, guardWord{protocol.ToolRelease, guard.Release, "released: its claims begin anew"})
}

func newGuardApprove(a *App) *cobra.Command {
	return a.newGuardWord(&cobra.Command{
		Use:   "approve TASK",
		Short: "Let the next claim of a task pass",
		Long:  `Approve lets the agent's next claim of a task pass, whatever was found about it.`,
	}, guardWord{protocol.ToolApprove, guard.Approve, "approved: the next claim of it passes"})
}

// newGuardWord returns a command for a word about a task.
func (a *App) newGuardWord(cmd *cobra.Command, word guardWord) *cobra.Command {
	var session string
	cmd.Long += `

TASK is the task's text without regard to case and white space, a part of it that no other task
has, or the number of one of mulligan's own tasks. ` + "`mulligan guard status`" + ` lists them.`
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.decideItem(cmd.Context(), session, strings.Join(args, " "), word)
	}
	cmd.Flags().StringVar(&session, "session", "", "the session or conversation, by its id or a part of it (default: the one that has the task)")
	return cmd
}

// decideItem says a person's word about an item.
func (a *App) decideItem(ctx context.Context, session, name string, word guardWord) error {
	store, list, err := a.openGuarded(ctx, session != "")
	if err != nil {
		return err
	}
	defer store.Close()
	of, item, err := findItem(list, session, name)
	if err != nil {
		return err
	}
	if _, err := word.decide(&of.state.Guard, item.Key); err != nil {
		fmt.Fprintf(a.Stdout, "nothing to change: '%s' is %s already\n", view.Line(item.Content), describeStatus(item.Status))
		return nil
	}
	if of.summary.Guard {
		err = guardhook.Record(ctx, a.Env, store, of.summary.ID, func(st *state.State) ([]mulligan.Body, error) {
			decided, err := word.decide(&st.Guard, item.Key)
			return []mulligan.Body{decided}, err
		})
	} else {
		_, err = a.client().Request(ctx, of.summary.ID, protocol.NewRequest(word.tool, protocol.GuardArgs{Item: item.Key}))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "'%s' is %s\n", view.Line(item.Content), word.said)
	if s := of.summary; !s.Guard && s.Ended == mulligan.Waiting {
		fmt.Fprintf(a.Stdout, "session %s goes on with `mulligan resume`\n", s.ID)
	}
	return nil
}

// findItem returns the item that a person means, and where it is. One that waits for a person goes
// before others of the same name.
func findItem(list []guarded, session, name string) (guarded, mulligan.GuardItem, error) {
	type match struct {
		of   guarded
		item mulligan.GuardItem
	}
	if session != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(g guarded) bool { return !strings.Contains(g.summary.ID, session) })
		if len(list) == 0 {
			return guarded{}, mulligan.GuardItem{}, usererror.Usage(fmt.Sprintf("--session %s: no session or conversation with tasks has that in its id", session), "`mulligan guard status --all` lists them")
		}
	}
	var found []match
	for _, g := range list {
		item, err := guard.Find(&g.state.Guard, name)
		if _, missing := errors.AsType[*guard.NotFoundError](err); missing {
			continue
		}
		if err != nil {
			return guarded{}, item, usererror.Usage(err.Error(), "`mulligan guard status` lists the tasks")
		}
		found = append(found, match{g, item})
	}
	waiting := slices.DeleteFunc(slices.Clone(found), func(m match) bool { return m.item.Status != mulligan.ItemOver || m.item.Gone })
	if len(waiting) == 1 {
		return waiting[0].of, waiting[0].item, nil
	}
	switch len(found) {
	case 0:
		return guarded{}, mulligan.GuardItem{}, usererror.Usage((&guard.NotFoundError{Name: name}).Error(), "`mulligan guard status --all` lists the tasks")
	case 1:
		return found[0].of, found[0].item, nil
	}
	var places []string
	for _, m := range found {
		places = append(places, fmt.Sprintf("'%s' (%s) in %s", view.Line(m.item.Content), describeStatus(m.item.Status), m.of.summary.ID))
	}
	return guarded{}, mulligan.GuardItem{}, usererror.Usage(fmt.Sprintf("%d tasks have that name: %s", len(found), strings.Join(places, "; ")), "--session ID names the one that you mean")
}
