//go:build unix

package process

import (
	"path/filepath"
	"sync"
)

// openInstalledKeeper opens the small program that is installed beside ours, once, before any child could put another
// in its place.
var openInstalledKeeper = sync.OnceValue(func() (program keeperProgram) {
	if own, err := ownProgram(); err == nil {
		program = openKeeperProgram(filepath.Join(filepath.Dir(own), keeperComm))
	}
	return program
})
