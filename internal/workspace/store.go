package workspace

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mulligan/internal/durable"
)

// An oid is the id of an object in the snapshot repository, which is always SHA-1.
type oid [sha1.Size]byte

func (o oid) String() string { return hex.EncodeToString(o[:]) }

func parseOID(s string) (o oid, err error) {
	raw, err := hex.DecodeString(s)
	if err == nil && len(raw) != len(o) {
		err = fmt.Errorf("%q is not the id of a snapshot", s)
	}
	copy(o[:], raw)
	return o, err
}

// An objectStore writes objects into the snapshot repository as git does, so that a snapshot starts no process: loose
// ones, and a pack for the many of a large walk. They are read by git. It is safe for concurrent use.
type objectStore struct {
	dir      string
	zips     pool
	encoders pool
	packs    knownPacks
	batch    objectBatch
	before   func(string)  // is called at the points around the storing of a pack
	lost     atomic.Uint64 // how often objects that counted as stored could not be written to disk

	mu         sync.Mutex
	unflushed  []unflushedObject // since the last flush
	overflowed []string          // the paths of more, which are closed already
}

// A pool keeps what is costly to make for its next use, as a *sync.Pool does. It is safe for concurrent use.
type pool interface {
	Get() any
	Put(used any)
}

const (
	// eachFlushed is how many objects are flushed one by one; for more the whole file system is.
	eachFlushed = 64
	// inMemory is the size up to which a file is read into memory, and written only if it is new.
	inMemory = 1 << 20
)

// snapshotConfig is the whole config of the snapshot repository: git stores files unchanged and never
// collects garbage by itself.
const snapshotConfig = `[core]
	repositoryformatversion = 0
	bare = true
	autocrlf = false
	logAllRefUpdates = false
[gc]
	auto = 0
`

func newZip() any {
	z, _ := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed) // fails for an unknown level only
	return z
}

// openObjectStore opens the snapshot repository in dir, and creates it if there is none.
func openObjectStore(dir string) (*objectStore, error) {
	s := &objectStore{dir: dir, before: func(string) {}}
	s.packs.dir = filepath.Join(dir, filepath.FromSlash(packFolder))
	s.encoders, s.zips = &sync.Pool{New: newPackEncoder}, &sync.Pool{New: newZip}
	if hasHead(dir) {
		return s, nil
	}
	for _, sub := range []string{"objects/info", packFolder, "refs/heads", snapshotRefs} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, err
		}
	}
	// HEAD comes last: a repository that has it is whole.
	if err := durable.ReplaceFile(filepath.Join(dir, "config"), []byte(snapshotConfig)); err != nil {
		return nil, err
	}
	return s, durable.ReplaceFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/none\n"))
}

// putObject stores an object, unless the repository has it, and returns its id.
func (s *objectStore) putObject(kind string, data []byte) (oid, error) {
	return s.putNamed(objectID(kind, data), kind, data)
}

// putNamed is putObject for an object whose id is known.
func (s *objectStore) putNamed(id oid, kind string, data []byte) (oid, error) {
	if s.hasObject(id) {
		return id, nil
	}
	if s.batch.isOpen() {
		return id, s.collectObject(id, kind, data)
	}
	return s.writeObject(kind, bytes.NewReader(data), int64(len(data)))
}

// objectID returns the id that git gives to an object.
func objectID(kind string, data []byte) oid {
	h := sha1.New()
	h.Write(objectHeader(kind, int64(len(data))))
	h.Write(data)
	return oid(h.Sum(nil))
}

// objectHeader returns the bytes that git puts before an object's content.
func objectHeader(kind string, size int64) []byte {
	return append(strconv.AppendInt([]byte(kind+" "), size, 10), 0)
}

