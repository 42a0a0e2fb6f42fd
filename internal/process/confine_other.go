//go:build unix && !linux

package process

import (
	"errors"
	"syscall"
)

// forkConfined returns an error: only Linux has Landlock.
func forkConfined(receivedOrder) (int, func(), error) {
	return 0, func() {}, errors.Join(errNotConfined, syscall.ENOTSUP)
}
