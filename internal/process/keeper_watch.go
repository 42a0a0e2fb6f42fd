//go:build unix

package process

import (
	"net"
	"syscall"
	"time"
)

// A watch is a keeper's care for one child and all that it started.
type watch struct {
	conn      *net.UnixConn
	pid       int
	ended     *ended       // the child itself has ended, and this is not reported yet
	childGone bool         // the child itself has ended
	reported  bool         // Clean is reported
	left      map[int]bool // descendants that outlived the child
	stopping  bool
	killing   bool
	pause     time.Duration // between two sweeps of a killing

	escalate <-chan time.Time // TERM was not heeded
	again    <-chan time.Time // those that were forked during the last sweep
	stuck    <-chan time.Time
}

// run returns when nothing of the subtree is left.
func (w *watch) run(orders <-chan receivedOrder, deaths <-chan death) {
	for {
		select {
		case o, ok := <-orders:
			if !ok {
				orders = nil // the other side is gone: so is the reason for all of this
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

// handleChildEnd reports the child's own end at once where more is left to be ended: its
// time limits are over, and what it left behind is not its time.
func (w *watch) handleChildEnd(d death) {
	w.childGone, w.ended = true, describeExit(d.status)
	w.ended.Stopped = w.stopping || w.killing
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

// terminate asks everything to end. A stopped process hears it only when it goes on.
func (w *watch) terminate() {
	for _, pid := range w.listLiving() {
		syscall.Kill(pid, syscall.SIGTERM)
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// kill ends everything, and comes again for what was forked in the meantime.
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

func (w *watch) sweepAgain() {
	switch {
	case w.killing:
		w.kill()
	case !reapsAll:
		w.again = time.After(leftGrace / 10) // no death tells that the group is gone
	}
}

func (w *watch) listLiving() []int {
	pids := listRemaining(w.pid)
	if w.childGone {
		for _, pid := range pids {
			w.left[pid] = true
		}
	}
	return pids
}

// reportClean says once that the subtree is gone, or that no more can be done about it.
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
	left   bool // it has left others behind
}

// reapChildren waits for everything that ends below this process, tells when it was the child
// itself, and closes when there is nothing more to wait for.
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
				// Only look from here on, until it is known whether others are left.
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

func describeExit(s syscall.WaitStatus) *ended {
	if s.Signaled() {
		return &ended{Code: -1, Signal: s.Signal(), Core: s.CoreDump()}
	}
	return &ended{Code: s.ExitStatus()}
}
