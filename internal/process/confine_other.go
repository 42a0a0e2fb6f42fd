//go:build unix && !linux

package process

import (
	"errors"
	"syscall"
)

// forkConfined returns an error: only Linux has Landlock.
func forkConfined(receivedOrder) (int, error) {
	return 0, errors.Join(errNotConfined, syscall.ENOTSUP)
}
