package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// answerWait is how long a host may take to answer a call. It is alive, so this is long.
const answerWait = 5 * time.Second

// A door leads to the journal's host. It is the dialer of the connection: each time that
// one is needed it calls the host and, finding nobody, becomes the host itself.
type door struct {
	dir     string
	version string

	mu     sync.Mutex
	host   *host // nil while another process is the host
	closed bool
	last   error // why the last dial failed
}

// SkipTLSHandshake tells the client that the connection is private as it is.
func (d *door) SkipTLSHandshake() bool { return true }

// Dial gives a connection to the host; network and address mean nothing here. errBusy
// means to try again in a moment.
func (d *door) Dial(string, string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	conn, err := d.dial()
	d.last = err
	return conn, err
}

func (d *door) dial() (net.Conn, error) {
	if d.closed {
		return nil, ErrClosed
	}
	if d.host != nil && d.host.spent() {
		h := d.host
		d.host = nil
		if err := h.close(); err != nil {
			return nil, err
		}
	}
	if d.host != nil {
		if err := d.host.failure(); err != nil {
			return nil, err
		}
		return d.host.connect()
	}
	conn, noHost := callHost(d.dir)
	if noHost == nil {
		return greet(conn, d.version)
	}
	if !errors.Is(noHost, errNobody) {
		return nil, noHost
	}
	lock, err := takeLock(d.dir)
	if errors.Is(err, errBusy) {
		return nil, d.busy(noHost)
	}
	if err != nil {
		return nil, err
	}
	if d.host, err = startHost(d.dir, d.version, lock); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return d.host.connect()
}

// busy names the process that has the lock and cannot be reached: it is starting, ending,
// or stuck.
func (d *door) busy(noHost error) error {
	h, err := readHolder(d.dir)
	if err != nil || h.pid == 0 {
		return errBusy
	}
	return &busyError{pid: h.pid, why: noHost}
}

type busyError struct {
	pid int
	why error
}

func (e *busyError) Error() string {
	return fmt.Sprintf("the process %d holds the journal and does not answer (%v)", e.pid, e.why)
}

func (e *busyError) Is(target error) bool { return target == errBusy }

// why says what keeps the connection from being made, nil when nothing does.
func (d *door) why() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

func (d *door) hosting() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.host != nil
}

// fault says what has kept our own server from working, nil when it is not ours or works.
func (d *door) fault() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.host == nil {
		return nil
	}
	return d.host.fault()
}

func (d *door) close() error {
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

// callHost connects to the socket that the holder of the lock announced.
func callHost(dir string) (net.Conn, error) {
	h, err := readHolder(dir)
	if err != nil {
		return nil, fmt.Errorf("find the journal's host: %w", err)
	}
	if h.socket == "" {
		return nil, errNobody
	}
	// Somebody else's folder could have somebody else's socket in it.
	if err := checkPrivate(filepath.Dir(h.socket), 0o077); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: its socket's folder is not safe: %w", errNobody, err)
	}
	conn, err := net.DialTimeout("unix", h.socket, answerWait)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, errNobody
	}
	if err != nil {
		return nil, fmt.Errorf("%w, the process %d, and cannot be called: %w", errBusy, h.pid, err)
	}
	return conn, nil
}
