//go:build !unix

package jetstream

import (
	"errors"
	"io/fs"
	"os"
)

// flock refuses: the journal's processes find one another by means of unix.
func flock(*os.File) error {
	return errors.New("the journal needs a unix system: run mulligan in WSL")
}

func flockShared(f *os.File) error { return flock(f) }

func dup(*os.File) (*os.File, error) { return nil, errors.ErrUnsupported }

func ownerOf(fs.FileInfo) (uid int, known bool) { return 0, false }
