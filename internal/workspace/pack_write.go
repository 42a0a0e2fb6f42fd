package workspace

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zlib"

	"mulligan/internal/durable"
)

const (
	// packLevel is how hard objects of a pack are compressed: fast, since a first snapshot compresses the whole checkout.
	packLevel = 2
	// maxPackSize is the size from which a pack takes no more objects, so that no offset in it needs more than 31 bits.
	maxPackSize = 1 << 30
	// packHeader is the size of a pack's header; the count of objects is at packCountAt in it.
	packHeader, packCountAt = 12, 8
)

// packKinds has the numbers of the kinds of objects in packs.
var packKinds = map[string]byte{"commit": 1, "tree": 2, "blob": 3}

// A packEntry is where a pack has an object.
type packEntry struct {
	id     oid
	crc    uint32 // of the entry's bytes
	offset uint32
}

// A packWriter writes a pack of whole objects, without deltas. The pack and its index have temporary names, which git
// knows as such, until finish. It is not safe for concurrent use.
type packWriter struct {
	dir     string // of the packs
	file    *os.File
	out     *bufio.Writer
	size    int64
	entries []packEntry
	has     map[oid]bool
}

// newPackWriter begins a pack in a folder.
func newPackWriter(dir string) (*packWriter, error) {
	f, err := os.CreateTemp(dir, "tmp_pack_")
	if err != nil {
		return nil, err
	}
	p := &packWriter{dir: dir, file: f, out: bufio.NewWriterSize(f, 1<<18), has: make(map[oid]bool)}
	head := []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x00") // finish sets the count
	p.size = int64(len(head))
	if _, err := p.out.Write(head); err != nil {
		return nil, errors.Join(err, p.abandon())
	}
	return p, nil
}

// encodePackEntry appends an object to dst as packs have it.
func encodePackEntry(dst *bytes.Buffer, z *zlib.Writer, kind string, data []byte) error {
	number, ok := packKinds[kind]
	if !ok {
		return fmt.Errorf("%q is no kind of object that mulligan packs", kind)
	}
	size := uint64(len(data))
	b := number<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		dst.WriteByte(b | 0x80)
		b = byte(size & 0x7f)
	}
	dst.WriteByte(b)
	z.Reset(dst)
	if _, err := z.Write(data); err != nil {
		return err
	}
	return z.Close()
}

// add adds an encoded object. After an error the pack must be abandoned.
func (p *packWriter) add(id oid, encoded []byte, crc uint32) error {
	if _, err := p.out.Write(encoded); err != nil {
		return err
	}
	p.entries = append(p.entries, packEntry{id: id, crc: crc, offset: uint32(p.size)})
	p.has[id] = true
	p.size += int64(len(encoded))
	return nil
}

// finish stores the pack and then its index: both are on disk, names included, when it returns nil. After an error
// neither counts.
func (p *packWriter) finish() error {
	sum, err := p.complete()
	if err != nil {
		return errors.Join(err, p.abandon())
	}
	if err := p.file.Close(); err != nil {
		return errors.Join(err, os.Remove(p.file.Name()))
	}
	index, err := p.writeIndex(sum)
	if err != nil {
		return errors.Join(err, os.Remove(p.file.Name()))
	}
	name := filepath.Join(p.dir, "pack-"+sum.String())
	if err := os.Rename(p.file.Name(), name+packSuffix); err != nil {
		return errors.Join(err, os.Remove(p.file.Name()), os.Remove(index))
	}
	if err := os.Rename(index, name+indexSuffix); err != nil { // without an index the pack is nothing to git
		return errors.Join(err, os.Remove(index), os.Remove(name+packSuffix))
	}
	if err := durable.SyncDir(p.dir); err != nil {
		return errors.Join(err, os.Remove(name+indexSuffix), os.Remove(name+packSuffix))
	}
	return nil
}

// complete writes the count and the checksum of the pack, and the pack to disk, and returns the checksum.
func (p *packWriter) complete() (sum oid, err error) {
	if err := p.out.Flush(); err != nil {
		return sum, err
	}
	count := binary.BigEndian.AppendUint32(nil, uint32(len(p.entries)))
	if _, err := p.file.WriteAt(count, packCountAt); err != nil {
		return sum, err
	}
	h := sha1.New() // the count comes before the objects, so that they are read again
	if _, err := io.Copy(h, io.NewSectionReader(p.file, 0, p.size)); err != nil {
		return sum, err
	}
	sum = oid(h.Sum(nil))
	if _, err := p.file.WriteAt(sum[:], p.size); err != nil {
		return sum, err
	}
	return sum, errors.Join(p.file.Chmod(0o444), p.file.Sync())
}

// writeIndex writes the pack's index to disk under a temporary name, which it returns.
func (p *packWriter) writeIndex(pack oid) (string, error) {
	f, err := os.CreateTemp(p.dir, "tmp_idx_")
	if err != nil {
		return "", err
	}
	_, err = f.Write(encodePackIndex(p.entries, pack))
	if err = errors.Join(err, f.Chmod(0o444), f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// abandon removes a pack that is not finished.
func (p *packWriter) abandon() error {
	return errors.Join(p.file.Close(), os.Remove(p.file.Name()))
}

// checksumEntry returns the checksum that a pack's index has of an entry.
func checksumEntry(encoded []byte) uint32 { return crc32.ChecksumIEEE(encoded) }
