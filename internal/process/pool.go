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
	maxIdle   = 4                      // keepers that wait for work; more are ended
	spareWait = 100 * time.Millisecond // after which a child that still runs gets a spare keeper beside its own
	closeWait = 2 * time.Second        // for idle keepers to be gone
)

// A Pool runs children, each under a keeper. Keepers take a while to start, so the pool uses a keeper again
// after its child is gone, and keeps a spare one ready beside children that run for longer than spareWait:
// those that are shorter can take turns with one keeper. It is safe for concurrent use.
type Pool struct {
	opt       PoolOptions
	spareWait time.Duration

	mu      sync.Mutex
	idle    []*keeper
	busy    map[*keeper]bool
	warming bool
	later   *time.Timer // starts a spare; nil until a child has begun that may be short
	closed  bool

	started  keeperList
	starting sync.WaitGroup // spares that are being started
	buffers  sync.Pool
}

// NewPool returns a pool that has started no keeper yet.
func NewPool(opt PoolOptions) *Pool {
	p := &Pool{opt: opt, spareWait: spareWait, busy: map[*keeper]bool{}}
	p.buffers.New = func() any { return new([bufferSize]byte) }
	return p
}

// Warm starts a spare keeper in the background if there is none. It does not wait, and reports no error:
// a later Run does.
func (p *Pool) Warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.startSpare()
}

// startSpareLater has a spare started after spareWait, if none is idle then. It must be called with p.mu held.
func (p *Pool) startSpareLater() {
	if p.later != nil {
		p.later.Reset(p.spareWait)
		return
	}
	p.later = time.AfterFunc(p.spareWait, p.Warm)
}

// startSpare starts a keeper in the background if none is idle. It must be called with p.mu held.
func (p *Pool) startSpare() {
	if p.closed || p.warming || len(p.idle) > 0 {
		return
	}
	p.warming = true
	p.starting.Go(func() {
		k, err := p.startKeeper()
		p.mu.Lock()
		p.warming = false
		p.mu.Unlock()
		if err == nil {
			p.releaseKeeper(k, true)
		}
	})
}

// Close ends the idle keepers and waits for them. Busy ones end after their child.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	if p.later != nil {
		p.later.Stop()
	}
	p.mu.Unlock()
	p.starting.Wait()
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, k := range idle {
		k.conn.Close()
	}
	timeout := time.After(closeWait)
	for _, k := range idle {
		select {
		case <-k.gone:
		case <-timeout:
			return
		}
	}
}

// KillAll kills every child that runs now, without a grace period. Their Runs return as usual.
func (p *Pool) KillAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.busy {
		k.sendOrder(order{Kill: true})
	}
}

// takeKeeper returns an idle keeper, or starts one, and marks it as busy. For a child that lasts it starts a spare.
func (p *Pool) takeKeeper(lasts bool) (*keeper, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	var k *keeper
	for k == nil && len(p.idle) > 0 {
		last := len(p.idle) - 1
		k, p.idle = p.idle[last], p.idle[:last]
		if k.isLost() || k.isStopped() {
			k.discard()
			k = nil
		}
	}
	if lasts {
		p.startSpare()
	} else {
		p.startSpareLater()
	}
	p.mu.Unlock()
	if k == nil {
		var err error
		if k, err = p.startKeeper(); err != nil {
			return nil, fmt.Errorf("start a keeper: %w", err)
		}
	}
	p.mu.Lock()
	p.busy[k] = true
	p.mu.Unlock()
	return k, nil
}

// releaseKeeper makes a keeper idle that can be used again, or ends it if it cannot or there are enough.
func (p *Pool) releaseKeeper(k *keeper, reusable bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, k)
	if !reusable || p.closed || len(p.idle) >= maxIdle || k.isLost() {
		k.conn.Close()
		return
	}
	p.idle = append(p.idle, k)
}

