//go:build unix

package process

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// rootCapabilities are what root loses inside bubblewrap: with them it could write the disk beside the
// file system, load a module, or look into processes outside.
var rootCapabilities = []string{
	"CAP_SYS_ADMIN", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_PTRACE", "CAP_SYS_BOOT", "CAP_SYS_TIME", "CAP_MKNOD",
	"CAP_SYSLOG", "CAP_MAC_ADMIN", "CAP_MAC_OVERRIDE", "CAP_BPF", "CAP_PERFMON", "CAP_DAC_READ_SEARCH",
}

// wrap returns the command that starts a program inside bubblewrap: with processes of its own, everything
// to read only, and what c lists to write.
func (c *Confinement) wrap(path string, argv []string, dir string) (program string, wrapped []string) {
	wrapped = []string{c.Program, "--die-with-parent", "--unshare-pid", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"}
	if os.Geteuid() == 0 {
		for _, name := range rootCapabilities {
			wrapped = append(wrapped, "--cap-drop", name)
		}
	}
	for _, m := range c.listMounts() {
		wrapped = append(wrapped, m...)
	}
	wrapped = append(wrapped, "--chdir", dir, "--", path)
	return c.Program, append(wrapped, argv[1:]...)
}

// listMounts returns the options of bubblewrap for what is hidden, shown and written. What lies in a
// folder comes after the folder, whose mount would cover it.
func (c *Confinement) listMounts() [][]string {
	var mounts [][]string
	for _, written := range c.Write {
		if written != "/dev" && written != "/proc" && !strings.HasPrefix(written, "/dev/") && holdsNoLink(written) {
			mounts = append(mounts, []string{"--bind-try", written, written})
		}
	}
	for _, hidden := range c.Hide {
		mounts = append(mounts, []string{"--tmpfs", hidden})
	}
	for _, shown := range c.Show {
		mounts = append(mounts, []string{"--ro-bind-try", shown, shown})
	}
	slices.SortStableFunc(mounts, func(a, b []string) int { return strings.Compare(a[1], b[1]) })
	return mounts
}

// holdsNoLink reports whether no part of a path is a symbolic link.
func holdsNoLink(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real == path
}
