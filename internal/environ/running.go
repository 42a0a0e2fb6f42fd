package environ

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mulligan/config"
	"mulligan/internal/durable"
	"mulligan/internal/regular"
)

// A Running is the note that a session's process leaves while it runs. One whose process is gone was killed:
// whoever runs the next session must not take what its agent left for the person's.
type Running struct {
	Session string `json:"session"`
	Dir     string `json:"dir"`            // the session's workspace
	User    string `json:"user,omitempty"` // the hash of the user's own config when the process began
}

// runningFolder returns the folder of the notes of the repository in root.
func (f Folders) runningFolder(root string) string {
	return filepath.Join(f.State, "workspaces", repositoryKey(root), "running")
}

// NoteRunning notes that this process runs a session in the workspace dir of the repository in root.
func (e *Env) NoteRunning(root, dir, session string) error {
	return e.writeRunning(root, Running{Session: session, Dir: dir, User: e.HashUserConfig()})
}

func (e *Env) writeRunning(root string, r Running) error {
	folders, err := e.Folders()
	if err != nil {
		return err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(folders.runningFolder(root), r.Session), append(data, '\n'))
}

// DropRunning removes the note of a session that has ended in order, or whose end was dealt with.
func (e *Env) DropRunning(root, session string) error {
	folders, err := e.Folders()
	if err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(folders.runningFolder(root), session)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ListRunning returns the notes of the repository in root. One that cannot be read is left out.
func (e *Env) ListRunning(root string) []Running {
	folders, err := e.Folders()
	if err != nil {
		return nil
	}
	entries, _ := os.ReadDir(folders.runningFolder(root)) // most have none
	var list []Running
	for _, entry := range entries {
		var r Running
		data, err := regular.ReadFile(filepath.Join(folders.runningFolder(root), entry.Name()), config.MaxBytes)
		if err == nil && json.Unmarshal(data, &r) == nil && r.Session == entry.Name() {
			list = append(list, r)
		}
	}
	return list
}

// TakeUserConfig notes that a person takes their own config as it is now, whatever killed sessions found. It
// reports whether that was asked for.
func (e *Env) TakeUserConfig(root string) (asked bool, err error) {
	now := e.HashUserConfig()
	for _, r := range e.ListRunning(root) {
		if r.User == now {
			continue
		}
		asked, r.User = true, now
		if err := e.writeRunning(root, r); err != nil {
			return asked, err
		}
	}
	return asked, nil
}

// HashUserConfig returns what tells the content of the user's own config from others.
func (e *Env) HashUserConfig() string {
	path := config.UserFile(e.Environ)
	if path == "" {
		return "none"
	}
	data, err := regular.ReadFile(path, config.MaxBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "none"
	case err != nil:
		return "unreadable"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
