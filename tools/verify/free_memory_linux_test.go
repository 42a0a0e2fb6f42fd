package main

import (
	"os"
	"path/filepath"
	"testing"
)

const gigabyte = 1 << 30

func TestReadFreeMemory(t *testing.T) {
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
			if got := readFreeMemory(root); got != c.want {
				t.Errorf("%d is available, want %d", got, c.want)
			}
		})
	}
}
