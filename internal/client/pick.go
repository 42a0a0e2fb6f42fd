package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
	"mulligan/workspace"
)

// OfRepository returns the sessions of this repository, in their order, or nil outside a repository.
func (c Client) OfRepository(all []mulligan.Summary) []mulligan.Summary {
	root, err := c.env.Root()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(s mulligan.Summary) bool { return s.Root != root && s.Dir != root })
}

// Find is Open for a command that needs the journal no longer.
func (c Client) Find(ctx context.Context, name string, fits func(mulligan.Summary) bool) (mulligan.Summary, error) {
	var found mulligan.Summary
	err := c.askWhileSlow(ctx, func() error {
		store, s, err := c.Open(ctx, name, fits)
		if err == nil {
			found = s
			store.Close()
		}
		return err
	})
	return found, err
}

// Open opens the journal and picks the session that a command means. The caller closes the journal
// unless there is an error.
func (c Client) Open(ctx context.Context, name string, fits func(mulligan.Summary) bool) (*jetstream.Store, mulligan.Summary, error) {
	store, err := c.env.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return nil, mulligan.Summary{}, err
	}
	s, err := c.pick(ctx, store, name, fits)
	if err != nil {
		store.Close()
	}
	return store, s, err
}

// OpenRecord is Open for a command that only reads events: name may also be the whole id of a guard of
// an agent that no session runs.
func (c Client) OpenRecord(ctx context.Context, name string) (*jetstream.Store, mulligan.Summary, error) {
	store, s, err := c.Open(ctx, name, nil)
	if !errors.Is(err, mulligan.ErrNoSession) {
		return store, s, err
	}
	if store, openErr := c.env.OpenJournal(ctx, jetstream.Short); openErr == nil {
		guards, _ := store.Guards(ctx) // damaged ones are not listed
		if i := slices.IndexFunc(guards, func(g mulligan.Summary) bool { return g.ID == name }); i >= 0 {
			return store, guards[i], nil
		}
		store.Close()
	}
	return nil, s, err
}

// pick returns the session that a command means: the one that name names, as of sessions.FindByName,
// or, if it is "", this workspace's newest that fits. fits nil takes any. ErrNoneFits means that the
// repository has sessions, but none that fits.
func (c Client) pick(ctx context.Context, journal sessions.Lister, name string, fits func(mulligan.Summary) bool) (mulligan.Summary, error) {
	all, err := c.listReadable(ctx, journal, name == "" && fits != nil)
	if err != nil {
		return mulligan.Summary{}, err
	}
	if name != "" {
		return sessions.FindByName(all, name)
	}
	own := c.OfRepository(all)
	for _, s := range slices.Backward(own) {
		if fits == nil || fits(s) {
			return s, nil
		}
	}
	if _, err := workspace.Find(c.env.Dir); errors.Is(err, workspace.ErrNoRepository) {
		return mulligan.Summary{}, usererror.Usage("this folder is in no git repository, so it has no session", "name a session: `mulligan sessions --all` lists them")
	}
	if len(own) > 0 {
		return mulligan.Summary{}, ErrNoneFits
	}
	return mulligan.Summary{}, usererror.Usage("this repository has no session yet", "`mulligan run TASK.md` begins one")
}

// ErrNoneFits means that a repository has sessions, but none that a command is for.
var ErrNoneFits = usererror.Usage("this repository has no such session", "`mulligan sessions` lists the ones it has")

// listReadable returns the sessions that can be read, and warns of damaged ones. For a command that acts
// on the newest it fails if one is damaged: then it is not known which the newest is.
func (c Client) listReadable(ctx context.Context, journal sessions.Lister, newest bool) ([]mulligan.Summary, error) {
	all, err := journal.Sessions(ctx)
	if !jetstream.Damaged(err) {
		return all, err
	}
	if newest {
		return nil, usererror.New(mulligan.ExitInternal, sessions.DescribeDamage(err),
			"so the newest session is not known: name the one that you mean, `mulligan sessions --all` lists those that can be read; "+sessions.DamageHint)
	}
	fmt.Fprintf(c.env.Stderr, "mulligan: %s\n  %s\n", sessions.DescribeDamage(err), sessions.DamageHint)
	return all, nil
}
