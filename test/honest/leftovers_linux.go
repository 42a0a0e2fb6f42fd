package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// endLeftovers returns the processes that belong to a run's folder, by their folder, program, arguments or
// environment, and ends them. Those that are just ending get a moment.
func endLeftovers(dir string) []string {
	var found map[int]string
	for range 20 {
		if found = findProcesses(dir); len(found) == 0 {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	var all []string
	for pid, what := range found {
		all = append(all, what)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return all
}

// findProcesses returns the processes of a run's folder with what they are.
func findProcesses(dir string) map[int]string {
	found := map[int]string{}
	paths, _ := filepath.Glob("/proc/[0-9]*")
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil || pid == os.Getpid() {
			continue
		}
		argv, _ := os.ReadFile(path + "/cmdline")
		env, _ := os.ReadFile(path + "/environ")
		cwd, _ := os.Readlink(path + "/cwd")
		exe, _ := os.Readlink(path + "/exe")
		if len(argv) == 0 { // a process of the kernel's, or one that has ended
			continue
		}
		all := bytes.Join([][]byte{argv, env, []byte(cwd + "/"), []byte(exe)}, []byte{0})
		if bytes.Contains(all, []byte(dir+"/")) {
			found[pid] = fmt.Sprintf("%d %s", pid, bytes.TrimSpace(bytes.ReplaceAll(argv, []byte{0}, []byte(" "))))
		}
	}
	return found
}
