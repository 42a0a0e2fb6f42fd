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
	maxIdle   = 4               // keepers that wait for work; more are let go
	closeWait = 2 * time.Second // for idle keepers to be gone
)

// A Pool runs children, each under a keeper. Keepers take a while to start, so one more
// than is needed is kept ready, and one whose child is gone is used again.
type Pool struct {
	opt PoolOptions

	mu      sync.Mutex
	idle    []*keeper
	busy    map[*keeper]bool
	warming bool
	closed  bool

	starting sync.WaitGroup // spares on their way
	buffers  sync.Pool
}

// NewPool starts nothing yet.
func NewPool(opt PoolOptions) *Pool {
	p := &Pool{opt: opt, busy: map[*keeper]bool{}}
	p.buffers.New = func() any { return new([bufferSize]byte) }
	return p
}

// Warm has a keeper ready soon. It does not wait, and a keeper that cannot be started is
// the trouble of whoever runs something.
func (p *Pool) Warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.startSpare()
}

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
			p.returnKeeper(k)
		}
	})
}

// Close ends the idle keepers and waits for them. Those at work go on, and end after it.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.starting.Wait()
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, k := range idle {
		k.conn.Close()
	}
	patience := time.After(closeWait)
	for _, k := range idle {
		select {
		case <-k.gone:
		case <-patience:
			return
		}
	}
}

// KillAll kills everything that runs now, without a grace. Their Runs return as usual.
func (p *Pool) KillAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := range p.busy {
		k.sendOrder(order{Kill: true})
	}
}

// takeKeeper gives an idle keeper, or a new one.
func (p *Pool) takeKeeper() (*keeper, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	var k *keeper
	for k == nil && len(p.idle) > 0 {
		last := len(p.idle) - 1
		k, p.idle = p.idle[last], p.idle[:last]
		if k.isLost() {
			k = nil
		}
	}
	p.startSpare()
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

// returnKeeper takes a keeper back that is free again.
func (p *Pool) returnKeeper(k *keeper) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, k)
	if p.closed || len(p.idle) >= maxIdle || k.isLost() {
		k.conn.Close()
		return
	}
	p.idle = append(p.idle, k)
}

// dropKeeper lets a keeper go that is not to be used again.
func (p *Pool) dropKeeper(k *keeper) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, k)
	k.conn.Close()
}

// A keeper is our side of one.
type keeper struct {
	conn    *net.UnixConn
	cmd     *exec.Cmd
	stderr  *HeadTail   // what it printed: nothing, unless it broke
	reports chan report // closed when the keeper is lost
	lost    chan struct{}
	gone    chan struct{} // its process has ended
	ready   bool          // it has said that it is there

	mu sync.Mutex // held while writing
}

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
		Dir:         "/", // so as to hold no folder of the user's
		Env:         slices.Concat([]string{}, p.opt.Env),
		Stderr:      k.stderr,
		ExtraFiles:  append([]*os.File{theirs}, p.opt.Inherit...),
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		WaitDelay:   time.Second,
	}
	if err := k.cmd.Start(); err != nil {
		conn.Close()
		return nil, err
	}
	go k.receiveReports()
	go func() {
		defer close(k.gone)
		k.cmd.Wait() // how it ended is read from ProcessState, where anybody asks
	}()
	return k, nil
}

// awaitReady waits until a new keeper has said that it is there. The time that takes is not its child's.
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

func (k *keeper) sendOrder(o order, files ...*os.File) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return send(k.conn, o, files...)
}

func (k *keeper) isLost() bool {
	select {
	case <-k.lost:
		return true
	default:
		return false
	}
}

// confirmLoss says how a keeper was lost, and makes sure that it is.
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
