// Package lockfile locks files between processes, with a note in the file that names the holder.
package lockfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A File is an exclusive lock on a file. This process holds it, and so does every child that
// inherits the open file; it ends with Unlock, or when the last of them has ended.
type File struct {
	f      *os.File
	before string
}

// A BusyError is a lock that another process holds.
type BusyError struct {
	Path   string
	Holder string // the holder's note; "" if it has written none
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is locked by %s", e.Path, cmp.Or(e.Holder, "another process"))
}

// maxNote bounds what is read of a note.
const maxNote = 4096

// Lock takes the lock at path, and makes the file and its folder where they are missing. If
// another process holds it, the error is a *BusyError, at once.
func Lock(path string) (*File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = tryLockPatiently(f)
	holder := readNote(f)
	if err == nil {
		// The last holder's note is not ours.
		if err = f.Truncate(0); err == nil {
			return &File{f: f, before: holder}, nil
		}
	}
	if errors.Is(err, ErrLocked) {
		err = &BusyError{Path: path, Holder: holder}
	}
	return nil, errors.Join(err, f.Close())
}

// lookPatience is how long Lock waits for processes that only look at the lock.
const lookPatience = 2 * time.Second

// tryLockPatiently takes the lock of an open file, or returns ErrLocked. A process that calls
// Holder shares the lock for a moment; that does not count as held.
func tryLockPatiently(f *os.File) error {
	for end := time.Now().Add(lookPatience); ; time.Sleep(time.Millisecond) {
		err := TryLock(f)
		if !errors.Is(err, ErrLocked) || isHeld(f) || time.Now().After(end) {
			return err
		}
	}
}

// isHeld reports whether another process has the exclusive lock of an open file.
func isHeld(f *os.File) bool {
	err := TryShare(f)
	if err == nil {
		err = release(f)
	}
	return errors.Is(err, ErrLocked)
}

// Holder returns the note of the last process that took the lock at path, and reports whether the
// lock is held: the process that wrote the note may be gone. It keeps no process from taking the lock.
func Holder(path string) (note string, held bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	held = isHeld(f)
	return readNote(f), held
}

// readNote returns the note from the file's beginning, or "" if it cannot be read.
func readNote(f *os.File) string {
	note, _ := io.ReadAll(io.LimitReader(f, maxNote)) // without it the caller only knows less
	return strings.TrimSpace(string(note))
}

// LockWait polls with a pause that grows from the first of these to the last.
const (
	firstPause = 3 * time.Millisecond
	lastPause  = 250 * time.Millisecond
)

// LockWait takes the lock at path as soon as it is free. If ctx ends before that, the error wraps
// the cause and the *BusyError that names the holder.
func LockWait(ctx context.Context, path string) (*File, error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		l, err := Lock(path)
		if _, busy := errors.AsType[*BusyError](err); !busy {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(pause):
		}
	}
}

// File returns the open file, for children to inherit: while one of them has it, the lock is held.
func (l *File) File() *os.File { return l.f }

// Before returns the last holder's note; "" if there was none, or it was killed while it wrote.
func (l *File) Before() string { return l.before }

// Note writes who holds the lock, for processes that find it taken. An empty note removes it.
func (l *File) Note(holder string) error { return WriteNote(l.f, holder) }

// Unlock ends the lock, also for children that have inherited the file. The note stays, and so
// does the file: if it were removed, two processes could lock two files of the same name.
func (l *File) Unlock() error {
	return errors.Join(release(l.f), l.f.Close())
}

// WriteNote writes the note of an open file whose lock the caller has.
func WriteNote(f *os.File, note string) error {
	if err := f.Truncate(0); err != nil || note == "" {
		return err
	}
	_, err := f.WriteAt([]byte(note+"\n"), 0)
	return err
}
