package workspace

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"mulligan/internal/regular"
)

const (
	// maxLooseFile is the size of the largest file of an object that is read without git.
	maxLooseFile = 1 << 20
	// maxLooseBody is the size of the largest object that is read without git.
	maxLooseBody = 4 << 20
)

// readLoose returns an object that has a file of its own in a folder of objects, and whether there is one whose content
// is what the id is the hash of. For all else git has to be asked: it may have the object in a pack, or tell what is
// wrong with it.
func readLoose(objects, id string) (kind string, body []byte, ok bool) {
	if !isObjectID(id) {
		return "", nil, false
	}
	packed, err := regular.ReadFile(filepath.Join(objects, id[:2], id[2:]), maxLooseFile)
	if err != nil {
		return "", nil, false
	}
	in := bytes.NewReader(packed)
	z, err := zlib.NewReader(in)
	if err != nil {
		return "", nil, false
	}
	whole, err := io.ReadAll(io.LimitReader(z, maxLooseBody))
	if err != nil || len(whole) == maxLooseBody || in.Len() > 0 {
		return "", nil, false
	}
	h := newObjectHash(id)
	h.Write(whole)
	if hex.EncodeToString(h.Sum(nil)) != id {
		return "", nil, false
	}
	head, body, found := bytes.Cut(whole, []byte{0})
	kind, size, _ := strings.Cut(string(head), " ")
	return kind, body, found && size == strconv.Itoa(len(body))
}
