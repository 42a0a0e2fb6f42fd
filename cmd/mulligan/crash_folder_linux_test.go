package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What has to be free for the runs to be in memory.
const (
	gigabyte        = 1 << 30
	freeInFolder    = 2 * gigabyte
	freeInMemory    = 4 * gigabyte
	sharedMemory    = "dev/shm"
	cgroupUnlimited = math.MaxUint64
)

// memoryFolder returns /dev/shm if that is in memory and there is enough of it, else "".
func memoryFolder(root string) string {
	dir := filepath.Join(root, sharedMemory)
	var fs syscall.Statfs_t
	if syscall.Statfs(dir, &fs) != nil || fs.Type != unix.TMPFS_MAGIC || fs.Bavail*uint64(fs.Bsize) < freeInFolder {
		return ""
	}
	if unix.Access(dir, unix.W_OK) != nil || availableMemory(root) < freeInMemory {
		return ""
	}
	return dir
}

// availableMemory returns how much memory processes of this one's cgroup can still have, or 0 if that is not known.
func availableMemory(root string) uint64 {
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
		limit := fieldOf(in(names[0]), "", cgroupUnlimited)
		if limit == cgroupUnlimited {
			continue
		}
		used := fieldOf(in(names[1]), "", 0)
		used -= min(used, fieldOf(in("memory.stat"), names[2], 0))
		return limit - min(limit, used)
	}
	return cgroupUnlimited
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

func TestAvailableMemory(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  uint64
	}{
		"no cgroup": {nil, 8 * gigabyte},
		"version 2, a parent's limit": {map[string]string{
			"proc/self/cgroup":               "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max":   "max\n",
			"sys/fs/cgroup/a/memory.max":     "3221225472\n",
			"sys/fs/cgroup/a/memory.current": "2147483648\n",
			"sys/fs/cgroup/a/memory.stat":    "anon 1073741824\ninactive_file 1073741824\n",
		}, 2 * gigabyte},
		"version 2, in a container": {map[string]string{
			"proc/self/cgroup":             "0::/seen/from/outside\n",
			"sys/fs/cgroup/memory.max":     "1073741824\n",
			"sys/fs/cgroup/memory.current": "2147483648\n",
		}, 0},
		"version 1": {map[string]string{
			"proc/self/cgroup": "5:devices:/x\n4:memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "3221225472\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes":   "1073741824\n",
		}, 2 * gigabyte},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			files := map[string]string{"proc/meminfo": "MemTotal: 9999999 kB\nMemAvailable:    8388608 kB\n"}
			for file, text := range c.files {
				files[file] = text
			}
			for file, text := range files {
				path := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got := availableMemory(root); got != c.want {
				t.Errorf("%d is available, want %d", got, c.want)
			}
		})
	}
}

func TestNoFolderInMemory(t *testing.T) {
	if dir := memoryFolder(t.TempDir()); dir != "" {
		t.Errorf("%s is not there", dir)
	}
}
