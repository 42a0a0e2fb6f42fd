//go:build !unix

package jetstream

import (
	"errors"
	"io/fs"
)

// requireUnix returns an error: the journal's processes find one another by means of unix.
func requireUnix() error {
	return errors.New("the journal needs a unix system: run mulligan in WSL")
}

// ownerOf knows no owner.
func ownerOf(fs.FileInfo) (uid int, known bool) { return 0, false }
