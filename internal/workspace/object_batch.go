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

// heldBytes is how much of the objects of a batch is held in memory before they become a pack.
const heldBytes = 4 << 20

// An objectBatch collects the objects of a walk. A few are held until its end and stored as loose ones; more are stored in
// one pack, since loose objects take a block of the disk and several calls of the system each.
type objectBatch struct {
	mu   sync.Mutex
	open bool
	room int // how many objects may be held
	held []heldObject
	size int          // of what is held
	has  map[oid]bool // what is held
	pack *packWriter  // nil while all are held
	err  error        // why the pack could not be written
	// listed has the loose objects of each folder that was listed since the pack began, by the folder's number.
	listed [256]map[string]bool
}

// A heldObject is an object that is not stored yet.
type heldObject struct {
	id   oid
	kind string
	data []byte
}

// beginBatch has small objects collected until endBatch. None of them can be read before that.
func (s *objectStore) beginBatch() {
	s.packs.refresh()
	s.mu.Lock()
	room := max(eachFlushed-len(s.unflushed), 0)
	s.mu.Unlock()
	s.batch.mu.Lock()
	defer s.batch.mu.Unlock()
	s.batch.open, s.batch.room, s.batch.listed = true, room, [256]map[string]bool{}
	s.batch.forgetHeld()
}

// endBatch stores the objects that were collected. Those of a pack are on disk when it returns nil, loose ones after the
// next flush. After an error they are not stored, and lost tells so.
func (s *objectStore) endBatch() error {
	b := &s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	err := errors.Join(b.err, s.storeHeld(), s.finishPack())
	b.open, b.err = false, nil
	return err
}

// storeHeld stores what is held as loose objects. It must be called with the batch's mu held.
func (s *objectStore) storeHeld() error {
	var failed []error
	for _, o := range s.batch.held {
		if _, err := s.writeObject(o.kind, bytes.NewReader(o.data), int64(len(o.data))); err != nil {
			failed = append(failed, err)
		}
	}
	if failed != nil {
		s.lost.Add(1)
	}
	s.batch.forgetHeld()
	return errors.Join(failed...)
}

// forgetHeld empties what is held.
func (b *objectBatch) forgetHeld() { b.held, b.has, b.size = nil, make(map[oid]bool), 0 }

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

// isCollected reports whether the object is held, or in the pack that is being written.
func (b *objectBatch) isCollected(id oid) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.has[id] || b.pack != nil && b.pack.has[id]
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

// hold takes an object in, and reports whether it did: not if the batch holds enough already.
func (b *objectBatch) hold(id oid, kind string, data []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.pack != nil || b.err != nil:
		return false
	case b.has[id]:
		return true
	case len(b.held) >= b.room || b.size+len(data) > heldBytes:
		return false
	}
	b.held = append(b.held, heldObject{id, kind, bytes.Clone(data)})
	b.has[id] = true
	b.size += len(data)
	return true
}

// collectObject adds an object to the batch.
func (s *objectStore) collectObject(id oid, kind string, data []byte) error {
	b := &s.batch
	if b.hold(id, kind, data) {
		return nil
	}
	e := s.encoders.Get().(*packEncoder)
	defer s.encoders.Put(e)
	crc, err := e.encode(kind, data)
	if err != nil {
		return err
	}
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
	if err := s.packHeld(); err != nil {
		return err
	}
	return s.addToPack(id, e.out.Bytes(), crc)
}

// packHeld moves what is held to the pack. It must be called with the batch's mu held.
func (s *objectStore) packHeld() error {
	e := s.encoders.Get().(*packEncoder)
	defer s.encoders.Put(e)
	for _, o := range s.batch.held {
		crc, err := e.encode(o.kind, o.data)
		if err == nil {
			err = s.addToPack(o.id, e.out.Bytes(), crc)
		}
		if err != nil {
			return err
		}
	}
	s.batch.forgetHeld()
	return nil
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

// encode makes out the entry of an object in a pack, and returns the entry's checksum.
func (e *packEncoder) encode(kind string, data []byte) (crc uint32, err error) {
	e.out.Reset()
	err = encodePackEntry(&e.out, e.zip, kind, data)
	return checksumEntry(e.out.Bytes()), err
}
