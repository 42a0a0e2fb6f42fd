//go:build !unix

package gitfolder

import "os"

const openFlags = os.O_RDONLY
