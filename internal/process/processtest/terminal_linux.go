package processtest

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// NewTerminal makes a pseudo-terminal of a size such as 80x24, and returns the side that a person has and the
// name of the other. Closing it ends a read and hangs up at once.
func NewTerminal(size string) (master *os.File, name string, err error) {
	fd, err := syscall.Open("/dev/ptmx", syscall.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, "", err
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	unlock, number := int32(0), uint32(0)
	if err = ioctl(fd, syscall.TIOCSPTLCK, unsafe.Pointer(&unlock)); err == nil {
		err = ioctl(fd, syscall.TIOCGPTN, unsafe.Pointer(&number))
	}
	if err == nil {
		err = setSize(fd, size)
	}
	if err != nil {
		master.Close()
		return nil, "", err
	}
	return master, fmt.Sprintf("/dev/pts/%d", number), nil
}

// Resize changes the size of a terminal.
func Resize(master *os.File, size string) error {
	conn, err := master.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = setSize(int(fd), size) }); err != nil {
		return err
	}
	return failed
}

func ioctl(fd int, what uintptr, arg unsafe.Pointer) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), what, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

func setSize(fd int, size string) error {
	var s struct{ rows, cols, x, y uint16 }
	if _, err := fmt.Sscanf(size, "%dx%d", &s.cols, &s.rows); err != nil {
		return err
	}
	return ioctl(fd, syscall.TIOCSWINSZ, unsafe.Pointer(&s))
}
