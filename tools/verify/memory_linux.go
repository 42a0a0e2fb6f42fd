package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// neededMemory is the memory that must be free for the temporary files of the tests to be kept there: they take up to
// 1 GB at a time, and the tests themselves and what they build some more.
const neededMemory = 8 << 30

// enterMemory starts this program anew, with folders in memory that only it and what it starts can see: one for
// temporary files, and one for what confined agents may not write. They are gone when these processes are, however they
// end. Tests make and remove some hundred thousand files, which on a disk is up to a third of their time.
//
// It returns if it did not: the reason if this process may not mount, or there is too little memory, else an error.
func enterMemory() (reason string, err error) {
	free := readFreeMemory("/")
	if free < neededMemory {
		return fmt.Sprintf("only %d MB of memory are free", free>>20), nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dirs, err := makeMemoryDirs()
	if err != nil {
		return err.Error(), nil
	}
	runtime.LockOSThread() // the new mounts are this thread's, until it becomes the whole process
	if err := mountPrivately(dirs, free/2); err != nil {
		return err.Error(), removeEmpty(dirs)
	}
	if err := errors.Join(os.Setenv("TMPDIR", dirs[0]), os.Setenv("MULLIGAN_TEST_CACHE", dirs[1])); err != nil {
		return "", err
	}
	return "", syscall.Exec(self, append([]string{self, "-memory=" + strings.Join(dirs, ":")}, os.Args[1:]...), os.Environ())
}

// makeMemoryDirs makes the folders to mount on: one below the temporary ones, one below the user's cache folder. Their
// names are short, because sockets are made below them.
func makeMemoryDirs() ([]string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, err
	}
	var dirs []string
	for _, parent := range []string{"", cache} {
		dir, err := os.MkdirTemp(parent, "mt")
		if err != nil {
			return nil, errors.Join(err, removeEmpty(dirs))
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// mountPrivately mounts a file system in memory on each of dirs, for this thread and what it starts. Every user may enter
// them: some tests start programs as another one.
func mountPrivately(dirs []string, size uint64) error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	if err := syscall.Mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mounts of its own: %w", err)
	}
	for _, dir := range dirs {
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0755,size="+strconv.FormatUint(size, 10)); err != nil {
			return fmt.Errorf("a file system in memory: %w", err)
		}
	}
	return nil
}

// leaveMemory removes the folders on which enterMemory has mounted.
func leaveMemory(joined string) error {
	dirs := strings.Split(joined, ":")
	for _, dir := range dirs {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			return err
		}
	}
	return removeEmpty(dirs)
}

// removeEmpty removes empty folders.
func removeEmpty(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		errs = append(errs, os.Remove(dir))
	}
	return errors.Join(errs...)
}
