package process

import (
	"errors"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// go-landlock restricts all threads of a process, and a child can send signals to what is restricted as it is. So the
// three calls are made here, for one thread of the keeper.

const (
	// fileRights are what a file that may be written allows, folderRights a folder.
	fileRights   = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	folderRights = fileRights | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_REFER
	// handledRights are what a child needs leave for. Nobody gets leave to make a device: root could
	// make one of the disk.
	handledRights = folderRights | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// LandlockABI returns the version of Landlock that the kernel has, or 0 if it has none.
func LandlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// newRuleset returns the descriptor of a ruleset that allows to write the paths.
func newRuleset(writable []string) (int, error) {
	covers := DescribeLandlock(LandlockABI())
	if !covers.Confines {
		return -1, unix.EOPNOTSUPP
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handledRights}
	if !covers.Truncates {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if covers.Signals {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, errno
	}
	for _, path := range writable {
		if err := allowPath(int(fd), path, attr.Handled_access_fs); err != nil {
			unix.Close(int(fd))
			return -1, err
		}
	}
	return int(fd), nil
}

// allowPath adds a path that may be written to a ruleset. It leaves out a path that is not there and one
// that leads through a symbolic link, which an agent may have put there in an earlier turn.
func allowPath(ruleset int, path string, handled uint64) error {
	at, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return nil
	}
	defer unix.Close(at)
	var stat unix.Stat_t
	if err := unix.Fstat(at, &stat); err != nil {
		return err
	}
	rights := handled & folderRights
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(at)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 && errno != unix.EBADFD { // which is a file system that has no folders
		return errno
	}
	return nil
}

// restrictThread confines the calling thread and all that is forked from it, for ever.
func restrictThread(ruleset int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// forkConfined forks the child on a thread of its own that was confined before, and stays: the system kills the child
// of a thread that ends. Go starts no thread from one that is locked, so that no other thread of the keeper is
// confined.
func forkConfined(o receivedOrder) (pid int, err error) {
	ruleset, err := newRuleset(convertEach[string](o.Start.Confine.Write))
	if err != nil {
		return 0, errors.Join(errNotConfined, os.NewSyscallError("landlock", err))
	}
	defer unix.Close(ruleset)
	forked := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		if err = restrictThread(ruleset); err != nil {
			err = errors.Join(errNotConfined, os.NewSyscallError("landlock", err))
		} else {
			pid, err = forkChild(o)
		}
		close(forked)
		select {}
	}()
	<-forked
	return pid, err
}
