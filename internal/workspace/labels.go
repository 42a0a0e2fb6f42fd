package workspace

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/regular"
)

// maxPackedRefs is how much of a snapshot repository's packed refs is read for names.
const maxPackedRefs = 16 << 20

// ListLabels returns the labels of a snapshot repository's snapshots, SESSION/NAME each, sorted. It runs no
// git and takes no lock, for completion: what it cannot read it leaves out.
func ListLabels(snapshots string) []string {
	var labels []string
	folder := filepath.Join(snapshots, filepath.FromSlash(snapshotRefs))
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
			label, _ := filepath.Rel(folder, path)
			labels = append(labels, filepath.ToSlash(label))
		}
		return nil
	})
	if _, err := os.Lstat(filepath.Join(snapshots, "packed-refs")); err == nil {
		packed, _ := regular.ReadFile(filepath.Join(snapshots, "packed-refs"), maxPackedRefs)
		for line := range bytes.Lines(packed) {
			if _, ref, ok := strings.Cut(strings.TrimSpace(string(line)), " "); ok && strings.HasPrefix(ref, snapshotRefs+"/") {
				labels = append(labels, strings.TrimPrefix(ref, snapshotRefs+"/"))
			}
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}
