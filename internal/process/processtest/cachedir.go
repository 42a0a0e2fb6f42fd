package processtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// QuickEnv names the variable that is set where the real agents, the package managers and the browser are to be left out.
const QuickEnv = "MULLIGAN_TEST_QUICK"

// CacheDir returns a folder, made if need be, for what confined agents may not write: they may write the temporary
// ones. It is the user's cache folder, or one of the checkout if that is below a temporary one.
func CacheDir(t testing.TB) string {
	t.Helper()
	var dirs []string
	if dir, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, dir)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := wd; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			dirs = append(dirs, filepath.Join(dir, ".tools", "cache"))
		}
	}
	for _, dir := range dirs {
		if isBelow(dir, os.TempDir()) || isBelow(dir, "/tmp") || isBelow(dir, "/var/tmp") || isBelow(dir, "/dev") {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err == nil {
			return dir
		}
	}
	t.Skip("the home and the checkout are below a temporary folder, which confined agents may write")
	return ""
}

func isBelow(path, folder string) bool {
	return strings.HasPrefix(path+string(filepath.Separator), folder+string(filepath.Separator))
}
