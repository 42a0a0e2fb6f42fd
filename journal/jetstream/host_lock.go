package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mulligan/internal/lockfile"
)

// errBusy is a journal that another process holds.
var errBusy = errors.New("another process holds the journal")

func hostLockPath(dir string) string { return filepath.Join(dir, "host.lock") }

// lockHost takes the lock that the host holds for as long as its server runs, or returns errBusy
// at once. The server itself takes no lock: two of them on one folder would both acknowledge, and
// lose each other's events.
func lockHost(dir string) (*lockfile.File, error) {
	if err := requireUnix(); err != nil {
		return nil, err
	}
	lock, err := lockfile.Lock(hostLockPath(dir))
	if _, busy := errors.AsType[*lockfile.BusyError](err); busy {
		return nil, errBusy
	}
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be written: %w", err)
	}
	return lock, nil
}

// unlockHost removes the holder from the lock file, so that clients look for it no more, and
// gives the lock up.
func unlockHost(lock *lockfile.File) error {
	return errors.Join(lock.Note(""), lock.Unlock())
}

// A holder is what a host has written into its lock file. The host may be gone since.
type holder struct {
	pid    int
	socket string
}

// note returns the holder as the note of its lock file.
func (h holder) note() string { return fmt.Sprintf("%d\n%s", h.pid, h.socket) }

// readHolder returns the zero holder if the lock file has none.
func readHolder(dir string) (holder, error) {
	text, err := os.ReadFile(hostLockPath(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return holder{}, err
	}
	pid, rest, _ := strings.Cut(string(text), "\n")
	socket, _, whole := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(pid)
	if err != nil || !whole {
		return holder{}, nil
	}
	return holder{pid: n, socket: socket}, nil
}

// LastHosted returns when the last host of the journal in a state folder let go of it. hosted is true while a
// process hosts it, or has been killed while it did. What a viewer has read after that time is still true
// as long as neither changes: nobody writes without a host.
func LastHosted(dir string) (left time.Time, hosted bool) {
	info, err := os.Stat(hostLockPath(dir))
	if err != nil {
		return time.Time{}, true // no process can tell
	}
	h, err := readHolder(dir)
	return info.ModTime(), err != nil || h.pid != 0
}
