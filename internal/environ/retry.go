package environ

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/durable"
)

// retryFile returns the retry file of the repository in root. All its checkouts share it.
func (f Folders) retryFile(root string) string {
	return filepath.Join(f.State, "retry", repositoryKey(root), "retry.yaml")
}

// RetryFile returns the path of what `mulligan retry-config set` has kept of the repository in root. The
// file need not exist.
func (e *Env) RetryFile(root string) (string, error) {
	folders, err := e.Folders()
	if err != nil {
		return "", err
	}
	return folders.retryFile(root), nil
}

// ReadRetryFile returns the text of a retry file, nil if there is none or it cannot be used; then damage
// tells why.
func ReadRetryFile(path string) (text []byte, damage *config.DamagedFileError, err error) {
	text, err = builtin.Schema().CheckRetryFile(path)
	if errors.As(err, &damage) {
		return nil, damage, nil
	}
	return text, nil, err
}

// WriteRetryFile writes a retry file. One that is damaged is kept beside it; kept is its new name, "" if
// there was none.
func WriteRetryFile(path string, text []byte, isDamaged bool) (kept string, err error) {
	if isDamaged {
		if kept, err = putAside(path); err != nil {
			return "", err
		}
	}
	return kept, durable.WriteFile(path, text)
}

// maxDamaged is how many damaged files of one name are kept.
const maxDamaged = 1000

// putAside gives a file a name that no other has: NAME.damaged-1.
func putAside(path string) (string, error) {
	for i := 1; i <= maxDamaged; i++ {
		name := fmt.Sprintf("%s.damaged-%d", path, i)
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name, os.Rename(path, name)
		}
	}
	return "", fmt.Errorf("%s is damaged, and so are %d others beside it: delete them", path, maxDamaged)
}
