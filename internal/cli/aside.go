package cli

import (
	"context"
	"fmt"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/view"
	"mulligan/workspace"
)

// listAside returns what a session has put aside. A failure is printed only: the rest of the status stands.
func (a *App) listAside(ctx context.Context, s mulligan.Summary) []workspace.Aside {
	store, err := a.OpenStore(s.Root)
	if err != nil {
		a.printNotice(err.Error())
		return nil
	}
	list, err := store.ListAside(ctx, s.ID)
	if err != nil {
		a.printNotice(err.Error())
	}
	return list
}

// asideJSON is something that a session has put aside, as `status --json` prints it.
type asideJSON struct {
	Name   string    `json:"name"`
	Commit string    `json:"commit"`
	Files  int       `json:"files"`
	Time   time.Time `json:"time"`
	Take   string    `json:"take"` // the command that makes a branch of it
}

func newAsideJSON(session string, list []workspace.Aside) []asideJSON {
	var out []asideJSON
	for _, a := range list {
		out = append(out, asideJSON{Name: a.Name(), Commit: a.Commit, Files: a.Files, Time: a.Time.UTC(), Take: asideCommand(session, a.Kept)})
	}
	return out
}

// describeAside returns what a session has put aside, for a view.
func describeAside(session string, list []workspace.Aside) []view.Aside {
	var out []view.Aside
	for _, a := range list {
		out = append(out, view.Aside{What: asideWords(a), Command: asideCommand(session, a.Kept)})
	}
	return out
}

// asideWords returns what was put aside, in words.
func asideWords(a workspace.Aside) string {
	return fmt.Sprintf("%s of %s, %s not as in commit %.7s", a.Name(), a.Time.Local().Format("2006-01-02 15:04"), text.Count(a.Files, "file"), a.Parent)
}

// asideCommand returns the command that makes a branch of something that is kept.
func asideCommand(session string, k workspace.Kept) string {
	return fmt.Sprintf("mulligan take %s %s", session, k.Name())
}
