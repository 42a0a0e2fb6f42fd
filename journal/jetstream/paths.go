package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// maxSocketPath is the longest path that a unix socket can have everywhere (104 with its end).
const maxSocketPath = 103

// prepareDir makes the state folder if it is missing, and closes it to other users: who can write there could
// put events into the journal, and who can read it sees prompts and evidence.
// warn is called with a text for a person if it was open; it may be nil.
func prepareDir(dir string, warn func(text string)) (string, error) {
	if dir == "" {
		return "", errors.New("no state folder was given for the journal")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("state folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return "", fmt.Errorf("the state folder %s is a file: move it away, or name another folder", dir)
		}
		return "", fmt.Errorf("make the state folder: %w", err)
	}
	// One folder has one name here, whichever link leads to it.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("state folder: %w", err)
	}
	was, err := makePrivate(dir)
	if err != nil {
		return "", fmt.Errorf("state folder: %w", err)
	}
	if was != 0 && warn != nil {
		warn(fmt.Sprintf("the state folder %s was open to other users (mode %04o); it is closed now (%04o)", dir, was, was&^0o077))
	}
	return dir, nil
}

// socketPath returns where the host of a state folder listens. The path itself is written into
// host.lock, so that a client with another environment finds it too.
func socketPath(dir string) (string, error) {
	sum := sha256.Sum256([]byte(dir))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	folder, err := findSocketFolder(dir, name)
	if err != nil {
		return "", fmt.Errorf("no place for the journal's socket: %w", err)
	}
	return filepath.Join(folder, name), nil
}

// longestName is the longest name of a socket in RuntimeDir: a folder by the id of a process, and in it a name with an
// ending of its own.
const longestName = "door-4194304/door.tmp"

// RuntimeDir returns a folder of this user's for the sockets of a state folder's sessions, private and with a path short
// enough for names up to longestName.
func RuntimeDir(state string) (string, error) {
	folder, err := findSocketFolder(state, longestName)
	if err != nil {
		return "", fmt.Errorf("no place for sockets: %w", err)
	}
	return folder, nil
}

// findSocketFolder returns the first folder in which a socket of that name can be.
// It makes the folder if it is missing.
func findSocketFolder(state, name string) (string, error) {
	var problems []error
	for _, folder := range socketFolders(state) {
		path := filepath.Join(folder, name)
		if len(path) > maxSocketPath {
			problems = append(problems, fmt.Errorf("%s is too long for a socket", path))
			continue
		}
		err := makePrivateFolder(folder)
		if err == nil {
			return folder, nil
		}
		problems = append(problems, err)
	}
	return "", errors.Join(problems...)
}

// moreFolders is how many other names are tried in /tmp.
const moreFolders = 20

// socketFolders returns the folders that may have sockets, the best first. An agent can write none of them: where it is one
// below /tmp, agents are kept from writing there.
func socketFolders(state string) []string {
	var folders []string
	if run := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		folders = append(folders, filepath.Join(run, "mulligan"))
	}
	folders = append(folders, filepath.Join(state, "run"))
	// A state folder with a long name: the user's own folder for caches, which agents have another of.
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, filepath.Join(cache, "mulligan-run"))
	}
	own := "mulligan-" + strconv.Itoa(os.Getuid())
	folders = append(folders, filepath.Join("/tmp", own))
	for n := 1; n <= moreFolders; n++ {
		folders = append(folders, filepath.Join("/tmp", own+"-"+strconv.Itoa(n)))
	}
	return folders
}

// makePrivateFolder makes a folder that no other user can enter, or checks that it is one.
func makePrivateFolder(folder string) error {
	err := os.Mkdir(folder, 0o700)
	if cache, unknown := os.UserCacheDir(); errors.Is(err, fs.ErrNotExist) && unknown == nil && filepath.Dir(folder) == cache {
		err = os.MkdirAll(folder, 0o700) // the home folder of a new user has no folder for caches yet
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return checkPrivate(folder, 0o077)
}

// makePrivate takes the rights of other users to a folder of this user's away, and returns the mode that it
// had then, or 0 if they had none. One that others could write to is refused: nobody knows what they have put
// there.
func makePrivate(dir string) (was fs.FileMode, err error) {
	if checkPrivate(dir, 0o022) != nil {
		return 0, checkPrivate(dir, 0o077)
	}
	info, err := os.Lstat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return 0, err
	}
	was = info.Mode().Perm()
	if err := os.Chmod(dir, was&^0o077); err != nil {
		return 0, fmt.Errorf("%s is open to others, and cannot be closed: %w", dir, err)
	}
	return was, nil
}

// checkPrivate returns an error unless dir is a folder of this user's, without the forbidden
// permissions.
func checkPrivate(dir string, forbidden fs.FileMode) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	if uid, known := ownerOf(info); known && uid != os.Getuid() {
		return fmt.Errorf("%s belongs to the user with the id %d, not to you (%d)", dir, uid, os.Getuid())
	}
	if mode := info.Mode().Perm(); mode&forbidden != 0 {
		return fmt.Errorf("%s is open to others (mode %04o): chmod %04o %s", dir, mode, mode&^forbidden, dir)
	}
	return nil
}
