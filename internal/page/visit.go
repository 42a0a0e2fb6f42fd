package page

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"mulligan"
	"mulligan/internal/environ"
	"mulligan/internal/usererror"
	"mulligan/view"
	"mulligan/view/web"
)

// frame returns what the page has around its content.
func (v *visit) frame(title string) web.Frame {
	f := web.Frame{
		Title: title + " · mulligan", Here: v.r.URL.Path, ReadOnly: v.config.ReadOnly, Now: v.now(), Version: environ.Version,
		Notice: noticeWords(v.r.URL.Query().Get("done")),
	}
	if v.secret != "" {
		f.Form = formToken(v.secret)
	}
	return f
}

// show writes a page.
func (v *visit) show(name string, data any) error {
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return v.pages.Write(v.w, name, data)
}

// refuse writes a page that says why there is no other.
func (v *visit) refuse(code int, heading, hint string) {
	m := web.Message{Frame: v.frame(heading), Heading: heading, Home: v.secret != ""}
	m.Notice = ""
	if hint != "" {
		m.Lines = []string{view.Line(hint)}
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(code)
	_ = v.pages.Write(v.w, "message", m) // who asked has gone
}

// showError writes what went wrong.
func (v *visit) showError(err error) {
	code, heading, hint := http.StatusInternalServerError, "Something broke", err.Error()
	if told, ok := errors.AsType[*usererror.Error](err); ok {
		code, heading, hint = http.StatusConflict, told.Words, told.Hint
	}
	if errors.Is(err, mulligan.ErrNoSession) {
		code, heading, hint = http.StatusNotFound, "There is no such session", "It may have been removed by `mulligan prune`."
	}
	if v.r.Context().Err() != nil {
		return
	}
	v.refuse(code, view.Line(heading), hint)
}

// findSession returns the session that the address names. done means that the visit was sent to the session's
// whole id.
func (v *visit) findSession() (e entry, done bool, err error) {
	given := v.r.PathValue("session")
	e, err = v.gallery.find(v.r.Context(), given)
	if !errors.Is(err, errMoved) {
		return e, false, err
	}
	to := *v.r.URL
	to.Path = strings.Replace(to.Path, "/s/"+given, "/s/"+e.ID, 1)
	http.Redirect(v.w, v.r, to.RequestURI(), http.StatusSeeOther)
	return e, true, nil
}

// openSession returns the session that the address names, read as far as the journal has it.
func (v *visit) openSession() (e entry, w *watch, release func(), err error) {
	e, done, err := v.findSession()
	if err != nil || done {
		return e, nil, func() {}, err
	}
	w, release = v.gallery.open(v.r.Context(), e)
	w.ready(v.r.Context())
	return e, w, release, nil
}

// heading names a session on the pages about it.
func heading(e entry, here string) *web.Heading {
	name := view.Line(e.Task)
	if e.Name != "" {
		name = view.Line(e.Name)
	}
	return &web.Heading{ID: e.ID, Name: name, Repository: web.RepositoryName(e.Root), Here: here}
}

// sessionFrame returns the frame of a page about a session.
func (v *visit) sessionFrame(e entry, here string) web.Frame {
	h := heading(e, here)
	f := v.frame(h.Name)
	f.Session = h
	return f
}

// redirect leads back to the page of a form, with what came of it.
func (v *visit) redirect(session, done string) {
	back := v.r.PostFormValue("back")
	if back != "/" {
		back = "/s/" + session
	}
	http.Redirect(v.w, v.r, back+"?done="+url.QueryEscape(done), http.StatusSeeOther)
}

// noticeWords returns what came of a form. What an address says otherwise is not shown.
func noticeWords(done string) string {
	return map[string]string{
		"answered": "Answered.",
		"decided":  "Decided.",
		"told":     "Told: the agent reads it in its next turn.",
		"pausing":  "It pauses when the running turn and its checks are through.",
		"stopping": "It is stopping.",
		"resuming": "It is resumed.",
	}[done]
}