// A keeper is our side of the connection to a keeper's process.
type keeper struct {
	conn    *net.UnixConn
	cmd     *exec.Cmd
	stderr  *HeadTail     // what the keeper printed: nothing, unless it failed
	reports chan report   // closed when the keeper is lost
	lost    chan struct{} // closed with reports
	gone    chan struct{} // closed when the keeper's process has ended
	ready   bool          // the first report has arrived

	mu sync.Mutex // held while writing
}

// startKeeper starts a keeper's process. It does not wait for the keeper's first report.
func (p *Pool) startKeeper() (*keeper, error) {
	path := p.opt.Executable
	if path == "" {
		var err error
		if path, err = ownProgram(); err != nil {
			return nil, err
		}
	}
	args := p.opt.Args
	if args == nil {
		args = []string{"keeper"}
	}
	args = slices.Concat(args, identifyFolder(p.opt.State).words())
	conn, theirs, err := newSocketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	k := &keeper{
		conn: conn, stderr: NewHeadTail(2048, 2048),
		reports: make(chan report, 4), lost: make(chan struct{}), gone: make(chan struct{}),
	}
	k.cmd = &exec.Cmd{
		Path:        path,
		Args:        append([]string{os.Args[0]}, args...),
		Dir:         "/",                              // so that no folder of the user's is in use
		Env:         append([]string{}, p.opt.Env...), // never nil, which would mean our own environment
		Stderr:      k.stderr,
		ExtraFiles:  append([]*os.File{theirs}, p.opt.Inherit...),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		WaitDelay:   time.Second,
	}
	if err := p.started.start(k.cmd); err != nil {
		conn.Close()
		return nil, err
	}
	go k.receiveReports()
	go func() {
		defer close(k.gone)
		k.cmd.Wait() // confirmLoss reads from ProcessState how it ended
		p.started.remove(k.cmd.Process.Pid)
	}()
	return k, nil
}

// A keeperList has the ids of the keepers that run.
type keeperList struct {
	mu   sync.Mutex
	pids map[int]bool
}

// start starts a keeper and adds it.
func (l *keeperList) start(cmd *exec.Cmd) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if l.pids == nil {
		l.pids = map[int]bool{}
	}
	l.pids[cmd.Process.Pid] = true
	return nil
}

func (l *keeperList) remove(pid int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pids, pid)
}

// awaitReady waits for the first report of a new keeper, so that this time does not count as its child's.
func (k *keeper) awaitReady() error {
	if k.ready {
		return nil
	}
	select {
	case r := <-k.reports:
		k.ready = r.Ready
	case <-time.After(answerWait):
		k.cmd.Process.Kill()
	}
	if !k.ready {
		return errors.New("it did not begin")
	}
	return nil
}

// receiveReports passes the keeper's reports on until the connection ends.
func (k *keeper) receiveReports() {
	defer close(k.lost)
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

// isLost reports whether the connection to the keeper has ended.
func (k *keeper) isLost() bool {
	select {
	case <-k.lost:
		return true
	default:
		return false
	}
}

// isStopped reports whether a signal has stopped the keeper. No signal of a terminal reaches it.
func (k *keeper) isStopped() bool {
	stat, err := ReadStat(k.cmd.Process.Pid)
	return err == nil && stat.IsStopped()
}

// discard ends an idle keeper that cannot be used.
func (k *keeper) discard() {
	k.cmd.Process.Kill()
	k.conn.Close()
}

// confirmLoss kills a keeper whose connection has ended, waits for it, and returns an ErrKeeperLost that
// tells how it ended and what it printed.
func (k *keeper) confirmLoss() error {
	k.cmd.Process.Kill()
	select {
	case <-k.gone:
	case <-time.After(closeWait):
		return ErrKeeperLost
	}
	err := fmt.Errorf("%w (%v)", ErrKeeperLost, k.cmd.ProcessState)
	if words := k.stderr.String(); words != "" {
		err = errors.Join(err, errors.New(words))
	}
	return err
}
