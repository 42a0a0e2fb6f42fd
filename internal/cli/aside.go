package cli

import (
	"context"
	"fmt"
	"path"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/internal/workspace"
	"mulligan/view"
)

// listAside returns what a session has put aside. A failure is printed only: the rest of the status stands.
func (a *App) listAside(ctx context.Context, s mulligan.Summary) []workspace.Aside {
	where, err := a.Folders()
	if err != nil {
		a.printNotice(err.Error())
		return nil
	}
	list, err := workspace.ListAside(ctx, s.Root, where.Snapshots(s.Root), s.ID)
	if err != nil {
		a.printNotice(err.Error())
	}
	return list
}

// asideJSON is something that a session has put aside, as `status --json` prints it.
type asideJSON struct {
	Snapshot string    `json:"snapshot,omitempty"` // of files: the name for `mulligan restore`
	Ref      string    `json:"ref,omitempty"`      // of commits
	Commit   string    `json:"commit,omitempty"`
	Files    *int      `json:"files,omitempty"`
	Commits  *int      `json:"commits,omitempty"`
	Time     time.Time `json:"time"`
	Restore  string    `json:"restore"` // the command that brings it back
}

func newAsideJSON(session string, list []workspace.Aside) []asideJSON {
	var out []asideJSON
	for _, a := range list {
		j := asideJSON{Snapshot: a.Snapshot, Ref: a.Ref, Commit: a.Commit, Time: a.Time.UTC(), Restore: asideCommand(session, a)}
		switch {
		case a.Ref != "" && a.Commits >= 0:
			j.Commits = &a.Commits
		case a.Ref == "" && a.Files >= 0:
			j.Files = &a.Files
		}
		out = append(out, j)
	}
	return out
}

// describeAside returns what a session has put aside, for a view.
func describeAside(session string, list []workspace.Aside) []view.Aside {
	var out []view.Aside
	for _, a := range list {
		out = append(out, view.Aside{What: asideWords(a), Command: asideCommand(session, a)})
	}
	return out
}

// asideWords returns what was put aside, in words.
func asideWords(a workspace.Aside) string {
	when := a.Time.Local().Format("2006-01-02 15:04")
	switch {
	case a.Ref != "" && a.Commits > 0:
		return fmt.Sprintf("%s up to %.7s: %s", text.Count(a.Commits, "commit"), a.Commit, view.Line(a.Subject))
	case a.Ref != "" && a.Commits == 0:
		return fmt.Sprintf("commit %.7s, which is on a branch too: %s", a.Commit, view.Line(a.Subject))
	case a.Ref != "":
		return fmt.Sprintf("commit %.7s: %s", a.Commit, view.Line(a.Subject))
	case a.Files >= 0:
		return fmt.Sprintf("%s of %s, %s not as in commit %.7s", a.Snapshot, when, text.Count(a.Files, "file"), a.Commit)
	}
	return fmt.Sprintf("%s of %s, the files of the workspace", a.Snapshot, when)
}

// asideCommand returns the command that brings back what was put aside.
func asideCommand(session string, a workspace.Aside) string {
	if a.Ref == "" {
		return fmt.Sprintf("mulligan restore %s %s", session, a.Snapshot)
	}
	return fmt.Sprintf("git branch aside-%s-%s %s", session, path.Base(a.Ref), a.Ref)
}
