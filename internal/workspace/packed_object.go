package workspace

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"

	"mulligan/internal/regular"
)

// readPacked returns an object that a pack of the snapshot repository has whole, and whether there is one whose content is
// what the id is the hash of. For all else git has to be asked, as after readLoose.
func (k *knownPacks) readPacked(id string) (kind string, body []byte, ok bool) {
	o, err := parseOID(id)
	if err != nil {
		return "", nil, false
	}
	for range 2 {
		for _, p := range k.list() {
			if kind, body, ok := p.readObject(o); ok {
				return kind, body, true
			}
		}
		k.refresh() // the pack of the last walk may be new
	}
	return "", nil, false
}

// list returns the packs as they are known.
func (k *knownPacks) list() []*packIndex {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.packs
}

// readObject returns an object of the pack, if the pack has it whole and it is not large.
func (x *packIndex) readObject(id oid) (kind string, body []byte, ok bool) {
	i, found := x.find(id)
	if !found {
		return "", nil, false
	}
	offset, ok := x.readOffset(i)
	if !ok {
		return "", nil, false
	}
	f, info, err := regular.Open(x.path)
	if err != nil {
		return "", nil, false
	}
	defer f.Close()
	kind, body, err = decodePackEntry(bufio.NewReader(io.NewSectionReader(f, offset, info.Size()-offset)))
	return kind, body, err == nil && objectID(kind, body) == id
}

// readOffset returns where the pack has its i-th object.
func (x *packIndex) readOffset(i int) (int64, bool) {
	f, _, err := regular.Open(x.indexPath())
	if err != nil {
		return 0, false
	}
	defer f.Close()
	const checksum = 4 // of an entry
	var at [4]byte
	_, err = f.ReadAt(at[:], int64(len(indexMagic)+fanoutSize+len(x.ids)+x.count()*checksum+i*len(at)))
	offset := binary.BigEndian.Uint32(at[:])
	return int64(offset), err == nil && offset>>31 == 0
}

// errUnknownEntry means that an entry of a pack is damaged, large, or the difference to another object.
var errUnknownEntry = errors.New("the entry of a pack cannot be read")

// decodePackEntry reads an object as encodePackEntry writes it.
func decodePackEntry(r *bufio.Reader) (kind string, body []byte, err error) {
	b, err := r.ReadByte()
	number, size := b>>4&7, uint64(b&15)
	for shift := 4; err == nil && b&0x80 != 0 && shift < 32; shift += 7 {
		b, err = r.ReadByte()
		size |= uint64(b&0x7f) << shift
	}
	if err != nil {
		return "", nil, err
	}
	for name, of := range packKinds {
		if of == number {
			kind = name
		}
	}
	if kind == "" || b&0x80 != 0 || size > maxLooseBody {
		return "", nil, errUnknownEntry
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return "", nil, err
	}
	body = make([]byte, size)
	if _, err = io.ReadFull(z, body); err != nil {
		return "", nil, err
	}
	if n, _ := z.Read(make([]byte, 1)); n > 0 {
		return "", nil, errUnknownEntry
	}
	return kind, body, nil
}
