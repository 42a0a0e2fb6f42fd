// Package door is the door to a session for what the session starts: a unix socket of its own, and a token
// for each role. A program that has both can call the tools that its role may, and nothing else.
//
// A connection carries requests and answers as JSON, one to a line: {"token","tool","args"} is
// answered by {"reply"}, {"refused"} or {"error"}.
package door

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"mulligan/internal/process"
	"mulligan/task"
)

// The variables by which an agent's programs find the door.
const (
	EnvDoor  = process.DoorEnv
	EnvToken = "MULLIGAN_TOKEN"
)

// tokenHead is what redaction recognizes a token by.
const tokenHead = "mgd_"

const (
	maxPath        = 100 // bytes: the system's bound is 104 or 108
	maxConnections = 256
)

// A Door is the session's side.
type Door struct {
	path   string
	state  string // the state folder of the session
	made   bool   // its folder is ours to remove
	tokens map[process.Role]string
	ln     *net.UnixListener
	call   callFunc
	slots  chan struct{}
	stop   context.CancelFunc
	done   sync.WaitGroup
}

// A callFunc answers a request of a caller with a role.
type callFunc func(ctx context.Context, role process.Role, r task.Request) (any, error)

// New returns a door that is not open yet, of a session whose state folder is state. Its socket will be in
// the folder dir.
func New(dir, state string) *Door {
	d := &Door{path: filepath.Join(dir, "door"), state: state, tokens: map[process.Role]string{}}
	for _, role := range []process.Role{process.RoleAgent, process.RoleCheck, process.RoleHook} {
		secret := make([]byte, 24)
		rand.Read(secret)
		d.tokens[role] = tokenHead + hex.EncodeToString(secret)
	}
	return d
}

// Open opens the door, and makes its folder private if it does not exist. call answers requests, several
// at once; its context ends when the caller goes away or the door closes. A *task.Refusal of call is for
// the caller to read, any other error is a fault.
func (d *Door) Open(call callFunc) error {
	if len(d.path) > maxPath {
		return fmt.Errorf("the agents' door: the path %s has %d bytes, and a socket's has at most %d", d.path, len(d.path), maxPath)
	}
	dir := filepath.Dir(d.path)
	_, there := os.Lstat(dir)
	if err := ensurePrivate(dir); err != nil {
		return fmt.Errorf("the agents' door: %w", err)
	}
	ln, err := listenSocket(d.path)
	if err != nil {
		return fmt.Errorf("the agents' door: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	d.made, d.ln, d.call, d.stop, d.slots = there != nil, ln, call, stop, make(chan struct{}, maxConnections)
	d.done.Go(func() { d.acceptCallers(ctx) })
	return nil
}

// ensurePrivate makes a folder that only the user can enter, or checks that it is one.
func ensurePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("others can enter the folder %s: chmod 700 it, or remove it", dir)
	}
	return nil
}

// listenSocket makes the socket anew: one that a killed session has left is no obstacle.
func listenSocket(path string) (*net.UnixListener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return nil, fmt.Errorf("%s is there and is not a socket", path)
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

// Env returns the variables by which a child of the session finds the door and is known, as NAME=value
// pairs.
func (d *Door) Env(role process.Role) []string {
	return []string{EnvDoor + "=" + d.path, EnvToken + "=" + d.tokens[role], process.BelowMark(role, d.state)}
}

// Close ends what is under way and removes the socket, and the folder if Listen made it.
func (d *Door) Close() error {
	d.stop()
	err := d.ln.Close() // removes the socket too
	d.done.Wait()
	if d.made {
		err = errors.Join(err, os.Remove(filepath.Dir(d.path)))
	}
	return err
}

// acceptCallers serves connections until the socket is closed.
func (d *Door) acceptCallers(ctx context.Context) {
	for {
		conn, err := d.ln.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // out of file descriptors: others will be free
			select {
			case <-ctx.Done():
				return
			case <-time.After(acceptPause):
				continue
			}
		}
		select {
		case d.slots <- struct{}{}:
		default:
			// This does not wait for a caller that does not read.
			writeAnswer(conn, answer{Error: "too many calls at once: try again"})
			conn.Close()
			continue
		}
		d.done.Go(func() {
			defer func() { <-d.slots }()
			d.serveCaller(ctx, conn)
		})
	}
}

// A query is a request as it goes through the door.
type query struct {
	Token string `json:"token"`
	task.Request
}

// An answer has one of its fields.
type answer struct {
	Reply   json.RawMessage `json:"reply,omitempty"`
	Refused string          `json:"refused,omitempty"`
	Error   string          `json:"error,omitempty"`
}
