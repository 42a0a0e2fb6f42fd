package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A LockFile is a lock on a file, held by this process and by whoever inherits the file. It
// ends with Unlock, or when the last of them has ended.
type LockFile struct {
	f      *os.File
	before string
}

// BusyError is a lock that another holds.
type BusyError struct {
	Path   string
	Holder string // what the holder has noted about itself
}

func (e *BusyError) Error() string {
	if e.Holder == "" {
		return fmt.Sprintf("%s is locked by another process", e.Path)
	}
	return fmt.Sprintf("%s is locked by %s", e.Path, e.Holder)
}

// errLocked is what takeLock and shareLock say when another holds the lock.
var errLocked = errors.New("locked")

// holderSize bounds what is read of a holder's note.
const holderSize = 4096

// Lock takes the lock at path, or gives a *BusyError at once.
func Lock(path string) (*LockFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = take(f)
	holder := readNote(f)
	if err == nil {
		// The last holder's note is not ours.
		if err = f.Truncate(0); err == nil {
			return &LockFile{f: f, before: holder}, nil
		}
	}
	if errors.Is(err, errLocked) {
		err = &BusyError{Path: path, Holder: holder}
	}
	return nil, errors.Join(err, f.Close())
}

// lookPatience is how long those who only look at a lock may take for it.
const lookPatience = 2 * time.Second

// take takes the lock of an open file. Whoever looks whether it is taken shares it for a moment,
// which keeps nobody out.
func take(f *os.File) error {
	for end := time.Now().Add(lookPatience); ; time.Sleep(time.Millisecond) {
		err := takeLock(f)
		if !errors.Is(err, errLocked) || taken(f) || time.Now().After(end) {
			return err
		}
	}
}

// taken says whether somebody has the lock of an open file, and does not only look at it.
func taken(f *os.File) bool {
	err := shareLock(f)
	if err == nil {
		err = releaseLock(f)
	}
	return errors.Is(err, errLocked)
}

// Holder says whether the lock at path is held, and what the last who took it has noted, who may be
// gone. Looking keeps nobody from taking the lock.
func Holder(path string) (note string, held bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	held = taken(f)
	return readNote(f), held
}

func readNote(f *os.File) string {
	note, _ := io.ReadAll(io.LimitReader(f, holderSize)) // without it we only know less
	return strings.TrimSpace(string(note))
}

// How long LockWait sleeps between its looks.
const (
	firstLook = 5 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// LockWait takes the lock at path as soon as it is free. When ctx ends before that, the
// error tells both why and who held it.
func LockWait(ctx context.Context, path string) (*LockFile, error) {
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
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

// File is the open file, for children to inherit: while one of them has it, the lock is held.
func (l *LockFile) File() *os.File { return l.f }

// Before is what the last holder noted; "" where there was none, or it was killed while it wrote.
func (l *LockFile) Before() string { return l.before }

// Note writes who holds the lock, for those who find it taken.
func (l *LockFile) Note(holder string) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteAt([]byte(holder+"\n"), 0)
	return err
}

// Unlock ends the lock, also for those who have inherited the file.
func (l *LockFile) Unlock() error {
	return errors.Join(releaseLock(l.f), l.f.Close())
}
