//go:build unix

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	pipeSize   = 1 << 20
	bufferSize = 256 << 10

	eofWait = time.Second // for somebody outside the subtree who holds a pipe of the child's
)

// A stdio is the three files of a child, and what moves bytes in and out of them.
type stdio struct {
	child [3]*os.File
	ours  []*os.File // of the child's: to be closed once the keeper has them

	input  io.Reader
	inPipe *os.File // nil: the child has a file, or nothing
	inErr  chan error

	outputs []*outputPipe
	copying sync.WaitGroup

	last    atomic.Int64 // when a byte came, since began
	writing atomic.Int32 // writers that take their time: the child is not silent then
	began   time.Time
}

// A outputPipe is one pipe that the child writes, and where it goes.
type outputPipe struct {
	pipe *os.File
	to   io.Writer
	err  error // of the writer; nothing is given to it any more
}

func openStdio(s Spec) (*stdio, error) {
	d := &stdio{began: time.Now(), inErr: make(chan error, 1)}
	err := d.open(s)
	if err != nil {
		d.closeChild()
		d.closePipes()
		return nil, err
	}
	return d, nil
}

func (d *stdio) open(s Spec) (err error) {
	if d.child[0], err = d.openInput(s.Stdin); err != nil {
		return err
	}
	direct := s.Idle == 0
	if d.child[1], err = d.openOutput(s.Stdout, direct); err != nil {
		return err
	}
	if s.Stdout != nil && sameWriter(s.Stdout, s.Stderr) {
		d.child[2] = d.child[1]
		return nil
	}
	d.child[2], err = d.openOutput(s.Stderr, direct)
	return err
}

func (d *stdio) openInput(r io.Reader) (*os.File, error) {
	switch r := r.(type) {
	case nil:
		return d.closeLater(os.Open(os.DevNull))
	case *os.File:
		return r, nil
	}
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	d.input, d.inPipe = r, pw
	return d.closeLater(pr, nil)
}

func (d *stdio) openOutput(w io.Writer, direct bool) (*os.File, error) {
	if w == nil {
		return d.closeLater(os.OpenFile(os.DevNull, os.O_WRONLY, 0))
	}
	if f, ok := w.(*os.File); ok && direct {
		return f, nil
	}
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	enlargePipe(pw.Fd())
	d.outputs = append(d.outputs, &outputPipe{pipe: pr, to: w})
	return d.closeLater(pw, nil)
}

func (d *stdio) closeLater(f *os.File, err error) (*os.File, error) {
	if err == nil {
		d.ours = append(d.ours, f)
	}
	return f, err
}

func (d *stdio) closeChild() {
	for _, f := range d.ours {
		f.Close()
	}
	d.ours = nil
}

func (d *stdio) closePipes() {
	if d.inPipe != nil {
		d.inPipe.Close()
	}
	for _, dr := range d.outputs {
		dr.pipe.Close()
	}
}

// startCopying moves bytes from now on.
func (d *stdio) startCopying(buffers *sync.Pool) {
	d.last.Store(int64(time.Since(d.began)))
	if d.inPipe != nil {
		go d.copyInput()
	}
	for _, dr := range d.outputs {
		d.copying.Go(func() {
			buf := buffers.Get().(*[bufferSize]byte)
			defer buffers.Put(buf)
			d.copyOutput(dr, buf[:])
		})
	}
}

// copyInput gives the child its input. One that does not read to the end is no error; what
// the input itself fails with is known before the child can meet its end.
func (d *stdio) copyInput() {
	from := &errorRecorder{r: d.input}
	io.Copy(d.inPipe, from)
	d.inErr <- from.err
	d.inPipe.Close()
}

func (d *stdio) copyOutput(dr *outputPipe, buf []byte) {
	for {
		n, err := dr.pipe.Read(buf)
		d.writeOutput(dr, buf[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			d.copyBuffered(dr, buf)
			return
		}
		if err != nil {
			return
		}
	}
}

// copyBuffered takes what the pipe holds now and waits for nothing: more than that is not the
// child's, who is gone.
func (d *stdio) copyBuffered(dr *outputPipe, buf []byte) {
	dr.pipe.SetReadDeadline(time.Time{})
	raw, err := dr.pipe.SyscallConn()
	if err != nil {
		return
	}
	for taken := 0; taken < pipeSize; {
		n := 0
		err := raw.Read(func(fd uintptr) bool {
			n, err = syscall.Read(int(fd), buf)
			return true
		})
		if err != nil || n <= 0 {
			return
		}
		d.writeOutput(dr, buf[:n])
		taken += n
	}
}

// writeOutput goes on reading for a writer that failed: the child must not be held up by it.
func (d *stdio) writeOutput(dr *outputPipe, p []byte) {
	if len(p) == 0 {
		return
	}
	if dr.err == nil {
		d.writing.Add(1)
		n, err := dr.to.Write(p)
		if err == nil && n < len(p) {
			err = io.ErrShortWrite
		}
		dr.err = err
		d.writing.Add(-1)
	}
	d.last.Store(int64(time.Since(d.began)))
}

// silentFor is for how long no byte came.
func (d *stdio) silentFor() time.Duration {
	if d.writing.Load() > 0 {
		return 0
	}
	return time.Since(d.began) - time.Duration(d.last.Load())
}

// finish is called when the child is gone. It waits for what the pipes still hold, and
// gives what went wrong with the writers or the input.
func (d *stdio) finish() error {
	var read error
	select {
	case read = <-d.inErr: // before the input is closed: what that makes it say is no news
	default:
	}
	if d.inPipe != nil {
		d.inPipe.Close()
	}
	if c, ok := d.input.(io.Closer); ok {
		c.Close()
	}
	for _, dr := range d.outputs {
		dr.pipe.SetReadDeadline(time.Now().Add(eofWait))
	}
	d.copying.Wait()
	d.closePipes()
	var written []error
	for _, dr := range d.outputs {
		written = append(written, dr.err)
	}
	if err := errors.Join(written...); err != nil {
		return &OutputError{Err: err}
	}
	if read != nil {
		return fmt.Errorf("read what the child was to be given: %w", read)
	}
	return nil
}

// errorRecorder remembers what reading failed with.
type errorRecorder struct {
	r   io.Reader
	err error
}

func (n *errorRecorder) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		n.err = err
	}
	return k, err
}

// sameWriter compares as far as the values can be compared.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() {
		if recover() != nil {
			same = false
		}
	}()
	return a == b
}
