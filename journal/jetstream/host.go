package jetstream

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"mulligan/internal/lockfile"
)

const (
	maxMemory = 32 << 20 // for consumers, which are short-lived here
	maxStore  = 1 << 40  // explicit: the default is a share of what is free on the disk just now
	// maxPayload leaves room above a frame for its headers.
	maxPayload = 2 << 20
	// failedFor is how long a host refuses everyone after its store could not be written.
	failedFor = 2 * time.Second
	// partWait is how long a guest may take to read what the server still has for it.
	partWait = 2 * time.Second
	// maxGuests is more than there are.
	maxGuests = 1 << 16
)

// A host runs the server and connects other processes, its guests, with it.
type host struct {
	dir      string
	version  string
	lock     *lockfile.File // nil once a repair has taken it over
	server   *server.Server
	log      *serverLog
	listener net.Listener

	mu       sync.Mutex
	guests   map[net.Conn]bool // connections of other processes, and whether they reach the server; nil once the host is closing
	own      []net.Conn        // connections of this process
	failed   error             // why the store cannot be written
	failedAt time.Time
	done     sync.WaitGroup
}

// startHost starts the server under the lock, which the host owns if it succeeds.
func startHost(dir, version string, lock *lockfile.File) (*host, error) {
	socket, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	h := &host{dir: dir, version: version, lock: lock, guests: map[net.Conn]bool{}}
	h.log = &serverLog{onUnwritable: h.cutEveryoneOff}
	if err := h.startServer(dir); err != nil {
		return nil, err
	}
	if err := h.openSocket(socket); err != nil {
		h.server.Shutdown()
		return nil, fmt.Errorf("listen for other processes: %w", err)
	}
	return h, nil
}

// startServer starts the engine, without a port.
func (h *host) startServer(dir string) error {
	if err := removeHalfMade(dir); err != nil {
		return fmt.Errorf("open the journal in %s: %w", dir, err)
	}
	srv, err := server.NewServer(&server.Options{
		ServerName: "mulligan",
		DontListen: true,
		NoSigs:     true,
		JetStream:  true,
		StoreDir:   dir,
		// Without it an acknowledged event is on the disk two minutes later.
		SyncAlways:         true,
		JetStreamMaxMemory: maxMemory,
		JetStreamMaxStore:  maxStore,
		MaxPayload:         maxPayload,
		NoLog:              true,
	})
	if err != nil {
		return fmt.Errorf("start the journal's engine: %w", err)
	}
	srv.SetLoggerV2(h.log, false, false, false)
	srv.Start()
	if !srv.Running() || !srv.JetStreamEnabled() {
		srv.Shutdown()
		return fmt.Errorf("start the journal's engine in %s: %w", dir, h.log.newestError())
	}
	h.server = srv
	return nil
}

// openSocket listens for other processes and writes the socket's path into the lock file.
func (h *host) openSocket(socket string) error {
	// We hold the lock: what is there was left by a host that was killed.
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	err = os.Chmod(socket, 0o600)
	if err == nil {
		err = h.lock.Note(holder{pid: os.Getpid(), socket: socket}.note())
	}
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	h.listener = listener
	h.done.Go(h.acceptGuests)
	return nil
}

// acceptGuests runs until the listener is closed.
func (h *host) acceptGuests() {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			// Out of files, most likely: others need the time to close theirs.
			h.log.Errorf("accept on the journal's socket: %v", err)
			time.Sleep(retryWait)
			continue
		}
		if h.admitGuest(conn) {
			h.done.Go(func() { h.serveGuest(conn) })
		}
	}
}

// admitGuest registers a guest, so that closing can end it, and reports whether the host is still
// open.
func (h *host) admitGuest(conn net.Conn) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guests == nil {
		conn.Close()
		return false
	}
	h.guests[conn] = false
	return true
}

// connectGuest returns a connection to the server for a guest, unless the host is closing.
func (h *host) connectGuest(guest net.Conn) (net.Conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guests == nil {
		return nil, net.ErrClosed
	}
	h.guests[guest] = true
	return h.server.InProcessConn()
}

// serveGuest greets one guest and connects it with the server.
func (h *host) serveGuest(guest net.Conn) {
	defer func() {
		h.mu.Lock()
		delete(h.guests, guest)
		h.mu.Unlock()
		guest.Close()
	}()
	r, err := answerGreeting(guest, h.dir, h.version, h.storeFailure())
	if err != nil {
		return
	}
	inner, err := h.connectGuest(guest)
	if err != nil {
		return
	}
	copyBothWays(guest, r, inner)
}

// copyBothWays copies between a guest and the server until either side ends.
func copyBothWays(guest net.Conn, r *bufio.Reader, inner net.Conn) {
	var done sync.WaitGroup
	done.Go(func() {
		io.Copy(inner, r)
		inner.Close()
	})
	io.Copy(guest, inner)
	guest.Close()
	inner.Close()
	done.Wait()
}

// connectSelf returns a connection for this process.
func (h *host) connectSelf() (net.Conn, error) {
	conn, err := h.server.InProcessConn()
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.own = append(h.own, conn)
	return conn, nil
}

// cutEveryoneOff ends all connections to a store that cannot be written. A process that comes back
// gets the reason, until the dialer starts a new server.
func (h *host) cutEveryoneOff(why error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed, h.failedAt = why, time.Now()
	for guest := range h.guests {
		guest.Close()
	}
	for _, conn := range h.own {
		conn.Close()
	}
}

// storeFailure returns why the store cannot be written, or nil.
func (h *host) storeFailure() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failed
}

// isSpent reports whether a failed host has refused processes for long enough.
func (h *host) isSpent() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failed != nil && time.Since(h.failedAt) > failedFor
}

// close disconnects the guests before it stops the server: their requests under way are then cut off
// and sent again to the next host, rather than answered by a server that is half gone.
func (h *host) close() error {
	err := h.listener.Close()
	h.disconnectGuests()
	h.server.Shutdown()
	if h.lock == nil {
		return err
	}
	return errors.Join(err, unlockHost(h.lock))
}

// disconnectGuests lets the guests read what the server has for them already, such as the last
// answer of the session that hosted, and then ends them. It does not wait long for a guest that does
// not read.
func (h *host) disconnectGuests() {
	h.mu.Lock()
	guests := h.guests
	h.guests = nil
	for guest, inside := range guests {
		if !inside {
			guest.Close()
		}
	}
	h.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		h.done.Wait()
		close(gone)
	}()
	for end := time.Now().Add(partWait); time.Now().Before(end); {
		h.disconnectClients()
		select {
		case <-gone:
			return
		case <-time.After(retryWait):
		}
	}
	for guest := range guests {
		guest.Close()
	}
	<-gone
}

// disconnectClients has the server end the connections that it knows of, each after its pending
// messages.
func (h *host) disconnectClients() {
	all, err := h.server.Connz(&server.ConnzOptions{Limit: maxGuests})
	if err != nil {
		return
	}
	for _, c := range all.Conns {
		_ = h.server.DisconnectClientByID(c.Cid) // it may have gone by itself
	}
}
