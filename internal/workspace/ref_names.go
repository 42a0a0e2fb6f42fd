package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"mulligan/internal/gitfolder"
)

// mayHaveRefs reports whether a git folder may have a ref whose name begins with prefix. It starts no
// process: false means that the files have none. Of refs that are kept in another way, or that cannot be
// read, it does not know, and reports true.
func mayHaveRefs(common, prefix string) bool {
	if (Root{git: common, common: common}).hasReftable() {
		return true
	}
	// The loose refs first: git packs a ref before it removes the file.
	entries, err := os.ReadDir(filepath.Join(common, filepath.FromSlash(path.Dir(prefix))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), path.Base(prefix)) {
			return true
		}
	}
	packed, err := gitfolder.ReadFile(filepath.Join(common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err != nil || bytes.Contains(packed, []byte(" "+prefix))
}
