package runner

import (
	"context"
	"errors"
	"fmt"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/workspace"
)

// A sessionStore is the store of a session's repository as the loop knows it, and how the session's work gets from there to the
// person.
type sessionStore struct {
	*workspace.Store
	job     *job
	session string
	branch  string // that the person's repository gets; "" for none
	merge   bool   // the person wants their own branch forwarded
}

// newStore returns the store for the session of a plan.
func (j *job) newStore(p *mulligan.Plan, id string) *sessionStore {
	s := &sessionStore{Store: j.store, job: j, session: id, merge: p.Git.Merge}
	if p.Git.Commit {
		s.branch = j.site.Branch()
	}
	return s
}

func (s *sessionStore) Combine(ctx context.Context, base, from mulligan.Tree, paths []string) (mulligan.Tree, error) {
	return s.job.site.Combine(ctx, base, from, paths)
}

func (s *sessionStore) Commit(ctx context.Context, c mulligan.Commit) (id string, err error) {
	err = s.job.Env.Points.Around("commit", func() error {
		id, err = s.job.site.Commit(ctx, s.session, c)
		return err
	})
	if err != nil || s.branch == "" || id == c.Parent {
		return id, err
	}
	failed, err := s.bring(ctx, s.session+"/verified", "refs/heads/"+s.branch)
	if failed != nil {
		s.job.warn(describeUnbrought(failed))
	}
	return id, err
}

// bring fetches what a label has into the person's repository, and returns why that does not take it.
func (s *sessionStore) bring(ctx context.Context, label, ref string) (*workspace.DeliverError, error) {
	err := s.job.Env.Points.Around("deliver", func() error { return s.job.site.Deliver(ctx, label, ref) })
	if failed, ok := errors.AsType[*workspace.DeliverError](err); ok {
		return failed, nil
	}
	return nil, err
}

func describeUnbrought(failed *workspace.DeliverError) string {
	return fmt.Sprintf("%s; the commit is kept, and `%s` brings it", text.OneLine(failed.Error()), failed.Fetch)
}

func (s *sessionStore) Deliver(ctx context.Context, label string, good bool) (h mulligan.Handover, err error) {
	site := s.job.site
	left, err := s.TreeOf(ctx, "refs/sessions/"+label)
	if err != nil {
		return h, err
	}
	of, err := s.TreeOf(ctx, site.Head())
	if err != nil {
		return h, err
	}
	if left != of {
		h.Left = workspace.LeftRef(s.session)
		failed, err := s.bring(ctx, label, h.Left)
		if err != nil {
			return h, err
		}
		if failed != nil {
			h.Notes = append(h.Notes, describeUnbrought(failed))
		}
	} else if err := site.DropLeft(ctx, s.session); err != nil {
		return h, err
	}
	if s.branch == "" || site.Head() == s.job.session.State().Place.Base {
		return h, nil
	}
	if verified, err := s.Store.Commit(ctx, "refs/sessions/"+s.session+"/verified"); verified == "" || err != nil {
		return h, err // on top of the base are the person's corrections alone
	}
	has, err := site.PersonHas(ctx, "refs/heads/"+s.branch)
	if err != nil {
		return h, err
	}
	if has != site.Head() { // it could not be brought before, or was thrown away
		failed, err := s.bring(ctx, s.session+"/verified", "refs/heads/"+s.branch)
		if err != nil {
			return h, err
		}
		if failed != nil {
			h.Fetch, h.Brings = failed.Fetch, failed.Brings
			h.Notes = append(h.Notes, describeUnbrought(failed))
		}
	}
	return h, s.compareWithPerson(ctx, &h, good)
}

// compareWithPerson adds whether the session's branch merges with the one that the person is on, and forwards that where
// they want it and it is safe.
func (s *sessionStore) compareWithPerson(ctx context.Context, h *mulligan.Handover, good bool) error {
	site := s.job.site
	now, err := workspace.LookAt(ctx, s.job.Root, s.job.Env.Environ)
	if err != nil {
		h.Notes = append(h.Notes, "your checkout could not be looked at: "+text.OneLine(err.Error()))
		return nil
	}
	h.Onto = now.Branch
	if err := s.Update(ctx, now); err != nil {
		return err
	}
	if h.Merges, h.Conflicts, err = s.MergesWith(ctx, now.Head, site.Head()); err != nil {
		h.Notes = append(h.Notes, "whether it merges is not known: "+text.OneLine(err.Error()))
	}
	if !s.merge || !good {
		return nil
	}
	if h.Stays, err = site.Forward(ctx, now, s.job.session.State().Place.Origin); err != nil {
		return err
	}
	h.Forwarded = h.Stays == ""
	return nil
}
