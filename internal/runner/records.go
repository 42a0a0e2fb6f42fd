package runner

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mulligan/internal/process"
)

// records keeps what children print, in the session's folder. It implements mulligan.Records.
type records struct {
	dir   string
	live  io.Writer
	limit int64 // bytes of a file at most; 0: the default
}

func (r records) TurnLog(turn int) string {
	return filepath.Join(r.dir, fmt.Sprintf("turn-%04d.log", turn))
}

func (r records) Open(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	return process.OpenBounded(path, os.O_APPEND, r.limit)
}

func (r records) GateOutput(turn, gate, try int) (string, error) {
	name := fmt.Sprintf("turn-%04d-check-%d.log", turn, gate+1)
	switch {
	case try == 0:
		name = fmt.Sprintf("turn-%04d-baseline-%d.log", turn, gate+1)
	case try > 1:
		name = fmt.Sprintf("turn-%04d-check-%d-try-%d.log", turn, gate+1, try)
	}
	return filepath.Join(r.dir, name), os.MkdirAll(r.dir, 0o700)
}

func (r records) HookOutput(run int) (string, error) {
	return filepath.Join(r.dir, fmt.Sprintf("hook-%04d.log", run)), os.MkdirAll(r.dir, 0o700)
}

func (r records) Live() io.Writer { return r.live }
