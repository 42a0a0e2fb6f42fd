// Package door is the agents' door to a session: a unix socket of its own and a token of the
// session. A program that has both can call the tools, and nothing else.
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

	"mulligan/task"
)

// The variables by which an agent's programs find the door.
const (
	EnvDoor  = "MULLIGAN_DOOR"
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
	path  string
	made  bool // its folder is ours to remove
	token string
	ln    *net.UnixListener
	call  func(context.Context, task.Request) (any, error)
	slots chan struct{}
	stop  context.CancelFunc
	done  sync.WaitGroup
}

// Listen opens a door in a folder, which it makes private if it does not exist. call answers
// requests, several at once; its context ends when the caller goes away or the door closes. A
// *task.Refusal of call is for the agent to read, any other error is a fault.
func Listen(dir string, call func(ctx context.Context, r task.Request) (any, error)) (*Door, error) {
	path := filepath.Join(dir, "door")
	if len(path) > maxPath {
		return nil, fmt.Errorf("the agents' door: the path %s has %d bytes, and a socket's has at most %d", path, len(path), maxPath)
	}
	_, there := os.Lstat(dir)
	if err := ensurePrivate(dir); err != nil {
		return nil, fmt.Errorf("the agents' door: %w", err)
	}
	ln, err := listenSocket(path)
	if err != nil {
		return nil, fmt.Errorf("the agents' door: %w", err)
	}
	secret := make([]byte, 24)
	rand.Read(secret)
	ctx, stop := context.WithCancel(context.Background())
	d := &Door{
		path: path, made: there != nil, token: tokenHead + hex.EncodeToString(secret), ln: ln, call: call,
		slots: make(chan struct{}, maxConnections), stop: stop,
	}
	d.done.Go(func() { d.acceptCallers(ctx) })
	return d, nil
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

// Env returns the variables by which an agent's programs find the door, as NAME=value pairs.
func (d *Door) Env() []string {
	return []string{EnvDoor + "=" + d.path, EnvToken + "=" + d.token}
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
