package processtest

import "os"

// CacheDirEnv names the variable with which `make test` gives a folder in memory.
const CacheDirEnv = "MULLIGAN_TEST_CACHE"

// CacheDir returns a folder, made if need be, for what confined agents may not write: they may write the temporary
// ones. It is the user's cache folder, unless `make test` has given another.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheDirEnv); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o755)
}
