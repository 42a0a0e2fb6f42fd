package jetstream

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// serving tells which sessions are served by a process of this machine: it holds a file of the
// session's, shared, for as long. Between two hosts of the journal nobody hears what is said to
// a session, and how long that lasts is the machine's to say; the file tells it from a session
// that no process serves. The zero value knows of none.
type serving struct{ dir string }

func (v serving) path(session string) string { return filepath.Join(v.dir, session) }

// holdTries is how often a file is tried that somebody is just looking at.
const holdTries = 100

// hold says that this process serves the session, until release. Where it cannot be said, the
// session is served all the same.
func (v serving) hold(session string) (release func()) {
	if v.dir == "" || os.MkdirAll(v.dir, 0o700) != nil {
		return func() {}
	}
	for range holdTries {
		f, err := os.OpenFile(v.path(session), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			break
		}
		err = flockShared(f)
		if err == nil && v.named(session, f) {
			return func() { v.release(session, f) }
		}
		f.Close()
		if err != nil && !errors.Is(err, errBusy) {
			break
		}
		time.Sleep(retryWait)
	}
	return func() {}
}

// named says whether the file is still the session's, and not one that was removed meanwhile.
func (v serving) named(session string, f *os.File) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(v.path(session))
	return err == nil && os.SameFile(have, there)
}

// release removes the file, where nobody else holds it.
func (v serving) release(session string, f *os.File) {
	if flock(f) == nil {
		_ = os.Remove(v.path(session)) // one that stays is held by nobody
	}
	f.Close()
}

// held says whether a process serves the session.
func (v serving) held(session string) bool {
	if v.dir == "" {
		return false
	}
	f, err := os.Open(v.path(session))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock(f), errBusy)
}
