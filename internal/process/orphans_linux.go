package process

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// LeadSession makes this process the one that the processes below a killed keeper go to, and names it, so
// that they are known as a session's. A pool of this process then ends them.
func LeadSession() error {
	if err := renameHidden(sessionComm); err != nil {
		return err
	}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// renameHidden sets the name of this process. If its memory is hidden, the system lets only root open the
// name, so that the memory is shown for that moment.
func renameHidden(name string) error {
	hidden, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if err == nil && hidden == 0 {
		if err := setDumpable(1); err != nil {
			return err
		}
		defer setDumpable(0)
	}
	own := openOwnName()
	if own.file != nil {
		defer own.file.Close()
	}
	return own.set(name)
}

// endOrphans kills the processes that a lost keeper has left to this process, with all below them, and
// returns how many it has found, and how many of them do not end. It does nothing unless LeadSession was called. Our own children are
// keepers, which p knows, and tools, which are in our session; a process from below a keeper has left
// that session for good. It waits for each orphan by its id, and never for others' children.
func endOrphans(p *Pool) (found, stuck int) {
	if !leadsSession() {
		return 0, 0
	}
	seen := map[int]bool{}
	pause := time.Millisecond
	for end := time.Now().Add(stuckWait); ; time.Sleep(pause) {
		living := killOrphans(p, seen)
		if living == 0 || time.Now().After(end) {
			return len(seen), living
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

// leadsSession reports whether orphans below this process become its children.
func leadsSession() bool {
	var set int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptrTo(&set), 0, 0, 0)
	return err == nil && set == 1
}

// killOrphans kills the orphans of this process and all below them once, reaps those that have ended, adds
// them to seen, and returns how many are left.
func killOrphans(p *Pool, seen map[int]bool) (living int) {
	p.mu.Lock() // a keeper that is being started is not in the list yet
	defer p.mu.Unlock()
	self, err := ReadStat(os.Getpid())
	if err != nil {
		return 0 // there is no /proc
	}
	all, err := readProcesses()
	if err != nil {
		return 0
	}
	children := make(map[int][]Stat, len(all))
	for _, stat := range all {
		children[stat.Parent] = append(children[stat.Parent], stat)
	}
	var next []Stat
	for _, child := range children[self.PID] {
		if child.Session == self.Session || p.keepers[child.PID] != nil {
			continue
		}
		if child.HasEnded() {
			syscall.Wait4(child.PID, nil, syscall.WNOHANG, nil)
			continue
		}
		next = append(next, child)
	}
	for len(next) > 0 {
		orphan := next[0]
		next = append(next[1:], children[orphan.PID]...)
		if orphan.HasEnded() {
			continue
		}
		seen[orphan.PID] = true
		living++
		syscall.Kill(orphan.PID, syscall.SIGKILL)
	}
	return living
}
