package jetstream

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// errBusy is a lock that another process has.
var errBusy = errors.New("another process holds the journal")

// lockFile is held by the host for as long as its server runs. The server itself takes no
// lock: two of them on one folder would both acknowledge and lose each other's events.
type lockFile struct{ f *os.File }

func lockPath(dir string) string { return filepath.Join(dir, "host.lock") }

// takeLock takes the lock, or returns errBusy at once.
func takeLock(dir string) (*lockFile, error) {
	f, err := os.OpenFile(lockPath(dir), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be written: %w", err)
	}
	if err := flock(f); err != nil {
		f.Close()
		return nil, err
	}
	return &lockFile{f}, nil
}

// announce writes who holds the lock and where it listens, for those who find it taken.
func (l *lockFile) announce(h holder) error {
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err := l.f.WriteAt(fmt.Appendf(nil, "%d\n%s\n", h.pid, h.socket), 0)
	return err
}

// release gives the lock up. The file stays: removing it would let two processes lock two
// files of the same name.
func (l *lockFile) release() error {
	return errors.Join(l.f.Truncate(0), l.f.Close())
}

// holder is what a host wrote into its lock file. It may be gone since.
type holder struct {
	pid    int
	socket string
}

// readHolder gives the zero holder where nobody has announced anything.
func readHolder(dir string) (holder, error) {
	text, err := os.ReadFile(lockPath(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return holder{}, nil
	}
	if err != nil {
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
