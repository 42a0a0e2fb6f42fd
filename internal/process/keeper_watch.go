//go:build unix

package process

import (
	"net"
	"syscall"
	"time"
)

// A watch is a keeper's state of one child and its descendants.
type watch struct {
	conn      *net.UnixConn
	pid       int
	ended     *ended       // how the child itself ended, until that is reported
	childGone bool         // the child itself has ended
	reported  bool         // Clean is reported
	left      map[int]bool // descendants that outlived the child
	stopping  bool
	killing   bool
	pause     time.Duration // between two sweeps of a killing

	escalate <-chan time.Time // fires when SIGTERM had no effect
	again    <-chan time.Time // fires when processes forked during the last sweep are to be found
	stuck    <-chan time.Time
}

// run handles orders and the end of processes, and returns when the whole subtree is gone.
func (w *watch) run(orders <-chan receivedOrder, deaths <-chan death) {
	for {
		select {
		case o, ok := <-orders:
			if !ok {
				orders = nil // the process that wanted the child is gone
				w.kill()
				continue
			}
			w.handleOrder(o.order)
		case <-w.escalate:
			w.kill()
		case <-w.again:
			w.sweepAgain()
		case <-w.stuck:
			w.reportClean(clean{Left: len(w.left), Stuck: len(listRemaining(w.pid))})
		case d, ok := <-deaths:
			if !ok {
				deaths = nil
			} else {
				w.handleChildEnd(d)
			}
		}
		if w.childGone && deaths == nil && (reapsAll || len(listRemaining(w.pid)) == 0) {
			w.reportClean(clean{Left: len(w.left)})
			return
		}
	}
}

// handleOrder terminates or kills the child as ordered.
func (w *watch) handleOrder(o order) {
	switch {
	case o.Kill:
		w.kill()
	case o.Stop != nil && !w.stopping && !w.childGone:
		w.stopping = true
		w.terminate()
		w.escalate = time.After(*o.Stop)
	}
}

// handleChildEnd records how the child itself ended. If descendants are left, it reports that at once,
// since their time does not count for the child's limits, and terminates them.
func (w *watch) handleChildEnd(d death) {
	w.childGone = true
	w.ended = &ended{Code: d.status.ExitStatus(), Core: d.status.CoreDump(), Stopped: w.stopping || w.killing}
	if d.status.Signaled() {
		w.ended.Signal = d.status.Signal()
	}
	if !d.left {
		return
	}
	send(w.conn, report{Ended: w.ended})
	w.ended = nil
	if w.killing {
		return
	}
	w.terminate()
	w.escalate = time.After(leftGrace)
	w.sweepAgain()
}

// terminate sends SIGTERM to the whole subtree, and SIGCONT, because a stopped process gets the first
// only when it continues.
func (w *watch) terminate() {
	for _, pid := range w.listLiving() {
		syscall.Kill(pid, syscall.SIGTERM)
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// kill sends SIGKILL to the whole subtree, and schedules itself again for processes forked meanwhile.
func (w *watch) kill() {
	if !w.killing {
		w.killing, w.escalate = true, nil
		w.stuck = time.After(stuckWait)
	}
	for _, pid := range w.listLiving() {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	w.pause = min(w.pause+2*time.Millisecond, 50*time.Millisecond)
	w.again = time.After(w.pause)
}

// sweepAgain continues a killing, or schedules another look where the end of descendants is not reported.
func (w *watch) sweepAgain() {
	switch {
	case w.killing:
		w.kill()
	case !reapsAll:
		w.again = time.After(leftGrace / 10) // reapChildren does not see the end of the group
	}
}

// listLiving returns what remains of the subtree, and counts it as left if the child itself has ended.
func (w *watch) listLiving() []int {
	pids := listRemaining(w.pid)
	if w.childGone {
		for _, pid := range pids {
			w.left[pid] = true
		}
	}
	return pids
}

// reportClean reports, once, that the subtree is gone or that its rest cannot be ended.
func (w *watch) reportClean(c clean) {
	w.stuck = nil
	if w.reported {
		return
	}
	w.reported = true
	send(w.conn, report{Ended: w.ended, Clean: &c})
}

// A death is the end of the child itself.
type death struct {
	status syscall.WaitStatus
	left   bool // descendants have outlived it
}

// reapChildren waits for every process that ends below this one. The channel that it returns gets the
// end of the child itself, and closes when no process is left to wait for.
func reapChildren(child int) <-chan death {
	deaths := make(chan death, 1)
	go func() {
		defer close(deaths)
		for flags, own := 0, (*death)(nil); ; {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, flags, nil)
			switch {
			case err == syscall.EINTR:
			case pid == child:
				// From here on poll, until it is known whether descendants are left.
				own, flags = &death{status: status}, syscall.WNOHANG
			case err != nil:
				if own != nil {
					own.left = !reapsAll && len(listRemaining(child)) > 0
					deaths <- *own
				}
				return
			case pid == 0:
				own.left = true
				deaths <- *own
				own, flags = nil, 0
			}
		}
	}()
	return deaths
}
