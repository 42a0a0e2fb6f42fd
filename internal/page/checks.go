package page

import (
	"context"
	"crypto/subtle"
	"net"
	"net/http"
	"sync"

	"mulligan/internal/process"
)

// policy is the Content-Security-Policy of every answer: nothing but our own files, and no script or style
// inside a page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// setHeaders sets what every answer has.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer a browser sends forms of ours with the origin null
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// isOwnHost reports whether a request names this server. A page elsewhere whose name was made to point to
// 127.0.0.1 has its own name in Host.
func (s *Server) isOwnHost(r *http.Request) bool {
	return r.Host == net.JoinHostPort("127.0.0.1", s.port) || r.Host == net.JoinHostPort("localhost", s.port)
}

// isOwnPage reports whether a page of this server sent a request that changes something.
func (s *Server) isOwnPage(r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	switch {
	case origin != "" && origin != "http://"+r.Host:
		return false
	case site != "" && site != "same-origin":
		return false
	}
	return origin != "" || site != ""
}

// isForeignRead reports whether a page of another origin reads, rather than leads the person here.
func isForeignRead(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	}
	return r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document"
}

// hasFormToken reports whether a form carries the token of its browser's login.
func hasFormToken(r *http.Request, secret string) bool {
	return subtle.ConstantTimeCompare([]byte(r.PostFormValue("form")), []byte(formToken(secret))) == 1
}

// A caller decides once for a connection whether its process may look.
type caller struct {
	once func() (why string)
}

type callerKey struct{}

// withCaller returns the context of a connection's requests.
func (s *Server) withCaller(ctx context.Context, c net.Conn) context.Context {
	who := &caller{once: sync.OnceValue(func() string {
		why, _ := process.TCPPeerRefused(c, s.state)
		return why
	})}
	return context.WithValue(ctx, callerKey{}, who)
}

// refusal returns why the process at the other end may not look, or "" if it may.
func (s *Server) refusal(r *http.Request) string {
	who, ok := r.Context().Value(callerKey{}).(*caller)
	if !ok {
		return "the server does not know who calls"
	}
	return who.once()
}
