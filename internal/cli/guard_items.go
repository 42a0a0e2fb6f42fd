package cli

import (
	"cmp"
	"context"
	"slices"

	"mulligan"
	"mulligan/internal/guardhook"
	"mulligan/journal"
	"mulligan/journal/jetstream"
	"mulligan/state"
)

// newestGuarded is how many conversations and sessions are looked at unless all are asked for.
const newestGuarded = 20

// A guarded is a conversation of an agent's, or a session, with what the guard knows of its items.
type guarded struct {
	summary mulligan.Summary
	state   *state.State
}

// limit returns how many claims of an item are considered; usual is that of now.
func (g guarded) limit(usual int) int {
	if n := len(g.state.Guard.Claims); n > 0 {
		return g.state.Guard.Claims[n-1].Max
	}
	if p := g.state.Plan; p != nil && p.Guard != nil {
		return p.Guard.MaxAttempts
	}
	return usual
}

// listGuarded returns the conversations and sessions of the repository in root that the guard has seen
// items of, the newest first: those among the newest, or all.
func (a *App) listGuarded(ctx context.Context, store *jetstream.Store, root string, all bool) ([]guarded, error) {
	own, err := store.Sessions(ctx)
	if err == nil || jetstream.Damaged(err) {
		var guards []mulligan.Summary
		guards, err = store.Guards(ctx)
		own = append(own, guards...)
	}
	if err != nil {
		if !jetstream.Damaged(err) {
			return nil, err
		}
		a.warnOfDamage(err)
	}
	own = slices.DeleteFunc(own, func(s mulligan.Summary) bool { return s.Root != root && s.Dir != root })
	slices.SortFunc(own, func(x, y mulligan.Summary) int {
		return cmp.Or(y.Updated.Compare(x.Updated), cmp.Compare(y.ID, x.ID))
	})
	if len(own) > newestGuarded && !all {
		own = own[:newestGuarded]
	}
	var list []guarded
	for _, s := range own {
		st, err := journal.Fold(store.Read(ctx, s.ID, 1))
		if err != nil {
			if !jetstream.Damaged(err) {
				return nil, err
			}
			a.warnOfDamage(err)
			continue
		}
		if len(st.Guard.Items) > 0 {
			list = append(list, guarded{summary: s, state: st})
		}
	}
	return list, nil
}

// openGuarded opens the journal and returns it with what listGuarded does. The caller closes it.
func (a *App) openGuarded(ctx context.Context, all bool) (*jetstream.Store, []guarded, error) {
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return nil, nil, err
	}
	list, err := a.listGuarded(ctx, store, guardhook.FindRoot(a.Dir), all)
	if err != nil {
		store.Close()
	}
	return store, list, err
}
