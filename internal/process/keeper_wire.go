//go:build unix

package process

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"
)

// What a pool and a keeper say to each other: JSON after its length in four bytes, over a
// pair of unix sockets. A start carries the child's three files beside the length.

// An order is what a pool tells its keeper: one of the fields.
type order struct {
	Start *start         `json:"start,omitempty"`
	Stop  *time.Duration `json:"stop,omitempty"` // TERM, and after so long KILL
	Kill  bool           `json:"kill,omitempty"`
}

// A start is bytes and not strings, because a path need not be UTF-8 and JSON must be.
type start struct {
	Path []byte   `json:"path"`
	Argv [][]byte `json:"argv"`
	Dir  []byte   `json:"dir"`
	Env  [][]byte `json:"env"`

	Agent bool `json:"agent,omitempty"`
}

// A report is what a keeper says: Ready first of all; one of Started or Failed after a start, then
// Ended, then, in the same report or a later one, Clean: the whole subtree is gone.
type report struct {
	Ready   bool          `json:"ready,omitempty"`
	Started int           `json:"started,omitempty"` // the child's process id
	Failed  syscall.Errno `json:"failed,omitempty"`
	Ended   *ended        `json:"ended,omitempty"`
	Clean   *clean        `json:"clean,omitempty"`
}

type ended struct {
	Code    int            `json:"code"`
	Signal  syscall.Signal `json:"signal,omitempty"`
	Core    bool           `json:"core,omitempty"`
	Stopped bool           `json:"stopped,omitempty"` // it was told to, before it did
}

// wasAskedToEnd says whether a signal that asks for it has ended the child, or a program that says so by its code.
func (e *ended) wasAskedToEnd() bool {
	signal := e.Signal
	if signal == 0 && e.Code > 128 {
		signal = syscall.Signal(e.Code - 128)
	}
	return signal == syscall.SIGTERM || signal == syscall.SIGINT || signal == syscall.SIGHUP
}

type clean struct {
	Left  int `json:"left,omitempty"`
	Stuck int `json:"stuck,omitempty"`
}

// maxFrame is beyond what a system takes as arguments and environment, in base64.
const maxFrame = 64 << 20

func send(c *net.UnixConn, v any, files ...*os.File) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body)))
	frame = append(frame, body...)
	if len(files) > 0 {
		fds := make([]int, len(files))
		for i, f := range files {
			fds[i] = int(f.Fd())
		}
		n, _, err := c.WriteMsgUnix(frame, syscall.UnixRights(fds...), nil)
		if err != nil {
			return err
		}
		if frame = frame[n:]; len(frame) == 0 {
			return nil
		}
	}
	_, err = c.Write(frame)
	return err
}

// receive reads one frame into v and gives the descriptors that came with it.
func receive(c *net.UnixConn, v any) ([]int, error) {
	var head [4]byte
	oob := make([]byte, 128)
	n, oobn, _, _, err := c.ReadMsgUnix(head[:], oob)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF
	}
	fds, err := parseRights(oob[:oobn])
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(c, head[n:]); err != nil {
		return fds, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrame {
		return fds, fmt.Errorf("a message of %d bytes", size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c, body); err != nil {
		return fds, err
	}
	return fds, json.Unmarshal(body, v)
}

func parseRights(oob []byte) ([]int, error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	for i := range messages {
		got, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			return nil, err
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

func newSocketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	// A child forked by another goroutine in between must not have these: the keeper
	// tells our end by its socket closing.
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "keeper")
	ours, err = connFromFD(fds[0])
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// connFromFD takes the descriptor over.
func connFromFD(fd int) (*net.UnixConn, error) {
	f := os.NewFile(uintptr(fd), "keeper")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, fmt.Errorf("descriptor %d is no unix socket", fd)
	}
	return u, nil
}

func toBytes(ss []string) [][]byte {
	out := make([][]byte, len(ss))
	for i, s := range ss {
		out[i] = []byte(s)
	}
	return out
}

func toStrings(bs [][]byte) []string {
	out := make([]string, len(bs))
	for i, b := range bs {
		out[i] = string(b)
	}
	return out
}
