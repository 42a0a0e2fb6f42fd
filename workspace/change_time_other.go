//go:build !linux && !darwin

package workspace

import (
	"io/fs"
	"time"
)

func changeTime(info fs.FileInfo) time.Time { return info.ModTime() }
