package jetstream

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// removeHalfMade removes what a process left that was killed while it made a stream. The engine
// writes the description and then its checksum; without the checksum it passes over the stream, and
// a stream that is made in its place keeps the old description, and so is passed over at every
// start.
func removeHalfMade(dir string) error {
	streams := filepath.Join(dir, "jetstream", "$G", "streams")
	entries, err := os.ReadDir(streams)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		stream := filepath.Join(streams, entry.Name())
		if _, err := os.Stat(filepath.Join(stream, "meta.sum")); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if hasMessages(stream) {
			continue // it was whole once: that is damage, and no business of ours
		}
		if err := os.Remove(filepath.Join(stream, "meta.inf")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// emptyBlock is more than the engine itself writes to a block, and less than any event takes.
const emptyBlock = 64

// hasMessages reports whether a stream's folder has any message.
func hasMessages(stream string) bool {
	entries, _ := os.ReadDir(filepath.Join(stream, "msgs")) // none where there is no such folder
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && filepath.Ext(entry.Name()) == ".blk" && info.Size() > emptyBlock {
			return true
		}
	}
	return false
}
