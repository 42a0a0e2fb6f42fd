package environ

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"mulligan/internal/usererror"
	"mulligan/workspace"
)

// StateDir returns the folder in which mulligan keeps what it must not lose: outside the
// repository, out of reach of `git clean`.
func (e *Env) StateDir() (string, error) {
	if dir := e.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mulligan"), nil
	}
	home := e.Getenv("HOME")
	if home == "" {
		return "", usererror.Usage("neither XDG_STATE_HOME nor HOME is set", "set one of them: mulligan keeps its journal there")
	}
	return filepath.Join(home, ".local", "state", "mulligan"), nil
}

// Folders returns the places in the state folder.
func (e *Env) Folders() (Folders, error) {
	state, err := e.StateDir()
	return Folders{State: state}, err
}

// Folders are the places in the state folder that belong to one workspace or session.
type Folders struct {
	State string // the state folder itself
}

// Lock returns the path of the lock of the workspace in dir.
func (f Folders) Lock(dir string) string {
	return filepath.Join(f.State, "workspaces", workspaceKey(dir), "lock")
}

// Session returns the folder of what the children of a session print.
func (f Folders) Session(id string) string { return filepath.Join(f.State, "sessions", id) }

// OpenStore returns the repository of mulligan's own that has the commits of the repository in root.
func (e *Env) OpenStore(root string) (*workspace.Store, error) {
	where, err := e.Folders()
	if err != nil {
		return nil, err
	}
	return workspace.OpenStore(workspace.StoreOptions{Dir: where.Store(root), Environ: e.Environ}), nil
}

// Store returns the folder of the repository of mulligan's own that has the commits of the repository in root.
func (f Folders) Store(root string) string {
	return filepath.Join(f.State, "repositories", repositoryKey(root), "store.git")
}

// Slot returns the folder of one of the pairs of checkouts that sessions have of the repository in root, from 1.
func (f Folders) Slot(root string, number int) string {
	return filepath.Join(f.State, "repositories", repositoryKey(root), strconv.Itoa(number))
}

// Caches returns the folder of the caches that the agents of the repository in root have of their own.
func (f Folders) Caches(root string) string {
	return filepath.Join(f.State, "repositories", repositoryKey(root), "caches")
}

// Temp returns the folder of the temporary files of the agents in a slot. Its name is short, as the path of a socket has to
// be.
func (f Folders) Temp(slot string) string {
	sum := sha256.Sum256([]byte(slot))
	return filepath.Join(f.State, "tmp", hex.EncodeToString(sum[:4]))
}

// benchName is the name of the slot in which commands check that run no session.
const benchName = "check"

// BenchSlot returns the folder of the slot in which commands check that run no session.
func (f Folders) BenchSlot(root string) string {
	return filepath.Join(filepath.Dir(f.Store(root)), benchName)
}

// ListKept returns the person's places that lie in no folder that agents may write because programs share it.
func (e *Env) ListKept(root string) []string {
	kept := []string{root}
	if state, err := e.StateDir(); err == nil {
		kept = append(kept, state)
	}
	for _, name := range []string{"HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"} {
		if dir := e.Getenv(name); filepath.IsAbs(dir) {
			kept = append(kept, dir)
		}
	}
	return kept
}

// ListSlots returns the folders of the slots that the repository in root has.
func (f Folders) ListSlots(root string) ([]string, error) {
	dir := filepath.Dir(f.Store(root))
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var slots []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); (err == nil || e.Name() == benchName) && e.IsDir() {
			slots = append(slots, filepath.Join(dir, e.Name()))
		}
	}
	return slots, nil
}

// Logs returns the folder of the logs of sessions that run as processes of their own.
func (f Folders) Logs() string { return filepath.Join(f.State, "logs") }

// History returns the folder of the records of past sessions.
func (f Folders) History() string { return filepath.Join(f.State, "history") }

// workspaceKey returns a name that tells workspaces apart, also those whose folders have the same name.
func workspaceKey(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Base(dir) + "-" + hex.EncodeToString(sum[:6])
}

// repositoryKey returns a name that tells repositories apart, which all checkouts of one share.
func repositoryKey(root string) string {
	if found, err := workspace.Find(root); err == nil && found.Dir == root {
		root = found.Repository()
	}
	return workspaceKey(root)
}
