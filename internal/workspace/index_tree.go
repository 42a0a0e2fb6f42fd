package workspace

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
)

// A cachedTree is a folder of the index for which git keeps the id of its tree.
type cachedTree struct {
	name  string
	count int    // entries of the index in the folder and below it; -1: the id is not known
	id    string // "" if it is not known
	below []*cachedTree
}

// maxTreeDepth bounds how deep the folders of an index are that is read without git.
const maxTreeDepth = 200

// parseCachedTree parses a folder of the extension TREE, and returns what follows it.
func parseCachedTree(data []byte, idSize, depth int) (t *cachedTree, rest []byte, ok bool) {
	name, data, ok1 := bytes.Cut(data, []byte{0})
	line, data, ok2 := bytes.Cut(data, []byte{'\n'})
	entries, folders, ok3 := strings.Cut(string(line), " ")
	count, err1 := strconv.Atoi(entries)
	below, err2 := strconv.Atoi(folders)
	if !ok1 || !ok2 || !ok3 || err1 != nil || err2 != nil || below < 0 || depth > maxTreeDepth {
		return nil, nil, false
	}
	t = &cachedTree{name: string(name), count: -1}
	if count >= 0 {
		if len(data) < idSize {
			return nil, nil, false
		}
		t.count, t.id, data = count, hex.EncodeToString(data[:idSize]), data[idSize:]
	}
	for range below {
		sub, rest, ok := parseCachedTree(data, idSize, depth+1)
		if !ok {
			return nil, nil, false
		}
		t.below, data = append(t.below, sub), rest
	}
	return t, data, true
}
