package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// unlimited is what a cgroup without a limit has left.
const unlimited = math.MaxUint64

// readFreeMemory returns how much memory processes of this one's cgroup can still have, or 0 if that is not known.
func readFreeMemory(root string) uint64 {
	free := fieldOf(filepath.Join(root, "proc/meminfo"), "MemAvailable:", 0) * 1024
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return free // a system without cgroups
	}
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		mounted := filepath.Join(root, "sys/fs/cgroup")
		if parts[1] == "memory" {
			mounted = filepath.Join(mounted, "memory")
		} else if parts[1] != "" {
			continue
		}
		// The path is one of the host's where a container sees only its own part, which is then the root.
		for path := filepath.Join("/", parts[2]); ; path = filepath.Dir(path) {
			free = min(free, leftInCgroup(filepath.Join(mounted, path)))
			if path == "/" {
				break
			}
		}
	}
	return free
}

// leftInCgroup returns how much memory a cgroup has left. File pages that it can drop count as free.
func leftInCgroup(dir string) uint64 {
	for _, names := range [][3]string{
		{"memory.max", "memory.current", "inactive_file"},
		{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
	} {
		in := func(name string) string { return filepath.Join(dir, name) }
		limit := fieldOf(in(names[0]), "", unlimited)
		if limit == unlimited {
			continue
		}
		used := fieldOf(in(names[1]), "", 0)
		used -= min(used, fieldOf(in("memory.stat"), names[2], 0))
		return limit - min(limit, used)
	}
	return unlimited
}

// fieldOf returns the number in the line of a file that begins with the word, or the only number for no word.
func fieldOf(path, word string, missing uint64) uint64 {
	data, _ := os.ReadFile(path)
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if word != "" {
			if len(fields) < 2 || fields[0] != word {
				continue
			}
			fields = fields[1:]
		}
		if len(fields) > 0 {
			if n, err := strconv.ParseUint(fields[0], 10, 64); err == nil {
				return n
			}
		}
	}
	return missing
}
