package workspace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"
)

// An indexBuilder makes the entries of a tree, with what the old entries tell of their files.
type indexBuilder struct {
	read  func(ctx context.Context, tree string) ([]entry, error)
	old   []indexLine
	lines []indexLine
}

// addFolder adds the entries of a folder. Those of a tree that the old index knows are taken over.
func (b *indexBuilder) addFolder(ctx context.Context, prefix, tree string, cached *cachedTree) (*cachedTree, error) {
	if cached != nil && cached.count >= 0 && cached.id == tree {
		return cached, b.takeOver(prefix, cached.count)
	}
	all, err := b.read(ctx, tree)
	if err != nil {
		return nil, err
	}
	first := len(b.lines)
	made := &cachedTree{id: tree}
	for _, e := range all {
		switch {
		case e.mode == modeFolder:
			sub, err := b.addFolder(ctx, prefix+e.name+"/", e.id, cached.find(e.name))
			if err != nil {
				return nil, err
			}
			made.below = append(made.below, &cachedTree{name: e.name, count: sub.count, id: sub.id, below: sub.below})
		case e.mode != modeFile && e.mode != modeExec && e.mode != modeLink || strings.EqualFold(e.name, attributesFile):
			return nil, errOddIndex
		default:
			b.lines = append(b.lines, b.makeLine(prefix+e.name, e))
		}
	}
	made.count = len(b.lines) - first
	return made, nil
}

// takeOver adds the old entries of a folder.
func (b *indexBuilder) takeOver(prefix string, count int) error {
	at := b.search(prefix)
	if at+count > len(b.old) || at+count < len(b.old) && strings.HasPrefix(b.old[at+count].path, prefix) {
		return errOddIndex
	}
	for _, l := range b.old[at : at+count] {
		if !strings.HasPrefix(l.path, prefix) || path.Base(l.path) == attributesFile || l.mode() == modeModule {
			return errOddIndex
		}
	}
	b.lines = append(b.lines, b.old[at:at+count]...)
	return nil
}

// search returns where the old entries begin that are not before a path.
func (b *indexBuilder) search(path string) int {
	at, _ := slices.BinarySearchFunc(b.old, path, func(l indexLine, path string) int { return strings.Compare(l.path, path) })
	return at
}

// makeLine returns the entry of a file: the old one if that has the same content, else one that tells nothing of the file.
func (b *indexBuilder) makeLine(path string, e entry) indexLine {
	if at := b.search(path); at < len(b.old) {
		if l := b.old[at]; l.path == path && l.id == e.id && l.mode() == e.mode {
			return l
		}
	}
	l := indexLine{id: e.id, path: path, flags: uint16(min(len(path), flagLength))}
	binary.BigEndian.PutUint32(l.stat[24:], e.mode)
	return l
}

// find returns the folder of a name, or nil if there is none.
func (t *cachedTree) find(name string) *cachedTree {
	if t == nil {
		return nil
	}
	if i := slices.IndexFunc(t.below, func(sub *cachedTree) bool { return sub.name == name }); i >= 0 {
		return t.below[i]
	}
	return nil
}

// append adds the folder to the extension TREE. Git sorts folders by the length of their names first.
func (t *cachedTree) append(data []byte) []byte {
	data = append(append(data, t.name...), 0)
	data = append(data, strconv.Itoa(t.count)+" "+strconv.Itoa(len(t.below))+"\n"...)
	if t.count >= 0 {
		id, _ := hex.DecodeString(t.id) // it was made of the bytes, or read from a tree
		data = append(data, id...)
	}
	for _, sub := range slices.SortedFunc(slices.Values(t.below), func(a, b *cachedTree) int {
		return cmp.Or(cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
	}) {
		data = sub.append(data)
	}
	return data
}

// encodeIndex returns the index file of version 2 with the entries, in their order, and the ids of their folders.
func encodeIndex(lines []indexLine, tree *cachedTree) []byte {
	data := []byte("DIRC\x00\x00\x00\x02")
	data = binary.BigEndian.AppendUint32(data, uint32(len(lines)))
	for _, l := range lines {
		from := len(data)
		id, _ := hex.DecodeString(l.id) // it was made of the bytes, or read from a tree
		data = append(append(data, l.stat[:]...), id...)
		data = append(binary.BigEndian.AppendUint16(data, l.flags), l.path...)
		data = append(data, bytes.Repeat([]byte{0}, padLine(len(data)-from)-(len(data)-from))...)
	}
	body := tree.append(nil)
	data = binary.BigEndian.AppendUint32(append(data, "TREE"...), uint32(len(body)))
	data = append(data, body...)
	h := newObjectHash(strings.Repeat("0", sha1Hex))
	h.Write(data)
	return h.Sum(data)
}
