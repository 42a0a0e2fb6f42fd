package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/internal/durable"
	"mulligan/internal/regular"
)

// WorkspaceIn and ProofIn return where the clones of a slot are.
func WorkspaceIn(slot string) string { return filepath.Join(slot, "workspace") }
func ProofIn(slot string) string     { return filepath.Join(slot, "proof") }

// settingsIn returns the folder of a slot that has git's settings and our indexes.
func settingsIn(slot string) string { return filepath.Join(slot, "git") }

// sessionFile is the file of a slot that names the session that works in it, or did last.
const sessionFile = "session"

// ClaimSlot notes that a session works in a slot, which the caller has locked.
func ClaimSlot(slot, session string) error {
	if err := os.MkdirAll(slot, 0o700); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(slot, sessionFile), []byte(session+"\n"))
}

// SlotSession returns the session that works in a slot, or did last; "" if that is not known.
func SlotSession(slot string) string {
	text, err := regular.ReadFile(filepath.Join(slot, sessionFile), 1<<10)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// RemoveSlot removes a slot, which the caller has locked.
func RemoveSlot(slot string) error { return removeAll(slot) }

// SizeOf returns the bytes of a file, or of all files in a folder.
func SizeOf(path string) (bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone, or not ours to look into: it counts as nothing
		}
		if info, err := d.Info(); err == nil && d.Type().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
