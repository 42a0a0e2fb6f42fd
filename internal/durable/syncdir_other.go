//go:build !windows

package durable

import (
	"errors"
	"os"
)

// SyncDir flushes the names in a folder to the disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
