package page

import (
	"context"
	"slices"
	"strconv"
	"time"

	"mulligan"
	"mulligan/internal/sessions"
	"mulligan/journal/jetstream"
	"mulligan/view/web"
)

// maxRead is how many sessions of an overview are read whole: those that run, and those that wait.
const maxRead = 24

// showOverview shows all sessions.
func (v *visit) showOverview() error {
	list, damage := v.gallery.newEntries(v.r.Context())
	page, release, err := v.makeOverview(list, damage, v.logins.visit(v.secret))
	defer release()
	if err != nil {
		return err
	}
	return v.show("overview", page)
}

// lastVisit returns the time that a list which is followed has in its address: what it marked when it was opened
// stays marked.
func (v *visit) lastVisit() time.Time {
	seconds, _ := strconv.ParseInt(v.r.URL.Query().Get("since"), 10, 64) // none: 0
	return timeOf(seconds)
}

// makeOverview returns the page of all sessions, or an error if none could be read. last is when the person's last
// visit ended. The caller calls release when it needs the watches no longer.
func (v *visit) makeOverview(list []entry, damage error, last time.Time) (page web.Overview, release func(), err error) {
	if damage != nil && !jetstream.Damaged(damage) {
		return page, func() {}, damage
	}
	listed, release := v.readSessions(v.r.Context(), list)
	query := v.r.URL.Query()
	f := v.frame("Sessions")
	f.Here = "/"
	query.Set("since", strconv.FormatInt(secondsOf(last), 10))
	f.Live = "/live?" + query.Encode()
	page = web.NewOverview(f, listed, web.Filter{
		Text: query.Get("q"), Repository: query.Get("repository"), State: query.Get("state"), All: query.Get("all") != "",
		LastVisit: last,
	})
	if damage != nil {
		page.Damage = sessions.DescribeDamage(damage) + ". " + sessions.DamageHint
	}
	return page, release, nil
}

// readSessions returns the sessions as the overview needs them: those that run or wait are read.
func (v *visit) readSessions(ctx context.Context, list []entry) (all []web.Listed, release func()) {
	var opened []func()
	now := v.now()
	for _, e := range list {
		l := web.Listed{Summary: e.Summary, Running: e.running, Title: e.title}
		if (e.running || web.NeedsPerson(e.Summary)) && len(opened) < maxRead {
			w, done := v.gallery.open(ctx, e)
			opened = append(opened, done)
			w.ready(ctx)
			l = listSession(e, w, now)
		}
		all = append(all, l)
	}
	return all, func() {
		for _, done := range opened {
			done()
		}
	}
}

// listSession returns a session that was read.
func listSession(e entry, w *watch, now time.Time) web.Listed {
	l := web.Listed{Summary: e.Summary, Running: e.running, Title: e.title}
	w.inspect(now, func(is look) { fillListed(&l, is) })
	return l
}

// fillListed adds to a session what was read of it. The list may be older, or newer.
func fillListed(l *web.Listed, is look) {
	if is.state.Plan == nil {
		return
	}
	l.Snap, l.Worked = &is.snap, is.state.Worked
	sum := is.state.Summary()
	writes := sum.Events > l.Events // and the list has not noticed yet
	if sum.Events >= l.Events {
		l.Summary = sum
	}
	l.Running = l.Ended == "" && !is.snap.Gone && (l.Running || writes)
}

// followed returns the sessions that a page of all of them follows.
func (v *visit) followed(ctx context.Context) []entry {
	list, _ := v.gallery.entries(ctx) // what can be read
	list = slices.DeleteFunc(slices.Clone(list), func(e entry) bool { return !e.running || e.Ended == mulligan.Verified })
	return list[:min(len(list), maxRead)]
}
