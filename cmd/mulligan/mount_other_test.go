//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func mounts() bool { return false }

func smalldisk(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("this system has no small disks to mount")
}

func readonly(ts *testscript.TestScript, neg bool, args []string) {
	ts.Fatalf("this system has no small disks to mount")
}
