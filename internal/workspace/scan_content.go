package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// A reading is the result of reading one file.
type reading struct {
	id   oid
	stat stat
	at   int64 // when it began: the next walk sees every later change
	err  error
}

// readQueued reads and stores the files of the queue, several at once if there are many.
func (s *scan) readQueued(ctx context.Context) error {
	workers := 1
	if len(s.readQueue) > 8 {
		workers = runtime.NumCPU()
	}
	next := make(chan int)
	found := make([]reading, len(s.readQueue))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				found[i] = s.readContent(s.readQueue[i])
			}
		})
	}
	for i := range s.readQueue {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, w := range s.readQueue {
		if err := s.recordReading(w, found[i]); err != nil {
			return err
		}
	}
	return nil
}

// recordReading updates a node by the result of reading its file.
func (s *scan) recordReading(w readTask, r reading) error {
	switch {
	case r.err == nil:
	case isDisturbance(r.err):
		w.in.stat, s.disturbed = stat{}, true
		return nil
	case errors.Is(r.err, fs.ErrPermission) && !w.node.tracked:
		s.logOnce("%s cannot be read and is left out of snapshots: %v", w.path, r.err)
		w.node.kind, w.node.stat = odd, w.stat
		return nil
	case errors.Is(r.err, fs.ErrPermission) && s.openForOwner(w.path, 0o400):
		s.disturbed = true
		return nil
	case errors.Is(r.err, fs.ErrPermission):
		return &UnreadableError{Path: w.path, Err: r.err}
	default:
		return fmt.Errorf("cannot keep %s: %w", w.path, r.err)
	}
	if w.node.name == ignoreFile && r.id != w.node.id && s.known {
		s.rules.changed, s.disturbed = true, true
	}
	w.node.id, w.node.stat, w.node.read = r.id, r.stat, r.at
	return nil
}

// openForOwner gives a tracked file or folder permissions that its owner took away, and reports whether it could. No
// commit can lack them, so that nobody's work is changed by it.
func (s *scan) openForOwner(path string, need fs.FileMode) bool {
	full := filepath.Join(s.dir, filepath.FromSlash(path))
	st, err := os.Lstat(full)
	if err != nil || st.Mode()&fs.ModeSymlink != 0 || st.Mode()&need == need || os.Chmod(full, st.Mode().Perm()|need) != nil {
		return false
	}
	s.logOnce("%s, which git tracks, could not be read (mode %03o), and is made readable", path, st.Mode().Perm())
	return true
}

// isDisturbance reports whether an error means that the tree changes while it is walked.
func isDisturbance(err error) bool {
	return isGone(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, errReplaced)
}

// isGone reports whether an error means that a file, or a folder above it, does not exist.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotFolder)
}

// errReplaced means that a file was replaced between its stat and its reading.
var errReplaced = errors.New("replaced while it was read")

// readContent stores the content of a file or the target of a link.
func (s *scan) readContent(w readTask) reading {
	r := reading{at: time.Now().UnixNano(), stat: w.stat}
	full := cmp.Or(w.full, filepath.Join(s.dir, filepath.FromSlash(w.path)))
	if w.node.kind == link {
		r.id, r.err = s.storeLink(full)
		return r
	}
	f, err := os.OpenFile(full, openFlags, 0)
	if err != nil {
		r.err = asReplaced(err, syscall.ELOOP, syscall.ENXIO)
		return r
	}
	defer f.Close()
	if r.stat, r.err = fstat(f); r.err != nil {
		return r
	}
	if !r.stat.isRegular() {
		r.err = errReplaced
		return r
	}
	r.id, r.err = s.storeFile(f, r.stat.size, w.node.kind == ignored)
	return r
}

// storeLink stores the target of a link.
func (s *scan) storeLink(full string) (oid, error) {
	target, err := os.Readlink(full)
	if err != nil {
		return oid{}, asReplaced(err, syscall.EINVAL)
	}
	return s.store.putObject("blob", []byte(filepath.ToSlash(target)))
}

// asReplaced returns errReplaced if err is one of those that a file of another kind causes, else err.
func asReplaced(err error, signs ...syscall.Errno) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok && slices.Contains(signs, errno) {
		return errReplaced
	}
	return err
}

// storeFile stores the first size bytes of a file and returns their id. With idOnly it stores nothing.
func (s *scan) storeFile(f *os.File, size int64, idOnly bool) (oid, error) {
	if size > inMemory && !idOnly {
		return s.store.writeObject("blob", f, size)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return oid{}, err
	}
	if idOnly {
		return objectID("blob", data), nil
	}
	return s.store.putObject("blob", data)
}
