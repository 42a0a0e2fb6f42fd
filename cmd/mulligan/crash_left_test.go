package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// leftPatience is how long the processes of a run, and its locks, may take to be gone.
const leftPatience = 30 * time.Second

// waitForProcesses waits until no process has the folder in its environment, and returns those that stay.
func waitForProcesses(dir string) (left []string) {
	for end := time.Now().Add(leftPatience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if left = processesOf(dir); len(left) == 0 {
			return nil
		}
	}
	return left
}

// processesOf returns the processes that have the folder in their environment.
func processesOf(dir string) (found []string) {
	proc, err := os.Open("/proc")
	if err != nil {
		return []string{err.Error()}
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		environ, err := os.ReadFile(filepath.Join("/proc", name, "environ"))
		if err != nil || !strings.Contains(string(environ), dir+"/") {
			continue
		}
		command, _ := os.ReadFile(filepath.Join("/proc", name, "cmdline"))
		found = append(found, name+" "+strings.ReplaceAll(string(command), "\x00", " "))
	}
	return found
}
