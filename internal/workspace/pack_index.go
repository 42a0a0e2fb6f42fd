package workspace

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"

	"mulligan/internal/regular"
)

const (
	packSuffix  = ".pack"
	indexSuffix = ".idx"
	// indexMagic is how an index of version 2 begins.
	indexMagic = "\xfftOc\x00\x00\x00\x02"
	fanoutSize = 256 * 4
	// indexTail is the size of the two checksums at an index's end: the pack's and its own.
	indexTail = 2 * sha1.Size
)

// encodePackIndex returns the index, version 2, of a pack with that checksum. It sorts the entries.
func encodePackIndex(entries []packEntry, pack oid) []byte {
	slices.SortFunc(entries, func(a, b packEntry) int { return bytes.Compare(a.id[:], b.id[:]) })
	var b bytes.Buffer
	b.Grow(len(indexMagic) + fanoutSize + len(entries)*(len(oid{})+8) + indexTail)
	b.WriteString(indexMagic)
	at := 0
	for first := range 256 {
		for at < len(entries) && int(entries[at].id[0]) <= first {
			at++
		}
		b.Write(binary.BigEndian.AppendUint32(b.AvailableBuffer(), uint32(at)))
	}
	for _, e := range entries {
		b.Write(e.id[:])
	}
	for _, e := range entries {
		b.Write(binary.BigEndian.AppendUint32(b.AvailableBuffer(), e.crc))
	}
	for _, e := range entries {
		b.Write(binary.BigEndian.AppendUint32(b.AvailableBuffer(), e.offset))
	}
	b.Write(pack[:])
	sum := sha1.Sum(b.Bytes())
	b.Write(sum[:])
	return b.Bytes()
}

// A packIndex has the ids of a pack's objects.
type packIndex struct {
	path   string // of the pack
	fanout [256]uint32
	ids    []byte // sorted
}

// errUnknownIndex means that an index is damaged, or not of the form that mulligan writes.
var errUnknownIndex = errors.New("the index of a pack cannot be read")

// readPackIndex reads the index at path, and sees that its pack is whole as far as its end tells.
func readPackIndex(path string) (*packIndex, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(indexMagic)+fanoutSize)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(indexMagic)]) != indexMagic {
		return nil, fmt.Errorf("%w: %s", errUnknownIndex, path)
	}
	x := &packIndex{path: strings.TrimSuffix(path, indexSuffix) + packSuffix}
	for i := range x.fanout {
		x.fanout[i] = binary.BigEndian.Uint32(head[len(indexMagic)+4*i:])
		if i > 0 && x.fanout[i] < x.fanout[i-1] {
			return nil, fmt.Errorf("%w: %s", errUnknownIndex, path)
		}
	}
	count := int64(x.fanout[255])
	if rest := info.Size() - int64(len(head)) - indexTail; rest < count*int64(len(oid{})+8) {
		return nil, fmt.Errorf("%w: %s", errUnknownIndex, path)
	}
	x.ids = make([]byte, count*int64(len(oid{})))
	if _, err := io.ReadFull(f, x.ids); err != nil {
		return nil, err
	}
	return x, x.checkPack(f, info.Size())
}

// checkPack returns an error unless the pack ends in the checksum that its index has of it.
func (x *packIndex) checkPack(index *os.File, size int64) error {
	pack, st, err := regular.Open(x.path)
	if err != nil {
		return err
	}
	defer pack.Close()
	var want, got oid
	_, err = index.ReadAt(want[:], size-indexTail)
	if err == nil {
		_, err = pack.ReadAt(got[:], max(st.Size()-int64(len(got)), 0))
	}
	if err == nil && want != got {
		err = fmt.Errorf("%w: %s is not the pack that it is of", errUnknownIndex, x.path)
	}
	return err
}

// count returns how many objects the pack has.
func (x *packIndex) count() int { return len(x.ids) / len(oid{}) }

// at returns the id of the i-th object.
func (x *packIndex) at(i int) oid { return oid(x.ids[i*len(oid{}) : (i+1)*len(oid{})]) }

// indexPath returns the path of the index itself.
func (x *packIndex) indexPath() string { return strings.TrimSuffix(x.path, packSuffix) + indexSuffix }

// hasID reports whether the pack has the object.
func (x *packIndex) hasID(id oid) bool {
	_, found := x.find(id)
	return found
}

// find returns which of the pack's objects has the id, and whether one has.
func (x *packIndex) find(id oid) (i int, found bool) {
	low, high := 0, int(x.fanout[id[0]])
	if id[0] > 0 {
		low = int(x.fanout[id[0]-1])
	}
	i, found = sort.Find(high-low, func(i int) int {
		other := x.at(low + i)
		return bytes.Compare(id[:], other[:])
	})
	return low + i, found
}
