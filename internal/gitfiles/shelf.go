package gitfiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/durable"
	"mulligan/internal/regular"
)

// A Shelf has the memories of one checkout, each in a file that is named by its digest. A new one stands beside the one
// before it until the next comes, so that the journal, which has the digest of one of them, always finds that.
type Shelf struct {
	Base string // the path that the files' names begin with

	digests []string // of what this process has stored, the oldest first
}

// maxMemory bounds the file of a memory.
const maxMemory = 1 << 30

// Path returns the file of the memory with a digest. Versions that recorded no digests had one file, that of "".
func (s *Shelf) Path(digest string) string {
	if digest == "" {
		return s.Base + ".json"
	}
	return s.Base + "-" + digest + ".json"
}

// Store writes a memory, so that it survives a crash, and returns its digest. The same content is not written again.
func (s *Shelf) Store(m *Memory) (digest string, err error) {
	data, err := m.Encode()
	if err != nil {
		return "", err
	}
	digest = computeDigest(data)
	if n := len(s.digests); n > 0 && s.digests[n-1] == digest {
		return digest, nil
	}
	if err := durable.WriteFile(s.Path(digest), data); err != nil {
		return "", fmt.Errorf("cannot remember git's own files: %w", err)
	}
	s.digests = append(slices.DeleteFunc(s.digests, func(d string) bool { return d == digest }), digest)
	for ; len(s.digests) > 2; s.digests = s.digests[1:] {
		if err := remove(s.Path(s.digests[0])); err != nil {
			return "", err
		}
	}
	return digest, nil
}

// ErrChanged means that a memory is not what was stored under its digest.
var ErrChanged = errors.New("not what was stored")

// Load returns the memory with a digest, or nil if there is none. One without a digest is taken as it is, and if it is
// damaged as none.
func (s *Shelf) Load(digest string) (*Memory, error) {
	data, err := regular.ReadFile(s.Path(digest), maxMemory)
	if errors.Is(err, fs.ErrNotExist) || err != nil && digest == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if digest != "" && computeDigest(data) != digest {
		return nil, ErrChanged
	}
	return Decode(data), nil
}

// Digests returns the digests of the memories that are there.
func (s *Shelf) Digests() []string {
	files, _ := os.ReadDir(filepath.Dir(s.Base)) // a folder that is not there has none
	var all []string
	for _, file := range files {
		name, ok := strings.CutPrefix(file.Name(), filepath.Base(s.Base))
		if name, found := strings.CutSuffix(name, ".json"); ok && found {
			all = append(all, strings.TrimPrefix(name, "-"))
		}
	}
	return all
}

// Adopt has the shelf treat a memory that an earlier process has stored as its own: it stays until the second one after it
// is stored.
func (s *Shelf) Adopt(digest string) { s.digests = []string{digest} }

// Clear removes all memories.
func (s *Shelf) Clear() error {
	s.digests = nil
	var failed error
	for _, digest := range s.Digests() {
		failed = errors.Join(failed, remove(s.Path(digest)))
	}
	return failed
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func computeDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
