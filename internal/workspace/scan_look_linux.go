package workspace

import "golang.org/x/sys/unix"

// A folderHandle looks at the entries of a folder without going through the folders above it each time.
type folderHandle int

// openFolder opens a folder, and returns its stat. A link to a folder is none.
func openFolder(path string) (folderHandle, stat, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, stat{}, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return 0, stat{}, err
	}
	return folderHandle(fd), statAt(&st), nil
}

func (h folderHandle) lstat(name string) (stat, error) {
	var st unix.Stat_t
	if err := unix.Fstatat(int(h), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return stat{}, err
	}
	return statAt(&st), nil
}

func (h folderHandle) close() { unix.Close(int(h)) }

func statAt(st *unix.Stat_t) stat {
	return stat{
		size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(),
		inode: st.Ino, device: uint64(st.Dev), mode: st.Mode,
	}
}
