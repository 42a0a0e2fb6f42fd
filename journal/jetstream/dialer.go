package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan/internal/process"
)

const (
	// answerWait is how long a host may take to answer a call. It is alive, so this is long.
	answerWait = 5 * time.Second
	// stoppedWait is how long a stopped process is waited for: nothing happens by itself.
	stoppedWait = 2 * time.Second
)

// A hostDialer is the dialer of the connection to the journal's host: each time that one is needed
// it calls the host and, if there is none, becomes the host itself.
type hostDialer struct {
	dir     string
	version string

	mu     sync.Mutex
	host   *host // nil while another process is the host
	closed bool

	// What is asked while a dial is under way is apart: a host may take its time to answer.
	outcomeMu sync.Mutex
	lastErr   error // why the last dial failed
	pid       int   // of the host that let us in; 0 where it is this process
}

// connectionOptions returns how the host is connected to.
func (d *hostDialer) connectionOptions(opt Options) connectionOptions {
	o := connectionOptions{
		urls:        "nats://127.0.0.1:1", // never used: the dialer knows where to go
		natsOptions: []nats.Option{nats.SetCustomDialer(d), nats.Timeout(2 * answerWait)},
		obstacle:    d.obstacle, reconnects: opt.Mode != Viewer, retryPause: retryWait, resendAfter: replyWait, notice: opt.Notice,
	}
	if opt.Mode != Session {
		o.maxWait = opt.Wait
	}
	return o
}

// SkipTLSHandshake returns true: the connection is private as it is.
func (d *hostDialer) SkipTLSHandshake() bool { return true }

// Dial returns a connection to the host; network and address mean nothing here. errBusy means to try
// again in a moment.
func (d *hostDialer) Dial(string, string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	conn, pid, err := d.dialLocked()
	d.outcomeMu.Lock()
	defer d.outcomeMu.Unlock()
	d.lastErr, d.pid = err, pid
	return conn, err
}

// dialLocked is Dial; pid is the host's, or 0 if it is this process. It must be called with mu held.
func (d *hostDialer) dialLocked() (conn net.Conn, pid int, err error) {
	if d.closed {
		return nil, 0, ErrClosed
	}
	if d.host != nil && d.host.isSpent() {
		h := d.host
		d.host = nil
		if err := h.close(); err != nil {
			return nil, 0, err
		}
	}
	if d.host == nil {
		if conn, pid, err = d.callOrBecomeHost(); conn != nil || err != nil {
			return conn, pid, err
		}
	}
	if err := d.host.storeFailure(); err != nil {
		return nil, 0, err
	}
	conn, err = d.host.connectSelf()
	return conn, 0, err
}

// callOrBecomeHost calls the host that there is. If it returns neither a connection nor an error,
// this process has become the host.
func (d *hostDialer) callOrBecomeHost() (net.Conn, int, error) {
	conn, pid, noHost := callHost(d.dir)
	if noHost == nil {
		conn, err := greetHost(conn, d.version)
		if errors.Is(err, errBusy) {
			err = &busyError{pid: pid, why: err, stopped: stopped(pid)}
		}
		return conn, pid, err
	}
	if !errors.Is(noHost, errNobody) {
		return nil, 0, noHost
	}
	if caller := process.IdentifySelf(os.Environ(), d.dir); caller.Role != process.RoleNone {
		return nil, 0, &BelowError{Role: caller.Role, Why: caller.Why}
	}
	if err := checkNamespace(d.dir); err != nil {
		return nil, 0, err
	}
	lock, err := lockHost(d.dir)
	if errors.Is(err, errBusy) {
		return nil, 0, d.newBusyError(noHost)
	}
	if err != nil {
		return nil, 0, err
	}
	if d.host, err = startHost(d.dir, d.version, lock); err != nil {
		return nil, 0, errors.Join(err, unlockHost(lock))
	}
	return nil, 0, nil
}

// newBusyError names the process that has the lock and cannot be reached: it is starting, ending, or
// stuck.
func (d *hostDialer) newBusyError(noHost error) error {
	pid := process.FindFlockHolder(hostLockPath(d.dir)) // one that is starting has written nothing yet
	if pid == 0 {
		h, err := readHolder(d.dir)
		if err != nil || h.pid == 0 {
			return errBusy
		}
		pid = h.pid
	}
	return &busyError{pid: pid, why: noHost, stopped: stopped(pid)}
}

// obstacle returns what keeps the connection from being made or from answering, or nil if nothing is
// known.
func (d *hostDialer) obstacle() error {
	d.outcomeMu.Lock()
	defer d.outcomeMu.Unlock()
	if d.lastErr == nil && d.pid != 0 && stopped(d.pid) {
		return &busyError{pid: d.pid, stopped: true}
	}
	return d.lastErr
}

// isHosting reports whether this process is the host.
func (d *hostDialer) isHosting() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.host != nil
}

// serverFault returns what has stopped this process's own server, or nil if it works or there is
// none.
func (d *hostDialer) serverFault() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.host == nil || d.host.server.Running() && d.host.server.JetStreamEnabled() {
		return nil
	}
	return fmt.Errorf("the journal's engine has stopped: %w", d.host.log.newestError())
}

// close ends the host, if it is this process.
func (d *hostDialer) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.host == nil {
		return nil
	}
	h := d.host
	d.host = nil
	return h.close()
}

// errNobody is a state folder without a host.
var errNobody = errors.New("nobody listens")

// callHost connects to the socket of the journal's host, and returns the host's process id. The lock file
// says where that is; since an agent can write to that file, the process that listens there has to be the one that
// holds the lock. If it is not, callHost tries the place where a host of this folder would listen.
func callHost(dir string) (net.Conn, int, error) {
	h, err := readHolder(dir)
	if err != nil {
		return nil, 0, fmt.Errorf("find the journal's host: %w", err)
	}
	if h.socket == "" {
		return nil, 0, errNobody
	}
	if holder := process.FindFlockHolder(hostLockPath(dir)); holder != 0 {
		h.pid = holder
	}
	// The system would take the call, and a stopped process would never answer it. Whether it is the
	// host at all, and not another with its id, the lock will show.
	if stopped(h.pid) {
		return nil, 0, errNobody
	}
	conn, err := dialHost(dir, h)
	if errors.Is(err, errImpostor) {
		if usual, noPlace := socketPath(dir); noPlace == nil && usual != h.socket {
			h.socket = usual
			if again, worse := dialHost(dir, h); worse == nil {
				conn, err = again, nil
			}
		}
	}
	return conn, h.pid, err
}

// errImpostor is a process that listens where the lock file says, and is not the journal's host. To a
// caller it is nobody.
var errImpostor = fmt.Errorf("%w where the journal's host should", errNobody)

// dialHost connects to a holder's socket, and checks who listens there.
func dialHost(dir string, h holder) (net.Conn, error) {
	// Another user's folder could have another user's socket in it.
	if err := checkPrivate(filepath.Dir(h.socket), 0o077); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: its socket's folder is not safe: %w", errImpostor, err)
	}
	conn, err := net.DialTimeout("unix", h.socket, answerWait)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, errImpostor
	}
	if err != nil {
		return nil, &busyError{pid: h.pid, why: err}
	}
	if why := process.ServerRefused(conn.(*net.UnixConn), dir, hostLockPath(dir)); why != "" {
		conn.Close()
		return nil, fmt.Errorf("%w: %s", errImpostor, why)
	}
	return conn, nil
}
