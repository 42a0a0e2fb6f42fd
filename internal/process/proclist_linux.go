package process

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// listProcesses returns the system's living processes. One that ends during the call may be missing.
func listProcesses() ([]Stat, error) {
	all, err := readProcesses()
	return slices.DeleteFunc(all, Stat.HasEnded), err
}

// readProcesses returns the system's processes, also those that have ended and were not waited for yet.
func readProcesses() ([]Stat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []Stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if s, err := ReadStat(pid); err == nil {
			all = append(all, s)
		}
	}
	return all, nil
}

// FindInFolder returns the ids of the processes of that name whose working directory is the folder or
// lies below it, except for our own children. Processes that the system hides from us are missing.
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
