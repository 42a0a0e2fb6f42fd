package client

import (
	"cmp"
	"context"
	"slices"
	"time"

	"mulligan"
	"mulligan/history"
	"mulligan/history/past"
	"mulligan/internal/sessions"
	"mulligan/internal/text"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
	"mulligan/view"
)

// PastOptions are which past sessions a command or a page is about.
type PastOptions struct {
	All     bool
	Session string // one alone
	Since   time.Time
	Limit   int // the newest so many
}

// PastSessions are the records of the sessions that a command or a page is about.
type PastSessions struct {
	Records []history.Session // the oldest first
	Unread  []UnreadSession   // of which the records have what came before the damage, or nothing
	Damage  error             // of the journal, where sessions may be missing altogether
}

// An UnreadSession is a session whose figures are missing, or lack what came after the damage.
type UnreadSession struct {
	Session string `json:"session"`
	Error   string `json:"error"`
}

// A candidate is a session that the journal, the history or both have.
type candidate struct {
	id     string
	time   time.Time
	events int64            // in the journal, 0 if it is not there
	record *history.Session // nil if the history has none, or an older one
}

// ReadPast returns the records of sessions. Those that the history lacks it makes from the journal; a
// session that has not ended counts as far as it is.
func (c Client) ReadPast(ctx context.Context, opt PastOptions) (PastSessions, error) {
	var found PastSessions
	folders, err := c.env.Folders()
	if err != nil {
		return found, err
	}
	store, err := c.env.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return found, err
	}
	defer store.Close()
	all, err := store.Sessions(ctx)
	if err != nil && !jetstream.Damaged(err) {
		return found, err
	}
	found.Damage = err
	book := past.New(folders.History(), c.warn)
	list, roots, err := c.selectSummaries(all, opt)
	if err != nil {
		return found, err
	}
	if err := book.CatchUp(ctx, store, list); err != nil && ctx.Err() == nil {
		c.warn("the history is not complete: " + err.Error())
	}
	return found, found.read(ctx, store, chooseCandidates(list, c.readRecords(ctx, book, roots, opt), opt))
}

// warn prints a warning.
func (c Client) warn(words string) {
	_, _ = c.env.Stderr.Write([]byte("mulligan: " + view.Text(words) + "\n"))
}

// selectSummaries returns the sessions of the journal that a command is about, and their repositories. No
// repository means all.
func (c Client) selectSummaries(all []mulligan.Summary, opt PastOptions) (list []mulligan.Summary, roots []string, err error) {
	switch {
	case opt.Session != "":
		s, err := sessions.FindByName(all, opt.Session)
		return []mulligan.Summary{s}, []string{s.Root}, err
	case opt.All:
		return all, nil, nil
	}
	root, err := c.env.Root()
	if err != nil {
		return nil, nil, err
	}
	list, roots = c.OfRepository(all), []string{root}
	for _, s := range list {
		if !slices.Contains(roots, s.Root) {
			roots = append(roots, s.Root)
		}
	}
	return list, roots, nil
}

// readRecords returns the records that the history has. What it cannot tell is a warning.
func (c Client) readRecords(ctx context.Context, book *past.Book, roots []string, opt PastOptions) []history.Session {
	var records []history.Session
	var err error
	if opt.All {
		records, err = book.AllRecords(ctx)
	} else {
		records, err = book.Records(ctx, roots...)
	}
	if err != nil && ctx.Err() == nil {
		c.warn("the history cannot be used, and the journal is read instead: " + err.Error())
	}
	return records
}

// chooseCandidates returns the newest sessions that are wanted, the oldest of them first. Those that only the history
// has are among them.
func chooseCandidates(list []mulligan.Summary, records []history.Session, opt PastOptions) []candidate {
	byID := make(map[string]*candidate, len(list))
	for _, s := range list {
		byID[s.ID] = &candidate{id: s.ID, time: s.Updated, events: s.Events}
	}
	for i, r := range records {
		c := byID[r.ID]
		switch {
		case c == nil && opt.Session != "":
			continue
		case c == nil:
			c = &candidate{id: r.ID}
			byID[r.ID] = c
		case r.Events < c.events:
			continue
		}
		c.record, c.time = &records[i], r.Time()
	}
	var chosen []candidate
	for _, c := range byID {
		if !c.time.Before(opt.Since) {
			chosen = append(chosen, *c)
		}
	}
	slices.SortFunc(chosen, func(a, b candidate) int { return cmp.Or(a.time.Compare(b.time), cmp.Compare(a.id, b.id)) })
	return chosen[max(0, len(chosen)-opt.Limit):]
}

// read fills in the records of the chosen sessions: from the history, and else from the journal.
func (p *PastSessions) read(ctx context.Context, journal past.Journal, chosen []candidate) error {
	for _, c := range chosen {
		if c.record != nil {
			p.Records = append(p.Records, *c.record)
			continue
		}
		r, broke := past.FoldSession(ctx, journal, c.id)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if broke != nil {
			r.ID = cmp.Or(r.ID, c.id)
			p.Unread = append(p.Unread, UnreadSession{Session: c.id, Error: broke.Error()})
		}
		p.Records = append(p.Records, r)
	}
	return nil
}

// Whole counts the sessions that could be read to the end.
func (p *PastSessions) Whole() int { return len(p.Records) - p.partly() }

// partly counts the records that lack something.
func (p *PastSessions) partly() int {
	n := 0
	for _, u := range p.Unread {
		if slices.ContainsFunc(p.Records, func(r history.Session) bool { return r.ID == u.Session }) {
			n++
		}
	}
	return n
}

// Err returns the error of a command that could not tell all, or nil.
func (p *PastSessions) Err() error {
	switch {
	case p.Damage != nil:
		return sessions.DamageError(p.Damage)
	case len(p.Unread) > 0:
		words := text.Count(len(p.Unread), "session") + " could not be read to the end, and what came after is not in the figures"
		return usererror.New(mulligan.ExitInternal, words, sessions.DamageHint)
	}
	return nil
}
