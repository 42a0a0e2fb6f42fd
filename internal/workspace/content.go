package workspace

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// readAll reads the files on the list, several at once where there are many.
func (s *scan) readAll(ctx context.Context) error {
	found := make([]error, len(s.work))
	hands := 1
	if len(s.work) > 8 {
		hands = runtime.NumCPU()
	}
	next := make(chan int)
	var wg sync.WaitGroup
	ids := make([]oid, len(s.work))
	for range hands {
		wg.Go(func() {
			for i := range next {
				ids[i], found[i] = s.content(s.work[i])
			}
		})
	}
	for i := range s.work {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		// What was read is kept nowhere: the next walk reads it again.
		for _, w := range s.work {
			w.node.read = 0
		}
		return context.Cause(ctx)
	}
	for i, w := range s.work {
		if err := s.took(w, ids[i], found[i]); err != nil {
			return err
		}
	}
	return nil
}

// took records what reading a file gave.
func (s *scan) took(w work, id oid, err error) error {
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotFolder), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, errReplaced):
		w.in.stat, w.node.read, s.again = stat{}, 0, true
		return nil
	case errors.Is(err, fs.ErrPermission) && !w.node.tracked:
		s.note("%s cannot be read and is left out of snapshots: %v", w.path, err)
		w.node.kind = odd
		return nil
	default:
		return fmt.Errorf("cannot keep %s: %w", w.path, err)
	}
	if w.node.name == ignoreFile && id != w.node.id && s.known {
		s.rules.changed, s.again = true, true
	}
	w.node.id = id
	return nil
}

// errReplaced is a file that became something else between the look at it and the reading.
var errReplaced = errors.New("replaced while it was read")

// content stores what a file holds. Its time is taken before: a change that comes while it
// is read is then seen by the next walk.
func (s *scan) content(w work) (oid, error) {
	full := filepath.Join(s.dir, filepath.FromSlash(w.path))
	w.node.read = time.Now().UnixNano()
	if w.node.stat.isLink() {
		target, err := os.Readlink(full)
		if errors.Is(err, syscall.EINVAL) {
			return oid{}, errReplaced
		}
		if err != nil {
			return oid{}, err
		}
		return s.store.put("blob", []byte(filepath.ToSlash(target)))
	}
	f, err := os.OpenFile(full, openFlags, 0)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) {
		return oid{}, errReplaced
	}
	if err != nil {
		return oid{}, err
	}
	defer f.Close()
	st, err := fstat(f)
	if err != nil {
		return oid{}, err
	}
	if !st.isRegular() {
		return oid{}, errReplaced
	}
	w.node.stat = st
	return s.keepFile(f, st.size, w.node.kind == ignored)
}

// keepFile stores the first size bytes of a file; of one that git ignores only the id is taken.
func (s *scan) keepFile(f *os.File, size int64, idOnly bool) (oid, error) {
	if size > inMemory && !idOnly {
		return s.store.putStream(f, size)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return oid{}, err
	}
	if idOnly {
		return objectID("blob", data), nil
	}
	return s.store.put("blob", data)
}

// objectID is the id that git gives to content.
func objectID(kind string, data []byte) oid {
	h := sha1.New()
	h.Write(header(kind, int64(len(data))))
	h.Write(data)
	return oid(h.Sum(nil))
}
