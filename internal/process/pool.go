//go:build unix

package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	startTries = 3               // of keepers for one child
	goneWait   = 2 * time.Second // for a keeper to be gone that has nothing more to do
)

// A Pool runs children, each under a keeper of its own. It is safe for concurrent use.
type Pool struct {
	opt     PoolOptions
	program keeperProgram
	buffers sync.Pool

	mu      sync.Mutex // held while a keeper is started
	keepers map[int]*keeper
}

// NewPool returns a pool that has started no keeper yet.
func NewPool(opt PoolOptions) *Pool {
	p := &Pool{opt: opt, keepers: map[int]*keeper{}}
	if opt.Program != "" {
		p.program = openKeeperProgram(opt.Program)
	} else {
		p.program = openInstalledKeeper()
	}
	p.buffers.New = func() any { return new([bufferSize]byte) }
	return p
}

// KillAll kills every child that runs now, without a grace period. Their Runs return as usual.
func (p *Pool) KillAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.keepers {
		k.sendOrder(order{Kill: true})
	}
}

// A keeper is our side of the connection to a keeper's process.
type keeper struct {
	conn    *net.UnixConn
	cmd     *exec.Cmd
	stderr  *HeadTail     // what the keeper printed: nothing, unless it failed
	reports chan report   // closed when the keeper is lost
	gone    chan struct{} // closed when the keeper's process has ended

	mu sync.Mutex // held while writing
}

// startKeeper starts a keeper and waits until it is ready, so that this time does not count as its child's. The keeper
// is our own program, executed again, if own is set or the small program cannot be used.
func (p *Pool) startKeeper(own bool) (*keeper, error) {
	conn, theirs, err := newSocketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	k := &keeper{
		conn: conn, stderr: NewHeadTail(2048, 2048),
		reports: make(chan report, 4), gone: make(chan struct{}),
	}
	k.cmd = &exec.Cmd{
		Args:        slices.Concat([]string{os.Args[0], "keeper"}, identifyFolder(p.opt.State).words()),
		Dir:         "/",                              // so that no folder of the user's is in use
		Env:         append([]string{}, p.opt.Env...), // never nil, which would mean our own environment
		Stderr:      k.stderr,
		ExtraFiles:  append([]*os.File{theirs}, p.opt.Inherit...),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, // the signals of a terminal are not for it
		WaitDelay:   time.Second,
	}
	if own || !p.program.use(k.cmd) {
		k.cmd.Path, err = ownProgram()
	}
	if err == nil {
		err = p.startProcess(k)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	go k.receiveReports()
	return k, k.awaitReady()
}

// startProcess starts the keeper's process and keeps it in the list until it has ended.
func (p *Pool) startProcess(k *keeper) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := k.cmd.Start(); err != nil {
		return err
	}
	pid := k.cmd.Process.Pid
	p.keepers[pid] = k
	go func() {
		defer close(k.gone)
		k.cmd.Wait() // confirmLoss reads from ProcessState how it ended
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.keepers, pid)
	}()
	return nil
}

// awaitReady waits for the first report of a new keeper, which tells its version of the messages.
func (k *keeper) awaitReady() error {
	var first report
	select {
	case first = <-k.reports:
	case <-time.After(answerWait):
	}
	switch first.Ready {
	case wireVersion:
		return nil
	case 0:
		return k.confirmLoss()
	}
	return fmt.Errorf("%w: it is of version %d, not %d", k.confirmLoss(), first.Ready, wireVersion)
}

// receiveReports passes the keeper's reports on until the connection ends.
func (k *keeper) receiveReports() {
	defer close(k.reports)
	for {
		var r report
		if _, err := receive(k.conn, &r); err != nil {
			return
		}
		k.reports <- r
	}
}

// sendOrder sends an order with the files that belong to it. It is safe for concurrent use.
func (k *keeper) sendOrder(o order, files ...*os.File) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return send(k.conn, o, files...)
}

// isStopped reports whether a signal has stopped the keeper. No signal of a terminal reaches it.
func (k *keeper) isStopped() bool {
	stat, err := ReadStat(k.cmd.Process.Pid)
	return err == nil && stat.IsStopped()
}

// leave closes the connection to a keeper whose child is gone, and waits for the keeper's end: it holds the files
// of PoolOptions.Inherit.
func (k *keeper) leave() {
	k.conn.Close()
	select {
	case <-k.gone:
	case <-time.After(goneWait):
	}
}

// confirmLoss kills a keeper that does not answer, waits for it, and returns an ErrKeeperLost that
// tells how it ended and what it printed.
func (k *keeper) confirmLoss() error {
	k.cmd.Process.Kill()
	k.conn.Close()
	select {
	case <-k.gone:
	case <-time.After(goneWait):
		return ErrKeeperLost
	}
	err := fmt.Errorf("%w (%v)", ErrKeeperLost, k.cmd.ProcessState)
	if words := k.stderr.String(); words != "" {
		err = errors.Join(err, errors.New(words))
	}
	return err
}
