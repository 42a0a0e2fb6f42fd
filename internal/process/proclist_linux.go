package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// FindInFolder gives the processes of that name that work in the folder or below it, ours left out. What
// the system does not let us see is not there.
func FindInFolder(name, dir string) []int {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	all, err := listProcesses()
	if err != nil {
		return nil
	}
	var found []int
	for _, p := range all {
		if p.Comm != name || p.Parent == os.Getpid() {
			continue
		}
		cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", p.PID))
		if err == nil && (cwd == dir || strings.HasPrefix(cwd, strings.TrimSuffix(dir, "/")+"/")) {
			found = append(found, p.PID)
		}
	}
	return found
}
