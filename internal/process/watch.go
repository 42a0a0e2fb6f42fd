//go:build unix

package process

import (
	"net"
	"syscall"
	"time"
)

// A watch is a keeper's care for one child and all that it started.
type watch struct {
	conn     *net.UnixConn
	pid      int
	ended    *ended       // the child itself has ended, and this is not reported yet
	over     bool         // the child itself has ended
	told     bool         // Clean is reported
	left     map[int]bool // descendants that outlived the child
	stopping bool
	killing  bool
	pause    time.Duration // between two sweeps of a killing

	escalate <-chan time.Time // TERM was not heeded
	again    <-chan time.Time // those that were forked during the last sweep
	despair  <-chan time.Time
}

// run returns when nothing of the subtree is left.
func (w *watch) run(orders <-chan arrived, deaths <-chan death) {
	for {
		select {
		case o, ok := <-orders:
			if !ok {
				orders = nil // the other side is gone: so is the reason for all of this
				w.kill()
				continue
			}
			w.obey(o.order)
		case <-w.escalate:
			w.kill()
		case <-w.again:
			w.lookAgain()
		case <-w.despair:
			w.report(clean{Left: len(w.left), Stuck: len(remaining(w.pid))})
		case d, ok := <-deaths:
			if !ok {
				deaths = nil
			} else {
				w.childEnded(d)
			}
		}
		if w.over && deaths == nil && (reapsAll || len(remaining(w.pid)) == 0) {
			w.report(clean{Left: len(w.left)})
			return
		}
	}
}

func (w *watch) obey(o order) {
	switch {
	case o.Kill:
		w.kill()
	case o.Stop != nil && !w.stopping && !w.over:
		w.stopping = true
		w.terminate()
		w.escalate = time.After(*o.Stop)
	}
}

// childEnded reports the child's own end at once where more is left to be ended: its
// time limits are over, and what it left behind is not its time.
func (w *watch) childEnded(d death) {
	w.over, w.ended = true, describe(d.status)
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
	w.lookAgain()
}

// terminate asks everything to end. A stopped process hears it only when it goes on.
func (w *watch) terminate() {
	for _, pid := range w.living() {
		syscall.Kill(pid, syscall.SIGTERM)
		syscall.Kill(pid, syscall.SIGCONT)
	}
}

// kill ends everything, and comes again for what was forked in the meantime.
func (w *watch) kill() {
	if !w.killing {
		w.killing, w.escalate = true, nil
		w.despair = time.After(giveUp)
	}
	for _, pid := range w.living() {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	w.pause = min(w.pause+2*time.Millisecond, 50*time.Millisecond)
	w.again = time.After(w.pause)
}

func (w *watch) lookAgain() {
	switch {
	case w.killing:
		w.kill()
	case !reapsAll:
		w.again = time.After(leftGrace / 10) // no death tells that the group is gone
	}
}

func (w *watch) living() []int {
	pids := remaining(w.pid)
	if w.over {
		for _, pid := range pids {
			w.left[pid] = true
		}
	}
	return pids
}

// report says once that the subtree is gone, or that no more can be done about it.
func (w *watch) report(c clean) {
	w.despair = nil
	if w.told {
		return
	}
	w.told = true
	send(w.conn, report{Ended: w.ended, Clean: &c})
}

// A death is the end of the child itself.
type death struct {
	status syscall.WaitStatus
	left   bool // it has left others behind
}

// reap waits for everything that ends below this process, tells when it was the child
// itself, and closes when there is nothing more to wait for.
func reap(child int) <-chan death {
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
					own.left = !reapsAll && len(remaining(child)) > 0
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

func describe(s syscall.WaitStatus) *ended {
	if s.Signaled() {
		return &ended{Code: -1, Signal: s.Signal(), Core: s.CoreDump()}
	}
	return &ended{Code: s.ExitStatus()}
}
