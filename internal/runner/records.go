package runner

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mulligan"
	"mulligan/internal/process"
)

// records keeps what children print, in the session's folder. It implements mulligan.Records.
type records struct {
	dir   string
	live  io.Writer
	limit int64 // bytes of a file at most; 0: the default
}

func (r records) TurnLog(turn int) string { return filepath.Join(r.dir, turnFile(turn)) }

// OutputFile returns the name of the file, in the session's folder, that has what an event is the end of
// printed, or "" if the event is the end of nothing that prints. turn is the session's last.
func OutputFile(e mulligan.Event, turn int) string {
	switch b := e.Body.(type) {
	case mulligan.TurnEnded:
		return turnFile(b.Turn)
	case mulligan.GateEnded:
		return gateFile(turn, b.Index, b.Try)
	case mulligan.BaselineChecked:
		return gateFile(turn, b.Index, 0)
	case mulligan.HookEnded:
		return hookFile(b.Run)
	}
	return ""
}

func turnFile(turn int) string { return fmt.Sprintf("turn-%04d.log", turn) }

func hookFile(run int) string { return fmt.Sprintf("hook-%04d.log", run) }

// gateFile returns the name of a gate's file. A gate's first try is 1, and the baseline's 0.
func gateFile(turn, gate, try int) string {
	switch {
	case try == 0:
		return fmt.Sprintf("turn-%04d-baseline-%d.log", turn, gate+1)
	case try > 1:
		return fmt.Sprintf("turn-%04d-check-%d-try-%d.log", turn, gate+1, try)
	}
	return fmt.Sprintf("turn-%04d-check-%d.log", turn, gate+1)
}

func (r records) Open(path string) (io.WriteCloser, error) {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, err
	}
	return process.OpenBounded(path, os.O_APPEND, r.limit)
}

func (r records) GateOutput(turn, gate, try int) (string, error) {
	return filepath.Join(r.dir, gateFile(turn, gate, try)), os.MkdirAll(r.dir, 0o700)
}

func (r records) HookOutput(run int) (string, error) {
	return filepath.Join(r.dir, hookFile(run)), os.MkdirAll(r.dir, 0o700)
}

func (r records) Live() io.Writer { return r.live }
