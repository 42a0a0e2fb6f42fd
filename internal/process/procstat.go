package process

import (
	"bytes"
	"io/fs"
	"os"
	"strconv"
)

// A Stat holds the fields of /proc/PID/stat that mulligan reads.
type Stat struct {
	PID     int
	Comm    string // the program's name; a program may give itself any
	State   byte   // one letter: 'R' runs, 'S' sleeps, 'T' is stopped …
	Parent  int
	Session int
	Start   uint64 // in ticks since the system's own start
}

// HasEnded reports whether the process has ended and only waits for its parent to read its exit status.
func (s Stat) HasEnded() bool { return s.State == 'Z' || s.State == 'X' }

// IsStopped reports whether a signal or a debugger has stopped the process.
func (s Stat) IsStopped() bool { return s.State == 'T' || s.State == 't' }

// ReadStat reads a process's /proc/PID/stat. It returns an error if there is no such
// process, and for every process on a system without Linux' /proc.
func ReadStat(pid int) (Stat, error) {
	path := "/proc/" + strconv.Itoa(pid) + "/stat"
	text, err := os.ReadFile(path)
	if err != nil {
		return Stat{}, err
	}
	s, ok := parseStat(text)
	if !ok {
		return Stat{}, &fs.PathError{Op: "parse", Path: path, Err: fs.ErrInvalid}
	}
	s.PID = pid
	return s, nil
}

// parseStat parses "PID (COMM) STATE PARENT GROUP SESSION …". COMM may hold anything, parentheses
// and blanks included, so the fields after it are counted from the last closing parenthesis.
func parseStat(text []byte) (s Stat, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return Stat{}, false
	}
	fields := bytes.Fields(text[end+1:])
	if len(fields) < 20 {
		return Stat{}, false
	}
	s.Comm, s.State = string(text[open+1:end]), fields[0][0]
	var errs [3]error
	s.Parent, errs[0] = strconv.Atoi(string(fields[1]))
	s.Session, errs[1] = strconv.Atoi(string(fields[3]))
	s.Start, errs[2] = strconv.ParseUint(string(fields[19]), 10, 64)
	return s, errs == [3]error{}
}
