package workspace

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func statOf(st *syscall.Stat_t) stat {
	return stat{
		size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
		inode: st.Ino, device: uint64(st.Dev), mode: st.Mode,
	}
}

// syncFileSystem writes everything of the file system that holds path to disk.
func syncFileSystem(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Syncfs(int(f.Fd()))
}
