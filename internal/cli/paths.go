package cli

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// newID makes a session's id. It begins with the time, so that ids sort by it and the
// journal can tell the month.
func newID(now time.Time) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	b := make([]byte, 4)
	rand.Read(b)
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return now.UTC().Format("20060102-150405") + "-" + string(b)
}

// records keeps what children print, in the session's folder.
type records struct {
	dir  string
	live io.Writer
}

func (r records) TurnLog(turn int) string {
	return filepath.Join(r.dir, fmt.Sprintf("turn-%04d.log", turn))
}

func (r records) Open(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
}

func (r records) GateOutput(turn, gate, try int) (string, error) {
	name := fmt.Sprintf("turn-%04d-check-%d.log", turn, gate+1)
	if try > 1 {
		name = fmt.Sprintf("turn-%04d-check-%d-try-%d.log", turn, gate+1, try)
	}
	return filepath.Join(r.dir, name), os.MkdirAll(r.dir, 0o700)
}

func (r records) HookOutput(run int) (string, error) {
	return filepath.Join(r.dir, fmt.Sprintf("hook-%04d.log", run)), os.MkdirAll(r.dir, 0o700)
}

func (r records) Live() io.Writer { return r.live }

// quote makes a path safe to paste into a shell.
func quote(path string) string {
	quoted, err := syntax.Quote(path, syntax.LangPOSIX)
	if err != nil {
		return path
	}
	return quoted
}
