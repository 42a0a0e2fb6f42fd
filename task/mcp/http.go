package mcp

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	path          = "/mcp"
	headersWithin = 10 * time.Second
	closeWithin   = 2 * time.Second
	maxBody       = 1 << 20
)

// An Endpoint is where a client reaches the tools over HTTP.
type Endpoint struct {
	URL   string `json:"url"`
	Token string `json:"token"` // to be sent as: Authorization: Bearer TOKEN
}

// A Listener is an address that is listened on, and not served yet.
type Listener struct {
	Endpoint
	ln net.Listener
}

// Listen takes an address of this machine alone, such as 127.0.0.1:0. It refuses a name, which may
// resolve to any address.
func Listen(address string) (*Listener, error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address and a port, such as 127.0.0.1:0", address)
	}
	if !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("%s is not an address of this machine alone: want 127.0.0.1:PORT or [::1]:PORT", address)
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	secret := make([]byte, 24)
	rand.Read(secret)
	return &Listener{ln: ln, Endpoint: Endpoint{URL: "http://" + ln.Addr().String() + path, Token: hex.EncodeToString(secret)}}, nil
}

// Close releases the address, if it is not served.
func (l *Listener) Close() error { return l.ln.Close() }

// Serve answers clients until ctx ends.
func (l *Listener) Serve(ctx context.Context, s *mcp.Server) error {
	mux := http.NewServeMux()
	mux.Handle(path, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{
		MaxRequestBodyBytes: maxBody, SessionTimeout: time.Hour,
	}))
	server := &http.Server{Handler: l.guardRequests(mux), ReadHeaderTimeout: headersWithin}
	stop := context.AfterFunc(ctx, func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		if server.Shutdown(bounded) != nil {
			server.Close() // a client holds a stream open
		}
	})
	defer stop()
	err := server.Serve(l.ln)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// guardRequests lets requests through that have the token and come from no page of a browser: such
// a page would come by a name that resolves to this machine, or with a foreign origin.
func (l *Listener) guardRequests(next http.Handler) http.Handler {
	here := l.ln.Addr().String()
	_, port, _ := net.SplitHostPort(here) // of a listener: it has one
	hosts := []string{here, "localhost:" + port}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !slices.Contains(hosts, r.Host):
			http.Error(w, "the host is not this server's", http.StatusForbidden)
		case isForeign(r.Header.Get("Origin"), hosts):
			http.Error(w, "the origin is not this server's", http.StatusForbidden)
		case !l.hasToken(r.Header.Get("Authorization")):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isForeign reports whether an origin is given and none of the hosts.
func isForeign(origin string, hosts []string) bool {
	u, err := url.Parse(origin)
	return origin != "" && (err != nil || !slices.Contains(hosts, u.Host))
}

func (l *Listener) hasToken(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare([]byte(token), []byte(l.Token)) == 1
}
