package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mulligan/internal/durable"
)

// Artifacts keep data that is too large for an event, by its hash.
type Artifacts interface {
	// Put keeps data and returns its hash, "sha256:…". The same data is kept once. It is on
	// the disk when Put returns.
	Put(data []byte) (hash string, err error)
	// Get returns data that Put kept. Data that does not match its hash is an error.
	Get(hash string) ([]byte, error)
}

const hashPrefix = "sha256:"

// HashOf returns the name that Artifacts keep data under.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hashPrefix + hex.EncodeToString(sum[:])
}

// Files are artifacts in a folder, a file each: ab/cdef….
type Files struct{ Dir string }

// Put writes data to a file of its own, which is there whole or not at all.
func (f Files) Put(data []byte) (string, error) {
	hash := HashOf(data)
	path, err := f.filePath(hash)
	if err != nil {
		return "", err
	}
	// A file that is there but damaged is written again: the data at hand is the right one.
	if old, err := os.ReadFile(path); err == nil && HashOf(old) == hash {
		now := time.Now()
		return hash, os.Chtimes(path, now, now) // Drop goes by its age
	}
	if err := durable.WriteFile(path, data); err != nil {
		return "", fmt.Errorf("keep artifact %s: %w", hash, err)
	}
	return hash, nil
}

// Get reads the file and compares it with its hash.
func (f Files) Get(hash string) ([]byte, error) {
	path, err := f.filePath(hash)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("artifact %s is missing: there is no file %s", hash, path)
	}
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", hash, err)
	}
	if HashOf(data) != hash {
		return nil, fmt.Errorf("artifact %s is damaged: %s has other content than its name says", hash, path)
	}
	return data, nil
}

// Drop removes the artifacts that are not used and were written before a moment.
func (f Files) Drop(used func(hash string) bool, before time.Time) error {
	files, err := filepath.Glob(filepath.Join(f.Dir, "??", "*"))
	if err != nil {
		return err
	}
	for _, file := range files {
		hash := hashPrefix + filepath.Base(filepath.Dir(file)) + filepath.Base(file)
		if path, err := f.filePath(hash); err != nil || path != file || used(hash) {
			continue
		}
		if info, err := os.Stat(file); err != nil || !info.ModTime().Before(before) {
			continue
		}
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// filePath returns the path of an artifact's file; the error is of a hash that is none.
func (f Files) filePath(hash string) (string, error) {
	hexes, ok := strings.CutPrefix(hash, hashPrefix)
	if sum, err := hex.DecodeString(hexes); !ok || err != nil || len(sum) != sha256.Size || strings.ToLower(hexes) != hexes {
		return "", fmt.Errorf("%q is not the hash of an artifact", hash)
	}
	return filepath.Join(f.Dir, hexes[:2], hexes[2:]), nil
}
