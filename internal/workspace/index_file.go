package workspace

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mulligan/internal/regular"
)

// errOddIndex means that the index has something that only git reads: it has to be asked.
var errOddIndex = errors.New("the index has something that mulligan does not read itself")

// maxIndexFile is the size of the largest index that is read without git.
const maxIndexFile = 256 << 20

// An indexFile is git's index, as its file has it.
type indexFile struct {
	version uint32
	idSize  int // of the ids, in bytes
	lines   []indexLine
	// tree tells which folders of the index are trees that exist; nil: none.
	tree *cachedTree
	// extensions are the names of all others.
	extensions []string
}

// An indexLine is an entry of the index.
type indexLine struct {
	stat  [statSize]byte // as git keeps it: the times, device, inode, mode, owner, group, size
	id    string
	flags uint16
	path  string
}

const (
	statSize = 40 // bytes of an entry before its id
	// The bits of an entry's flags.
	flagAssume   = 0x8000
	flagExtended = 0x4000
	flagStage    = 0x3000
	flagLength   = 0x0fff
)

func (l indexLine) mode() uint32 { return binary.BigEndian.Uint32(l.stat[24:]) }

// readIndexFile reads an index with ids of the given size. One that does not exist is empty. The error is errOddIndex
// for all that only git reads: a split or sparse index, flags of files that git skips or has not added yet, a monitor's
// notes, extensions that are not known, and whatever is damaged.
func readIndexFile(path string, idSize int) (*indexFile, error) {
	data, err := regular.ReadFile(path, maxIndexFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &indexFile{version: 2, idSize: idSize}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errOddIndex, err)
	}
	return parseIndexFile(data, idSize)
}

// parseIndexFile is readIndexFile for the content of the file.
func parseIndexFile(data []byte, idSize int) (*indexFile, error) {
	const head = 12
	if len(data) < head+idSize || string(data[:4]) != "DIRC" {
		return nil, errOddIndex
	}
	body, sum := data[:len(data)-idSize], data[len(data)-idSize:]
	h := newObjectHash(hex.EncodeToString(sum))
	h.Write(body)
	x := &indexFile{version: binary.BigEndian.Uint32(data[4:]), idSize: idSize}
	if !bytes.Equal(h.Sum(nil), sum) || x.version < 2 || x.version > 4 {
		return nil, errOddIndex
	}
	rest, err := x.parseLines(body[head:], binary.BigEndian.Uint32(data[8:]))
	if err != nil {
		return nil, err
	}
	return x, x.parseExtensions(rest)
}

// parseLines parses the entries, and returns what follows them.
func (x *indexFile) parseLines(data []byte, count uint32) ([]byte, error) {
	fixed := statSize + x.idSize + 2
	if uint64(count)*uint64(fixed) > uint64(len(data)) {
		return nil, errOddIndex
	}
	x.lines = make([]indexLine, count)
	before := ""
	for i := range x.lines {
		if len(data) < fixed {
			return nil, errOddIndex
		}
		l := &x.lines[i]
		copy(l.stat[:], data)
		l.id = hex.EncodeToString(data[statSize : statSize+x.idSize])
		l.flags = binary.BigEndian.Uint16(data[fixed-2:])
		if l.flags&flagExtended != 0 {
			return nil, errOddIndex
		}
		var ok bool
		if l.path, data, ok = x.cutPath(data, fixed, before); !ok || !follows(x.lines[:i], *l) {
			return nil, errOddIndex
		}
		before = l.path
	}
	return data, nil
}

// follows reports whether an entry comes after those before it, as git orders them.
func follows(before []indexLine, l indexLine) bool {
	if len(before) == 0 {
		return true
	}
	last := before[len(before)-1]
	return last.path < l.path || last.path == l.path && last.flags&flagStage < l.flags&flagStage
}

// cutPath returns the path of the entry at the beginning of data, and what follows the entry. before is the path of the
// entry before it.
func (x *indexFile) cutPath(data []byte, fixed int, before string) (path string, rest []byte, ok bool) {
	name := data[fixed:]
	prefix := ""
	if x.version == 4 {
		strip, n := decodeOffset(name)
		if n == 0 || strip > uint64(len(before)) {
			return "", nil, false
		}
		name, prefix = name[n:], before[:len(before)-int(strip)]
	}
	end := bytes.IndexByte(name, 0)
	if end < 0 || end == 0 && prefix == "" {
		return "", nil, false
	}
	path = prefix + string(name[:end])
	if want := int(binary.BigEndian.Uint16(data[fixed-2:]) & flagLength); want != min(len(path), flagLength) {
		return "", nil, false
	}
	if x.version == 4 {
		return path, name[end+1:], true
	}
	size := padLine(fixed + len(path))
	if size > len(data) || len(bytes.Trim(data[fixed+len(path):size], "\x00")) > 0 {
		return "", nil, false
	}
	return path, data[size:], true
}

// padLine returns the size of an entry with its padding, which is at least one byte.
func padLine(size int) int { return (size + 8) &^ 7 }

// decodeOffset decodes a number as version 4 has it, and returns how many bytes it has; 0: it is none.
func decodeOffset(data []byte) (value uint64, n int) {
	for n < len(data) && n < 5 {
		c := data[n]
		if n > 0 {
			value++
		}
		value = value<<7 | uint64(c&0x7f)
		if n++; c&0x80 == 0 {
			return value, n
		}
	}
	return 0, 0
}

// readableExtensions are those that say nothing of the entries: undone merges, files that are not tracked, and where
// parts of the file begin.
const readableExtensions = " REUC UNTR EOIE IEOT "

// parseExtensions parses what follows the entries.
func (x *indexFile) parseExtensions(data []byte) error {
	for len(data) > 0 {
		if len(data) < 8 {
			return errOddIndex
		}
		name, size := string(data[:4]), uint64(binary.BigEndian.Uint32(data[4:]))
		if size > uint64(len(data)-8) {
			return errOddIndex
		}
		body := data[8 : 8+size]
		data = data[8+size:]
		switch {
		case name == "TREE" && x.tree == nil:
			tree, rest, ok := parseCachedTree(body, x.idSize, 0)
			if !ok || len(rest) > 0 {
				return errOddIndex
			}
			x.tree = tree
		case strings.Contains(readableExtensions, " "+name+" "):
			x.extensions = append(x.extensions, name)
		default:
			return errOddIndex
		}
	}
	return nil
}

// listEntries returns the entries by path, as parseIndex does.
func (x *indexFile) listEntries() map[string]indexEntry {
	files := make(map[string]indexEntry, len(x.lines))
	for _, l := range x.lines {
		files[l.path] = indexEntry{mode: l.mode(), id: l.id, assume: l.flags&flagAssume != 0}
	}
	return files
}
