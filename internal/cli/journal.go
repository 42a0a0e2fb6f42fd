package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
)

func newJournal(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "journal",
		Short: "Check the journal for damage, or repair it",
	}
	cmd.AddCommand(newJournalCheck(a), newJournalRepair(a))
	return cmd
}

func newJournalCheck(a *App) *cobra.Command {
	return &cobra.Command{
		Use:   "check [SESSION]",
		Short: "Read everything, and say what is damaged and where",
		Long: `Check reads every event of every session, or of one: that none is missing, that none is
damaged, that texts kept apart from their events are what they were, and that all is there
that was once stored. It changes nothing, and may be run beside running sessions. It exits
with 1 where something is damaged.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.checkJournal(cmd.Context(), firstArg(args))
		},
	}
}

// checkJournal prints the damage of one session, or of all if given is "". Damage is an error.
func (a *App) checkJournal(ctx context.Context, given string) error {
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return err
	}
	defer store.Close()
	session := ""
	if given != "" {
		if session, err = a.resolveName(ctx, store, given); err != nil {
			return err
		}
	}
	found, err := store.Check(ctx, session)
	if err != nil {
		return err
	}
	a.printDamage(found)
	if len(found.Damaged) == 0 {
		fmt.Fprintf(a.Stdout, "the journal is whole: %d sessions, %d events\n", found.Sessions, found.Events)
		return nil
	}
	return usererror.New(mulligan.ExitInternal, fmt.Sprintf("the journal is damaged: %d of %d sessions", len(found.Damaged), found.Sessions),
		"`mulligan journal repair` keeps what can be read, and the damaged files beside it")
}

// resolveName returns the id of the session that a person named, also if it is too damaged to be listed.
func (a *App) resolveName(ctx context.Context, journal sessions.Lister, given string) (string, error) {
	all, err := journal.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return "", err
	}
	s, notListed := sessions.FindByName(all, given)
	if errors.Is(notListed, mulligan.ErrNoSession) && err != nil {
		return given, nil
	}
	return s.ID, notListed
}

func (a *App) printDamage(found jetstream.Checked) {
	for _, d := range found.Damaged {
		fmt.Fprintf(a.Stdout, "%v\n", d)
		if d.Folder != "" {
			fmt.Fprintf(a.Stdout, "  in %s\n", d.Folder)
		}
	}
}

func newJournalRepair(a *App) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Make a new journal of all that can be read",
		Long: `Repair makes a new journal of all that can be read of a damaged one. A session that is
damaged is kept up to the damage, with a note that says so; the damaged journal stays, whole,
in a folder beside the new one. No session may run meanwhile. Without --yes it only says what
would be lost.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !yes {
				return a.describeLoss(cmd.Context())
			}
			return a.repairJournal(cmd.Context())
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do it")
	return cmd
}

// describeLoss prints what a repair would lose.
func (a *App) describeLoss(ctx context.Context) error {
	err := a.checkJournal(ctx, "")
	var damaged *usererror.Error
	if !errors.As(err, &damaged) {
		return err
	}
	return usererror.Usage(damaged.Words, "`mulligan journal repair --yes` repairs it; what is said above to be lost is then gone from the history, and the damaged journal is kept")
}

func (a *App) repairJournal(ctx context.Context) error {
	where, err := a.JournalOptions()
	if err != nil {
		return err
	}
	r, err := jetstream.Repair(ctx, where, time.Now())
	if errors.Is(err, jetstream.ErrInUse) {
		return usererror.New(mulligan.ExitBusy, err.Error(), "a session runs: `mulligan sessions --all` names it, `mulligan stop` ends it")
	}
	if err != nil {
		return err
	}
	if len(r.Damaged) == 0 {
		fmt.Fprintf(a.Stdout, "nothing to repair: the journal is whole, %d sessions, %d events\n", r.Sessions, r.Events)
		return nil
	}
	a.printDamage(r.Checked)
	fmt.Fprintf(a.Stdout, "repaired: %d sessions, %d events; the damaged journal is kept in %s\n", r.Sessions, r.Events, r.Kept)
	return nil
}
