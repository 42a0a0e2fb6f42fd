package runner

import (
	"context"

	"mulligan"
)

// checkIdentity adds a note to a plan that commits where git has no identity: under which name the commits
// are made. It returns an error if the user's config forbids that.
func (j *job) checkIdentity(ctx context.Context, p *mulligan.Plan) error {
	if !p.Git.Commit {
		return nil
	}
	note, err := j.ws.CheckIdentity(ctx)
	if note != "" {
		p.Notes = append(p.Notes, note)
	}
	return err
}