// writeObject stores an object of the first size bytes of r, which it does not hold in memory, and returns
// its id. The error is io.EOF if there are fewer. The object is on disk after the next flush.
func (s *objectStore) writeObject(kind string, r io.Reader, size int64) (id oid, err error) {
	f, err := os.CreateTemp(filepath.Join(s.dir, "objects"), "tmp_obj_")
	if err != nil {
		return id, err
	}
	defer func() {
		if err != nil {
			f.Close()
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if id, err = s.compress(f, kind, r, size); err != nil {
		return id, err
	}
	w := unflushedObject{file: f, path: s.objectPath(id)}
	if runtime.GOOS == "windows" { // which renames no file that is open
		if err := w.flush(); err != nil {
			return id, err
		}
		return id, moveIntoPlace(f.Name(), w.path)
	}
	if err := moveIntoPlace(f.Name(), w.path); err != nil {
		return id, err
	}
	return id, s.deferFlush(w)
}

// moveIntoPlace renames a file. It creates the folder only after a failure, since most often it exists.
func moveIntoPlace(from, to string) error {
	err := os.Rename(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(to), 0o700); err == nil {
			err = os.Rename(from, to)
		}
	}
	return err
}

// compress writes an object to the file, compressed, makes the file read-only, and returns the object's id.
func (s *objectStore) compress(f *os.File, kind string, r io.Reader, size int64) (id oid, err error) {
	z := s.zips.Get().(*zlib.Writer)
	defer s.zips.Put(z)
	z.Reset(f)
	h := sha1.New()
	head := objectHeader(kind, size)
	whole := io.MultiReader(bytes.NewReader(head), r)
	if _, err := io.CopyN(io.MultiWriter(z, h), whole, int64(len(head))+size); err != nil {
		return id, err
	}
	if err := z.Close(); err != nil {
		return id, err
	}
	return oid(h.Sum(nil)), f.Chmod(0o444)
}

// An unflushedObject is an object that may not be on disk yet.
type unflushedObject struct {
	file *os.File
	path string
}

// flush writes the object to disk. If that fails it removes the object, so that hasObject does not find it.
func (w unflushedObject) flush() error {
	err := errors.Join(w.file.Sync(), w.file.Close())
	if err != nil {
		os.Remove(w.path)
	}
	return err
}

// deferFlush leaves the writing to disk of an object to the next flush.
func (s *objectStore) deferFlush(w unflushedObject) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unflushed) < eachFlushed {
		s.unflushed = append(s.unflushed, w)
		return nil
	}
	s.overflowed = append(s.overflowed, w.path)
	return w.file.Close()
}

// flush is flushBeside with nothing more to flush.
func (s *objectStore) flush() error { return s.flushBeside(nil) }

// flushBeside writes the loose objects to disk, and calls more, all in parallel: that costs little more than one of them,
// since the file system's journal commits all that wait for it at once. After an error those that were not written are
// gone, and lost tells so.
func (s *objectStore) flushBeside(more func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all sync.WaitGroup
	var besides error
	if more != nil {
		all.Go(func() { besides = more() })
	}
	failed := make([]error, len(s.unflushed)+1)
	if len(s.overflowed) > 0 {
		failed[len(s.unflushed)] = s.flushOverflowed()
	}
	for i, w := range s.unflushed {
		all.Go(func() { failed[i] = w.flush() })
	}
	all.Wait()
	s.unflushed, s.overflowed = s.unflushed[:0], nil
	err := errors.Join(failed...)
	if err != nil {
		s.lost.Add(1)
	}
	return errors.Join(err, besides)
}

// flushOverflowed writes the objects that are closed already to disk. If that fails it removes them all, since it
// cannot tell which were written.
func (s *objectStore) flushOverflowed() error {
	err := syncFileSystem(s.dir)
	if err != nil {
		for _, path := range s.overflowed {
			os.Remove(path)
		}
	}
	return err
}

func (s *objectStore) objectPath(id oid) string {
	name := id.String()
	return filepath.Join(s.dir, "objects", name[:2], name[2:])
}

// freshenAfter is the age from which an object that is used again is made young. It is below the age from which objects
// that no label reaches are freed, so that none goes between its use and the label of the snapshot that has it.
const freshenAfter = 12 * time.Hour

// hasObject reports whether the repository has the object, or will have it when the batch ends. It keeps the object from
// being freed meanwhile.
func (s *objectStore) hasObject(id oid) bool {
	if !s.batch.isOpen() {
		s.packs.refresh()
	}
	return s.batch.isCollected(id) || s.packs.hasID(id) || s.mayBeLoose(id) && s.hasLoose(id)
}

// hasLoose is hasObject for loose objects. A power cut can leave an empty file, which does not count.
func (s *objectStore) hasLoose(id oid) bool {
	file := s.objectPath(id)
	st, err := os.Lstat(file)
	if err != nil || st.Size() == 0 {
		return false
	}
	if now := time.Now(); now.Sub(st.ModTime()) > freshenAfter {
		return os.Chtimes(file, now, now) == nil // one that cannot be is written again
	}
	return true
}
