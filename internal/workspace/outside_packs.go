package workspace

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/regular"
)

// maxUserPacks is how many packs a repository has at most for their indexes to be looked at without git.
const maxUserPacks = 50

// isOutsidePacks reports whether an object is surely in none of the packs of a folder of objects, nor in another folder
// that git looks into. Git takes an object from a pack before one that has a file of its own, and an agent may have
// planted a pack.
func isOutsidePacks(objects, id string) bool {
	name, err := hex.DecodeString(id)
	if err != nil {
		return false
	}
	for _, other := range []string{"info/alternates", "pack/multi-pack-index"} {
		if _, err := os.Lstat(filepath.Join(objects, filepath.FromSlash(other))); !isGone(err) {
			return false
		}
	}
	files, err := os.ReadDir(filepath.Join(objects, "pack"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	packs := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".idx") {
			continue
		}
		if packs++; packs > maxUserPacks || !isOutsidePack(filepath.Join(objects, "pack", f.Name()), name) {
			return false
		}
	}
	return true
}

// isOutsidePack reports whether the index of a pack can be read, and does not have an object.
func isOutsidePack(index string, name []byte) bool {
	f, _, err := regular.Open(index)
	if err != nil {
		return false
	}
	defer f.Close()
	const head = 8 + 256*4
	var table [head]byte
	if _, err := io.ReadFull(f, table[:]); err != nil || string(table[:8]) != "\xfftOc\x00\x00\x00\x02" {
		return false
	}
	count := func(i int) uint32 {
		if i < 0 {
			return 0
		}
		return binary.BigEndian.Uint32(table[8+4*i:])
	}
	from, to := count(int(name[0])-1), count(int(name[0]))
	if from > to || to-from > maxBucket {
		return false
	}
	names := make([]byte, int(to-from)*len(name))
	if _, err := f.ReadAt(names, head+int64(from)*int64(len(name))); err != nil {
		return false
	}
	for ; len(names) > 0; names = names[len(name):] {
		if string(names[:len(name)]) == string(name) {
			return false
		}
	}
	return true
}

// maxBucket is how many objects with the same first byte a pack has at most to be looked at without git.
const maxBucket = 1 << 16
