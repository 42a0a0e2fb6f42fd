package main

import (
	"os"
	"sync"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// mounts reports whether this process may mount a file system: a full disk and a read-only one
// can be had in no other way that holds for root too.
var mounts = sync.OnceValue(func() bool {
	dir, err := os.MkdirTemp("", "mulligan-mount-")
	if err != nil {
		return false
	}
	defer os.Remove(dir)
	if syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k") != nil {
		return false
	}
	return syscall.Unmount(dir, syscall.MNT_DETACH) == nil
})

// smalldisk DIR SIZE makes DIR a file system of that size.
func smalldisk(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(syscall.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+args[1]))
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// readonly DIR makes the file system at DIR one that cannot be written; ! readonly takes
// that back.
func readonly(ts *testscript.TestScript, neg bool, args []string) {
	flags := uintptr(syscall.MS_REMOUNT)
	if !neg {
		flags |= syscall.MS_RDONLY
	}
	ts.Check(syscall.Mount("tmpfs", ts.MkAbs(args[0]), "tmpfs", flags, ""))
}
