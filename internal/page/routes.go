package page

import (
	"net/http"
	"strings"

	"mulligan/view/web"
)

// handler returns what answers requests. Every one of them passes the checks first.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	open := http.NewServeMux() // what needs no login
	open.Handle("GET /static/", web.Assets())
	if s.config.Metrics != nil {
		open.Handle("GET /metrics", s.config.Metrics)
	}
	for pattern, page := range map[string]func(*visit) error{
		"GET /{$}":                       (*visit).showOverview,
		"GET /live":                      (*visit).streamOverview,
		"GET /settings":                  (*visit).showSettings,
		"GET /insights":                  (*visit).showInsights,
		"GET /s/{session}":               (*visit).showSession,
		"GET /s/{session}/live":          (*visit).streamSession,
		"GET /s/{session}/a/{attempt}":   (*visit).showAttempt,
		"GET /s/{session}/diff":          (*visit).showDiff,
		"GET /s/{session}/tasks":         (*visit).showTasks,
		"GET /s/{session}/notes":         (*visit).showNotes,
		"GET /s/{session}/events":        (*visit).showEvents,
		"GET /s/{session}/output/{file}": (*visit).showOutput,
		"POST /s/{session}/answer":       (*visit).answer,
		"POST /s/{session}/decide":       (*visit).decide,
		"POST /s/{session}/tell":         (*visit).tell,
		"POST /s/{session}/pause":        (*visit).pause,
		"POST /s/{session}/stop":         (*visit).stop,
		"POST /s/{session}/resume":       (*visit).resume,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			v := &visit{Server: s, w: w, r: r, secret: s.logins.secretOf(r)}
			if err := page(v); err != nil {
				v.showError(err)
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		v := &visit{Server: s, w: w, r: r, secret: s.logins.secretOf(r)}
		v.refuse(http.StatusNotFound, "There is no such page", "")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		v := &visit{Server: s, w: w, r: r}
		if !s.admit(v) {
			return
		}
		if strings.HasPrefix(r.URL.Path, "/static/") || r.URL.Path == "/metrics" && s.config.Metrics != nil {
			open.ServeHTTP(w, r)
			return
		}
		if s.enter(v) {
			mux.ServeHTTP(w, r)
		}
	})
}

// A visit is one request.
type visit struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	secret string // of the browser's login
}

// admit makes the checks that hold for everything. It reports whether the request may go on.
func (s *Server) admit(v *visit) bool {
	changes := v.r.Method != http.MethodGet && v.r.Method != http.MethodHead
	switch {
	case !s.isOwnHost(v.r):
		v.refuse(http.StatusMisdirectedRequest, "This server answers to 127.0.0.1 and localhost alone", "")
	case isForeignRead(v.r):
		v.refuse(http.StatusForbidden, "Another site asked for this page", "")
	case changes && !s.isOwnPage(v.r):
		v.refuse(http.StatusForbidden, "Another site sent this request", "Nothing was changed.")
	default:
		if why := s.refusal(v.r); why != "" {
			v.refuse(http.StatusForbidden, "The page is a person's", why)
			return false
		}
		return true
	}
	return false
}

// enter lets in who is logged in, or shows the token. It reports whether the request may go on.
func (s *Server) enter(v *visit) bool {
	given := v.r.URL.Query().Get("token")
	v.secret = s.logins.secretOf(v.r)
	switch {
	case given != "" && v.r.URL.Path == "/":
		s.spendToken(v, given)
		return false
	case v.secret == "":
		v.refuse(http.StatusUnauthorized, "You are not logged in", "`mulligan ui` prints an address that lets one browser in.")
		return false
	case v.r.Method == http.MethodGet || v.r.Method == http.MethodHead:
		return true
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxForm)
	switch {
	case s.config.ReadOnly:
		v.refuse(http.StatusForbidden, "This page is read-only", "It was started with `mulligan ui --read-only`.")
	case !hasFormToken(v.r, v.secret):
		v.refuse(http.StatusForbidden, "The form is too old", "Load the page again, and send it once more. Nothing was changed.")
	default:
		return true
	}
	return false
}

// maxForm is how many bytes a form may have.
const maxForm = 256 << 10

// spendToken logs a browser in and takes the token out of its address.
func (s *Server) spendToken(v *visit, token string) {
	if !s.logins.spend(token) {
		v.refuse(http.StatusUnauthorized, "This address has been used", "It lets one browser in, once. `mulligan ui` prints a new one.")
		return
	}
	if err := s.logins.begin(v.w, v.r); err != nil {
		v.showError(err)
		return
	}
	http.Redirect(v.w, v.r, "/", http.StatusSeeOther)
}
