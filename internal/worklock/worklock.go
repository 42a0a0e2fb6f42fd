// Package worklock takes the lock of a workspace, and reads and writes the note by which the
// holder of the lock says who it is.
package worklock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/clock"
	"mulligan/internal/lockfile"
	"mulligan/internal/process"
	"mulligan/internal/usererror"
	"mulligan/journal"
)

// passerBy begins the note of a process, most often a person's command, that holds a workspace's lock for a moment only.
const passerBy = "a person's command"

// SessionNote returns the note of this process while it works on a session.
func SessionNote(id string) string { return fmt.Sprintf("session %s, process %d", id, os.Getpid()) }

// CommandNote returns the note of this process while a command that is no session works with the files.
func CommandNote(command string) string {
	return fmt.Sprintf("mulligan %s, process %d", command, os.Getpid())
}

// passerByNote returns the note of this process while it has the lock for a moment.
func passerByNote() string { return fmt.Sprintf("%s, process %d", passerBy, os.Getpid()) }

// A Holder is what the note of a lock says about the process that wrote it. The process may have
// ended since: a process that is killed leaves its note, and its id goes to others.
type Holder struct {
	Session  string // "" if it works on no session
	PID      int    // 0 if the note names none
	PasserBy bool   // it is a person's command, and about to let go
}

// ParseHolder reads a note.
func ParseHolder(note string) Holder {
	h := Holder{PasserBy: strings.HasPrefix(note, passerBy)}
	id, _, _ := strings.Cut(strings.TrimPrefix(note, "session "), ",")
	if _, ok := journal.Month(id); ok {
		h.Session = id
	}
	_, pid, _ := strings.Cut(note, "process ")
	h.PID, _ = strconv.Atoi(strings.TrimSpace(pid))
	return h
}

// Alive reports whether there is a process with the holder's id.
func (h Holder) Alive() bool { return process.Alive(h.PID) }

// Read returns the holder of the lock at path. held reports whether a process has the lock: the
// note of a process that let go stays.
func Read(path string) (h Holder, held bool) {
	note, held := lockfile.Holder(path)
	return ParseHolder(note), held
}

// patience is how long Take waits for a holder that is about to let go.
const patience = 15 * time.Second

// Take takes the lock at path, or returns an error that names its holder. It waits for a holder
// that is about to let go. over reports whether a session has ended.
func Take(ctx context.Context, path string, over func(session string) bool) (*lockfile.File, error) {
	for began := time.Now(); ; clock.Sleep(ctx, 10*time.Millisecond) {
		lock, err := lockfile.Lock(path)
		busy, held := errors.AsType[*lockfile.BusyError](err)
		if !held {
			return lock, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !isLeaving(busy.Holder, over) || time.Since(began) > patience {
			return nil, &usererror.Error{
				Code:  mulligan.ExitBusy,
				Words: "the workspace is busy: " + cmp.Or(busy.Holder, "another process has it, and does not say which"),
				Hint:  adviseBusy(ParseHolder(busy.Holder)),
			}
		}
	}
}

// adviseBusy returns what a person can do about the holder of a lock, whatever command they gave.
func adviseBusy(h Holder) string {
	if h.Session == "" {
		return "give the command again when that process has ended"
	}
	return "`mulligan attach` watches that session, `mulligan stop` ends it"
}

// PassBy takes the lock at path for a moment, until release: other processes wait for that. If another process has it,
// the error is a *lockfile.BusyError.
func PassBy(path string) (release func(), err error) {
	lock, err := lockfile.Lock(path)
	if err != nil {
		return nil, err
	}
	// The note of a session that was killed stays: the next process ends what that one left behind.
	release = func() { _ = errors.Join(lock.Note(lock.Before()), lock.Unlock()) }
	if err := lock.Note(passerByNote()); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// isLeaving reports whether a holder is about to let go: a process that is gone, whose keepers are
// just ending its children, one whose session is over, or a person's command that writes a line to
// the journal. A holder without a note has just come, and will write one, or is as good as gone.
func isLeaving(note string, over func(session string) bool) bool {
	h := ParseHolder(note)
	if note == "" || h.PasserBy {
		return true
	}
	return h.PID > 0 && !h.Alive() || h.Session != "" && over(h.Session)
}
