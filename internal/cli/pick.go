package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"mulligan"
	"mulligan/internal/usererror"
	"mulligan/internal/workspace"
	"mulligan/journal/jetstream"
)

// mine are the sessions of this repository, oldest first; outside a repository, none.
func (a *App) mine(all []mulligan.Summary) []mulligan.Summary {
	root, err := a.Root()
	if err != nil {
		return nil
	}
	var mine []mulligan.Summary
	for _, s := range all {
		if s.Root == root || s.Dir == root {
			mine = append(mine, s)
		}
	}
	return mine
}

// pick finds the session that a command means: the one whose id begins with what was
// given, else this workspace's newest that fits.
func (a *App) pick(ctx context.Context, store *jetstream.Store, given string, fits func(mulligan.Summary) bool) (mulligan.Summary, error) {
	look := a.listed
	if given == "" && fits != nil {
		look = a.certain
	}
	all, err := look(ctx, store)
	if err != nil {
		return mulligan.Summary{}, err
	}
	if given != "" {
		return byPrefix(all, given)
	}
	mine := a.mine(all)
	for i := len(mine) - 1; i >= 0; i-- {
		if fits == nil || fits(mine[i]) {
			return mine[i], nil
		}
	}
	if _, err := workspace.Find(a.Dir); errors.Is(err, workspace.ErrNoRepository) {
		return mulligan.Summary{}, usererror.Usage("this folder is in no git repository, so it has no session", "name a session: `mulligan sessions --all` lists them")
	}
	return mulligan.Summary{}, nothingFits(len(mine) > 0)
}

// errNoneFits is a repository that has sessions, but none that a command is for.
var errNoneFits = usererror.Usage("this repository has no such session", "`mulligan sessions` lists the ones it has")

func nothingFits(some bool) error {
	if some {
		return errNoneFits
	}
	return usererror.Usage("this repository has no session yet", "`mulligan run TASK.md` begins one")
}

func byPrefix(all []mulligan.Summary, given string) (mulligan.Summary, error) {
	var found []mulligan.Summary
	for _, s := range all {
		if s.ID == given {
			return s, nil
		}
		if strings.HasPrefix(s.ID, given) || strings.HasSuffix(s.ID, "-"+given) {
			found = append(found, s)
		}
	}
	for i := len(all) - 1; i >= 0 && len(found) == 0; i-- {
		if all[i].Name == given {
			return all[i], nil // a loop's name: its newest session
		}
	}
	switch len(found) {
	case 0:
		return mulligan.Summary{}, fmt.Errorf("%w: %s", mulligan.ErrNoSession, given)
	case 1:
		return found[0], nil
	}
	return mulligan.Summary{}, usererror.Usage(fmt.Sprintf("%d sessions begin with %q", len(found), given), "give more of the id")
}

// summary is the newest word about one session. That another one is damaged is no matter.
func summary(ctx context.Context, store *jetstream.Store, id string) (mulligan.Summary, error) {
	all, err := store.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return mulligan.Summary{}, err
	}
	s, missing := byPrefix(all, id)
	if missing != nil {
		return s, cmp.Or(err, missing)
	}
	return s, nil
}

// unfinished is a session that `resume` goes on with.
func unfinished(s mulligan.Summary) bool {
	switch s.Ended {
	case "", mulligan.Interrupted, mulligan.Waiting, mulligan.GateBroken, mulligan.AgentUnavailable:
		return true
	}
	return false
}
