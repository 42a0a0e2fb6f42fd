package jetstream

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mulligan/internal/lockfile"
)

// An UnheardError is a session whose process is there and does not answer: it is stopped, or gets no
// processor, be it to answer or to find a host of the journal.
type UnheardError struct {
	Session string
	PID     int  // 0 where it is not known
	Stopped bool // a signal has stopped it
}

func (e *UnheardError) Error() string {
	who := "its process"
	if e.PID > 0 {
		who = fmt.Sprintf("its process %d", e.PID)
	}
	if e.Stopped {
		return fmt.Sprintf("session %s does not answer: %s is stopped", e.Session, who)
	}
	return fmt.Sprintf("session %s does not answer, and %s is there", e.Session, who)
}

// servingFiles show which sessions are served by a process of this machine: it holds a shared lock
// on the session's file for as long. Between two hosts of the journal, however long that takes, no
// message reaches a session; the file tells it from a session that no process serves. The zero value
// knows of none.
type servingFiles struct{ dir string }

// filePath returns the path of a session's file.
func (v servingFiles) filePath(session string) string { return filepath.Join(v.dir, session) }

// holdTries is how often a file is tried that another process is just looking at.
const holdTries = 1000

// holdSession shows that this process serves the session, until release is called. If it fails, the
// session is served all the same.
func (v servingFiles) holdSession(session string) (release func()) {
	if v.dir == "" || os.MkdirAll(v.dir, 0o700) != nil {
		return func() {}
	}
	for range holdTries {
		f, err := os.OpenFile(v.filePath(session), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			break
		}
		err = lockfile.TryShare(f)
		if err == nil && v.isCurrentFile(session, f) {
			_ = lockfile.WriteNote(f, strconv.Itoa(os.Getpid())) // without it others only know less
			return func() { v.releaseSession(session, f) }
		}
		f.Close()
		if err != nil && !errors.Is(err, lockfile.ErrLocked) {
			break
		}
		time.Sleep(retryWait)
	}
	return func() {}
}

// isCurrentFile reports whether the open file is still the session's, and was not removed meanwhile.
func (v servingFiles) isCurrentFile(session string, f *os.File) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(v.filePath(session))
	return err == nil && os.SameFile(have, there)
}

// releaseSession removes the file unless another process holds it, and closes it.
func (v servingFiles) releaseSession(session string, f *os.File) {
	if lockfile.TryLock(f) == nil {
		_ = os.Remove(v.filePath(session)) // one that stays is held by no process
	}
	f.Close()
}

// isServed reports whether a process of this machine serves the session.
func (v servingFiles) isServed(session string) bool {
	if v.dir == "" {
		return false
	}
	f, err := os.Open(v.filePath(session))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lockfile.TryLock(f), lockfile.ErrLocked)
}

// holderPID returns the process that was the last to serve the session, or 0 if it is not known.
func (v servingFiles) holderPID(session string) int {
	text, _ := os.ReadFile(v.filePath(session)) // an empty text is no number
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// newUnheardError describes the session's process, which does not answer.
func (v servingFiles) newUnheardError(session string) *UnheardError {
	pid := v.holderPID(session)
	return &UnheardError{Session: session, PID: pid, Stopped: pid > 0 && stopped(pid)}
}

// removeLeftovers removes the files of processes that were killed. One that stays does no harm.
func (v servingFiles) removeLeftovers() {
	if v.dir == "" {
		return
	}
	entries, _ := os.ReadDir(v.dir)
	for _, entry := range entries {
		f, err := os.Open(v.filePath(entry.Name()))
		if err != nil {
			continue // it was removed meanwhile, or is not ours
		}
		// A process that begins to serve the session just now finds that its file is gone, and makes another.
		if lockfile.TryLock(f) == nil && v.isCurrentFile(entry.Name(), f) {
			_ = os.Remove(v.filePath(entry.Name()))
		}
		f.Close()
	}
}
