package workspace

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoIdentity means that git has no identity to commit with, and that the user has told git to make none
// up (user.useConfigOnly).
var ErrNoIdentity = errors.New("git has no user.name and user.email to commit with, and user.useConfigOnly forbids another")

// CheckIdentity returns a note for a person if commits will be made by the fallback identity, because the
// user's config has none. The error is ErrNoIdentity if the user's config forbids that.
func (w *Workspace) CheckIdentity(ctx context.Context) (note string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.scan.rules.refresh(ctx); err != nil {
		return "", err
	}
	if w.scan.rules.hasIdentity {
		return "", nil
	}
	missing, err := w.fillIdentity(ctx)
	if err != nil || len(missing) == 0 {
		return "", err
	}
	return fmt.Sprintf("git has no identity here, so commits are made by %s; to commit as yourself: git config user.name 'Your Name' && git config user.email you@example.com", fallbackIdentity), nil
}

// fillIdentity returns variables for the author and the committer if the user's config has no name for
// them, or ErrNoIdentity if it forbids others.
func (w *Workspace) fillIdentity(ctx context.Context) ([]string, error) {
	var env []string
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		if _, err := w.git.run(ctx, "-c", "user.useConfigOnly=true", "var", "GIT_"+who+"_IDENT"); err != nil {
			env = append(env, "GIT_"+who+"_NAME="+fallbackName, "GIT_"+who+"_EMAIL="+fallbackEmail)
		}
	}
	if len(env) == 0 || ctx.Err() != nil {
		return nil, nil
	}
	if w.git.folder.Frozen().Config.Bool("user.useconfigonly", false) {
		return nil, ErrNoIdentity
	}
	return env, nil
}
