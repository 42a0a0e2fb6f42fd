package process

import (
	"os"
	"slices"
	"strconv"
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
