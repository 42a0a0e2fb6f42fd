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

	eofWait = time.Second // for a process outside the subtree that holds a pipe of the child's
)

// A stdio holds the three files of a child and copies bytes in and out of them.
type stdio struct {
	child [3]*os.File
	ours  []*os.File // those of child that we opened, to be closed once the keeper has them

	input  io.Reader
	inPipe *os.File // nil if the child reads a file or /dev/null
	inErr  chan error

	outputs []*outputPipe
	copying sync.WaitGroup

	last    atomic.Int64 // when the last byte arrived, since began
	writing atomic.Int32 // writes that have not returned: the child is not silent then
	began   time.Time
}

// An outputPipe is a pipe that the child writes to, and the writer that it is copied to.
type outputPipe struct {
	pipe *os.File
	to   io.Writer
	err  error // of the writer, which is not written to after it
}

// openStdio opens the child's files as the Spec says. The caller must close them with closeChild and
// closePipes.
func openStdio(s Spec) (d *stdio, err error) {
	d = &stdio{began: time.Now(), inErr: make(chan error, 1)}
	defer func() {
		if err != nil {
			d.closeChild()
			d.closePipes()
		}
	}()
	if d.child[0], err = d.openInput(s.Stdin); err != nil {
		return d, err
	}
	direct := s.Idle == 0
	if d.child[1], err = d.openOutput(s.Stdout, direct); err != nil {
		return d, err
	}
	if s.Stdout != nil && sameWriter(s.Stdout, s.Stderr) {
		d.child[2] = d.child[1]
		return d, nil
	}
	d.child[2], err = d.openOutput(s.Stderr, direct)
	return d, err
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

// closeLater leaves a file to closeChild, unless opening it has failed.
func (d *stdio) closeLater(f *os.File, err error) (*os.File, error) {
	if err == nil {
		d.ours = append(d.ours, f)
	}
	return f, err
}

// closeChild closes our copies of the child's files. It may be called twice.
func (d *stdio) closeChild() {
	for _, f := range d.ours {
		f.Close()
	}
	d.ours = nil
}

// closePipes closes our ends of the pipes. It may be called twice.
func (d *stdio) closePipes() {
	if d.inPipe != nil {
		d.inPipe.Close()
	}
	for _, dr := range d.outputs {
		dr.pipe.Close()
	}
}

// startCopying starts the goroutines that copy; finish waits for those that copy outputs.
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

// copyInput copies the Spec's Stdin to the child. A child that does not read to the end is no error. An
// error of Stdin itself is stored before the child can read the EOF.
func (d *stdio) copyInput() {
	from := &errorRecorder{from: d.input}
	io.Copy(d.inPipe, from)
	d.inErr <- from.err
	d.inPipe.Close()
}

// copyOutput copies a pipe to its writer until EOF, or until the deadline that finish sets.
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

// copyBuffered copies the bytes that the pipe holds now and does not wait for more: those would be
// another process's, since the child is gone.
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

// writeOutput writes bytes of the child to their writer, unless that has failed: then it drops them, so
// that the child is not blocked.
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

// silentFor returns for how long no byte has arrived.
func (d *stdio) silentFor() time.Duration {
	if d.writing.Load() > 0 {
		return 0
	}
	return time.Since(d.began) - time.Duration(d.last.Load())
}

// finish must be called when the child is gone. It waits until the rest of the pipes is copied, and
// returns the errors of the writers or of the input.
func (d *stdio) finish() error {
	var read error
	select {
	case read = <-d.inErr: // before the input is closed, which may cause errors of its own
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

// An errorRecorder is a reader that stores the error of its reads.
type errorRecorder struct {
	from io.Reader
	err  error
}

func (r *errorRecorder) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// sameWriter reports whether two writers are equal. Values of types that cannot be compared are not.
func sameWriter(a, b io.Writer) (same bool) {
	defer func() { _ = recover() }() // same is false then
	return a == b
}
