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
)

const (
	socketFd = 3 // the keeper's end of the pair; what it holds for others comes after

	leftGrace = 300 * time.Millisecond // for descendants that outlive a child that ended by itself
	stuckWait = 10 * time.Second       // for descendants that do not end when killed: stuck in the system
	busyWait  = 200 * time.Millisecond // for a program file that somebody still has open for writing
)

// KeeperMain is the whole life of a keeper: our own program, executed again to start
// children, to end all that they leave behind, and to end everything when the process
// that started it is gone. main calls it first of all when os.Args[1] is "keeper". It
// does not return.
func KeeperMain() {
	// The system ends a child when the thread that forked it ends, so all are forked by
	// this one, and it stays.
	runtime.LockOSThread()
	if err := runKeeper(); err != nil {
		fmt.Fprintf(os.Stderr, "keeper: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runKeeper() error {
	for fd := socketFd; setCloseOnExec(fd) == nil; fd++ {
		continue
	}
	// Caught and dropped rather than ignored: a child would inherit what is ignored.
	signal.Notify(make(chan os.Signal, 1),
		syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE)
	if err := becomeReaper(); err != nil {
		return err
	}
	conn, err := connFromFD(socketFd)
	if err != nil {
		return fmt.Errorf("no socket to listen on, and only mulligan itself starts one: %w", err)
	}
	if err := send(conn, report{Ready: true}); err != nil {
		return nil // nobody is there any more
	}
	orders := receiveOrders(conn)
	for o := range orders {
		if o.Start == nil {
			continue // a stop that came too late for its child
		}
		serveChild(conn, orders, o)
	}
	return nil
}

// An receivedOrder order, with the files that came along.
type receivedOrder struct {
	order
	files []int
}

// receiveOrders gives the orders as they come, and ends when the other side is gone.
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

// serveChild starts a child and returns when its whole subtree is gone. The other side being
// gone meanwhile is found by the caller, too: orders stays closed. A report that cannot be
// sent means just that.
func serveChild(conn *net.UnixConn, orders <-chan receivedOrder, o receivedOrder) {
	pid, err := startChild(o)
	if o.Start.Agent {
		defer setComm(keeperComm) // all of the agent is gone; the next child is not its
	}
	for _, fd := range o.files {
		syscall.Close(fd)
	}
	if err != nil {
		errno := syscall.EINVAL
		errors.As(err, &errno)
		send(conn, report{Failed: errno})
		return
	}
	send(conn, report{Started: pid})
	w := watch{conn: conn, pid: pid, left: map[int]bool{}}
	w.run(orders, reapChildren(pid))
}

// startChild forks the child. An agent's keeper says so first: nothing of an agent ever runs
// below one that does not.
func startChild(o receivedOrder) (int, error) {
	if o.Start.Agent {
		if err := setComm(agentComm); err != nil {
			return 0, err
		}
	}
	return forkChild(o)
}

func forkChild(o receivedOrder) (int, error) {
	if len(o.files) != 3 {
		return 0, syscall.EBADF
	}
	attr := &syscall.ProcAttr{
		Dir:   string(o.Start.Dir),
		Env:   toStrings(o.Start.Env),
		Files: []uintptr{uintptr(o.files[0]), uintptr(o.files[1]), uintptr(o.files[2])},
		Sys:   childAttr(),
	}
	path, argv := string(o.Start.Path), toStrings(o.Start.Argv)
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		pid, err := syscall.ForkExec(path, argv, attr)
		// A script just written may be open still in a process that was being forked then.
		if err != syscall.ETXTBSY || time.Since(began) > busyWait {
			return pid, err
		}
	}
}

func setCloseOnExec(fd int) error {
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_SETFD, syscall.FD_CLOEXEC)
	if errno != 0 {
		return errno
	}
	return nil
}
