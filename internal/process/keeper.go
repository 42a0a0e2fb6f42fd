//go:build unix

package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	socketFd = 3 // the keeper's end of the socket pair; other files that it holds open follow

	leftGrace = 300 * time.Millisecond // for descendants that outlive a child that ended by itself
	stuckWait = 10 * time.Second       // for descendants that do not end when killed: stuck in the kernel
	busyWait  = 200 * time.Millisecond // for a program file that another process still has open for writing
)

// KeeperMain runs a keeper: a process that starts a child, ends all processes that it leaves behind, and ends
// everything when the process that started the keeper is gone. main must call it before anything else if
// os.Args[1] is "keeper". It does not return.
func KeeperMain() {
	// The system kills a child when the thread that forked it ends (Pdeathsig), so this thread stays.
	runtime.LockOSThread()
	if err := runKeeper(); err != nil {
		fmt.Fprintf(os.Stderr, "keeper: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runKeeper starts the child that it is ordered to, and returns when its whole subtree is gone, or the other side of
// the socket before there was an order.
func runKeeper() error {
	// Our descriptors are kept from the children. The first that is not open ends the loop.
	var notOpen error
	for fd := uintptr(socketFd); notOpen == nil; fd++ {
		_, notOpen = unix.FcntlInt(fd, unix.F_SETFD, unix.FD_CLOEXEC)
	}
	// Caught and dropped rather than ignored: a child would inherit an ignored signal.
	signal.Notify(make(chan os.Signal, 1),
		syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)
	name, err := becomeReaper()
	if err != nil {
		return err
	}
	conn, err := connFromFD(socketFd)
	if err != nil {
		return fmt.Errorf("no socket to listen on, and only mulligan itself starts one: %w", err)
	}
	if err := send(conn, report{Ready: wireVersion}); err != nil {
		return nil // the process that started the keeper is gone
	}
	orders := receiveOrders(conn)
	for o := range orders {
		if o.Start != nil { // else it is to kill a child that is still to be started
			serveChild(conn, orders, o, name)
			return nil
		}
	}
	return nil
}

// A receivedOrder is an order with the descriptors that came along.
type receivedOrder struct {
	order
	files []int
}

// receiveOrders returns a channel of the orders as they arrive. The channel closes when the other side
// is gone.
func receiveOrders(conn *net.UnixConn) <-chan receivedOrder {
	orders := make(chan receivedOrder)
	go func() {
		defer close(orders)
		for {
			var o receivedOrder
			var err error
			if o.files, err = receive(conn, &o.order); err != nil {
				return
			}
			orders <- o
		}
	}()
	return orders
}

// serveChild starts a child and returns when its whole subtree is gone. It does not tell its caller that
// the other side is gone meanwhile: the caller finds orders closed. A report that cannot be sent means
// the same, so that errors of send are dropped.
func serveChild(conn *net.UnixConn, orders <-chan receivedOrder, o receivedOrder, name ownName) {
	pid, err := startChild(o, name)
	for _, fd := range o.files {
		syscall.Close(fd)
	}
	if err != nil {
		errno := syscall.EINVAL
		errors.As(err, &errno)
		send(conn, report{Failed: errno, NotConfined: errors.Is(err, errNotConfined)})
		return
	}
	send(conn, report{Started: pid})
	w := watch{conn: conn, pid: pid, left: map[int]bool{}}
	w.run(orders, reapChildren(pid))
}

// errNotConfined means that a child was not started because it could not be confined.
var errNotConfined = errors.New("not confined")

// startChild forks the child. The keeper takes the name of the child's role before that, so that no
// process of the child ever runs below a keeper without it.
func startChild(o receivedOrder, name ownName) (pid int, err error) {
	if o.Start.Role != RoleNone {
		if err := name.set(o.Start.Role.comm()); err != nil {
			return 0, err
		}
	}
	if o.Start.Confine != nil {
		return forkConfined(o)
	}
	return forkChild(o)
}

// forkChild executes the child's program, and tries again for a while if its file is open for writing.
func forkChild(o receivedOrder) (int, error) {
	if len(o.files) != 3 {
		return 0, syscall.EBADF
	}
	attr := &syscall.ProcAttr{
		Dir:   string(o.Start.Dir),
		Env:   convertEach[string](o.Start.Env),
		Files: []uintptr{uintptr(o.files[0]), uintptr(o.files[1]), uintptr(o.files[2])},
		Sys:   childAttr(),
	}
	path, argv := string(o.Start.Path), convertEach[string](o.Start.Argv)
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		pid, err := syscall.ForkExec(path, argv, attr)
		// A script just written may still be open in a process that was forked at that moment.
		if err != syscall.ETXTBSY || time.Since(began) > busyWait {
			return pid, err
		}
	}
}
