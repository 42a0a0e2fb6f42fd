package jetstream

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// EventSubjects match all the subjects that events are announced on.
const EventSubjects = "mulligan.events.>"

const (
	listenWait = 5 * time.Second
	maxClients = 64
	// maxBehind is what a client may leave unread before it is let go.
	maxBehind = 16 << 20
)

// A Listener lets other programs of this machine hear the events that its store appends, with any
// NATS client. It is a server of its own beside the journal's: a client can subscribe to events, and
// neither publish nor reach the journal.
type Listener struct {
	store  *Store
	server *server.Server
	log    *serverLog
	own    *nats.Conn
	where  *url.URL
}

// Listen opens a port on a loopback address, such as 127.0.0.1:4222; port 0 is one that is
// free. Close it before the store.
func (s *Store) Listen(address string) (*Listener, error) {
	host, port, err := Loopback(address)
	if err != nil {
		return nil, err
	}
	l := &Listener{store: s, log: &serverLog{onUnwritable: func(error) {}}}
	keys := &accessTokens{client: rand.Text(), own: rand.Text()}
	if err := l.start(host, port, keys); err != nil {
		return nil, fmt.Errorf("listen for programs that want events on %s: %w", address, err)
	}
	l.where = &url.URL{Scheme: "nats", User: url.User(keys.client), Host: l.server.Addr().String()}
	if !s.listener.CompareAndSwap(nil, l) {
		l.shutDown()
		return nil, errors.New("the store has a listener already")
	}
	return l, nil
}

// URL returns the address with the token that lets a client in: for the person's eyes alone.
func (l *Listener) URL() string { return l.where.String() }

// Close disconnects all clients, after the last events have reached them.
func (l *Listener) Close() {
	l.store.listener.CompareAndSwap(l, nil)
	l.shutDown()
}

// shutDown flushes the events and stops the server.
func (l *Listener) shutDown() {
	_ = l.own.FlushTimeout(listenWait)
	l.own.Close()
	l.server.Shutdown()
	l.server.WaitForShutdown()
}

// start starts the server and connects to it.
func (l *Listener) start(host string, port int, k *accessTokens) (err error) {
	// The server would only log that it cannot have the port.
	probe, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	if err := probe.Close(); err != nil {
		return err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	l.server, err = server.NewServer(&server.Options{
		ServerName: "mulligan-events", Host: host, Port: port,
		NoSigs: true, NoLog: true, NoSystemAccount: true,
		NoFastProducerStall: true,
		MaxConn:             maxClients + 1, MaxPayload: maxPayload, MaxPending: maxBehind,
		CustomClientAuthentication: k,
	})
	if err != nil {
		return err
	}
	l.server.SetLoggerV2(l.log, false, false, false)
	l.server.Start()
	if !l.server.ReadyForConnections(listenWait) {
		l.server.Shutdown()
		return l.log.newestError()
	}
	l.own, err = nats.Connect("", nats.InProcessServer(l.server), nats.Token(k.own), nats.Name("mulligan"))
	if err != nil {
		l.server.Shutdown()
	}
	return err
}

// accessTokens let clients subscribe, and this process publish.
type accessTokens struct{ client, own string }

// Check gives a client the permissions of its token, and reports whether it may connect.
func (k *accessTokens) Check(c server.ClientAuthentication) bool {
	nothing, events := &server.SubjectPermission{Deny: []string{">"}}, []string{EventSubjects}
	token := c.GetOpts().Token
	switch {
	case equalTokens(token, k.own):
		c.RegisterUser(&server.User{Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: events}, Subscribe: nothing,
		}})
	case equalTokens(token, k.client):
		c.RegisterUser(&server.User{Permissions: &server.Permissions{
			Publish: nothing, Subscribe: &server.SubjectPermission{Allow: append(events, "_INBOX.>")},
		}})
	default:
		return false
	}
	return true
}

// equalTokens compares in constant time.
func equalTokens(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Loopback parses an address that only this machine can reach.
func Loopback(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("%q is not an address with a port, such as 127.0.0.1:4222", address)
	}
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("%q has no port that is a number up to 65535", address)
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return "", 0, fmt.Errorf("%q can be reached from other machines: events are told on a loopback address alone, such as 127.0.0.1:%d", address, number)
	}
	return host, int(number), nil
}
