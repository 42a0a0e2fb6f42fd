package workspace

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// packFolder is the folder of the packs in a repository.
const packFolder = "objects/pack"

// An objectBatch collects the objects of a walk: the first few are stored as loose ones, all others in one pack.
// Thousands of loose objects take a block of the disk and several calls of the system each.
type objectBatch struct {
	mu    sync.Mutex
	open  bool
	loose int         // how many more are stored as loose ones
	pack  *packWriter // nil until there is one more
	err   error       // why the pack could not be written
	// listed has the loose objects of each folder that was listed since the pack began, by the folder's number.
	listed [256]map[string]bool
}

// beginBatch has small objects collected until endBatch. Only the objects that are stored meanwhile as loose ones can be
// read before that.
func (s *objectStore) beginBatch() {
	s.packs.refresh()
	s.mu.Lock()
	room := max(eachFlushed-len(s.unflushed), 0)
	s.mu.Unlock()
	s.batch.mu.Lock()
	defer s.batch.mu.Unlock()
	s.batch.open, s.batch.loose, s.batch.listed = true, room, [256]map[string]bool{}
}

// endBatch stores the pack of the objects that were collected, if there is one. They are on disk when it returns nil.
// After an error they are not stored, and lost tells so.
func (s *objectStore) endBatch() error {
	b := &s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	err := errors.Join(b.err, s.finishPack())
	b.open, b.err = false, nil
	return err
}

// finishPack stores the pack of the batch, if there is one. It must be called with the batch's mu held.
func (s *objectStore) finishPack() error {
	p := s.batch.pack
	if p == nil {
		return nil
	}
	s.before("pack")
	err := p.finish()
	s.batch.pack = nil
	if err != nil {
		s.lost.Add(1)
	}
	s.before("pack, which is stored")
	return err
}

// isCollected reports whether the object is in the pack that is being written.
func (b *objectBatch) isCollected(id oid) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pack != nil && b.pack.has[id]
}

func (b *objectBatch) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}

// mayBeLoose reports whether there may be a loose object of that id. While a pack is written it lists each folder of loose
// objects once, which costs less than a look for every object.
func (s *objectStore) mayBeLoose(id oid) bool {
	b := &s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pack == nil {
		return true
	}
	folder, name := filepath.Split(s.objectPath(id))
	if b.listed[id[0]] == nil {
		b.listed[id[0]] = make(map[string]bool)
		names, _ := os.ReadDir(folder) // what is not seen is stored again
		for _, n := range names {
			b.listed[id[0]][n.Name()] = true
		}
	}
	return b.listed[id[0]][name]
}

// takesNext reports whether the next object goes to the pack.
func (b *objectBatch) takesNext() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open && b.loose > 0 {
		b.loose--
		return false
	}
	return b.open
}

// collectObject adds an object to the pack of the batch.
func (s *objectStore) collectObject(id oid, kind string, data []byte) error {
	e := s.encoders.Get().(*packEncoder)
	defer s.encoders.Put(e)
	e.out.Reset()
	if err := encodePackEntry(&e.out, e.zip, kind, data); err != nil {
		return err
	}
	crc := checksumEntry(e.out.Bytes())
	b := &s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.err != nil:
		return b.err
	case b.pack != nil && b.pack.has[id]:
		return nil
	case b.pack != nil && b.pack.size > maxPackSize:
		if b.err = s.finishPack(); b.err != nil {
			return b.err
		}
		s.packs.refresh()
	}
	return s.addToPack(id, e.out.Bytes(), crc)
}

// addToPack adds an encoded object to the pack, and begins one if there is none. It must be called with the batch's mu
// held.
func (s *objectStore) addToPack(id oid, encoded []byte, crc uint32) error {
	b := &s.batch
	if b.pack == nil {
		if b.pack, b.err = newPackWriter(s.packs.dir); b.err != nil {
			return b.err
		}
	}
	if err := b.pack.add(id, encoded, crc); err != nil {
		b.err = errors.Join(err, b.pack.abandon())
		b.pack = nil
		s.lost.Add(1)
	}
	return b.err
}

// A packEncoder has what encodes one object at a time.
type packEncoder struct {
	out bytes.Buffer
	zip *zlib.Writer
}

func newPackEncoder() any {
	z, _ := zlib.NewWriterLevel(io.Discard, packLevel) // fails for an unknown level only
	return &packEncoder{zip: z}
}
