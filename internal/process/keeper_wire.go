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

// A pool and a keeper exchange messages over a pair of unix sockets: JSON after its length in four bytes.
// A start carries the child's three files beside the length.

// wireVersion is the version of the messages, and of a keeper's arguments and descriptors. It changes with any of them:
// a keeper of another version is not used.
const wireVersion = 1

// An order is a message from a pool to its keeper, with one field set.
type order struct {
	Start *start         `json:"start,omitempty"`
	Stop  *time.Duration `json:"stop,omitempty"` // SIGTERM, and SIGKILL after this time
	Kill  bool           `json:"kill,omitempty"`
}

// A start describes a child. Its fields are bytes because a path need not be UTF-8, and JSON must be.
type start struct {
	Path []byte   `json:"path"`
	Argv [][]byte `json:"argv"`
	Dir  []byte   `json:"dir"`
	Env  [][]byte `json:"env"`

	Role    Role     `json:"role,omitempty"`
	Confine *confine `json:"confine,omitempty"`
}

// A confine is what a child that Landlock confines may write.
type confine struct {
	Write [][]byte `json:"write"`
}

// encode returns the confinement as a start carries it, or nil if the keeper has nothing to do for it.
func (c *Confinement) encode() *confine {
	if c == nil || c.Kind != Landlock {
		return nil
	}
	return &confine{Write: convertEach[[]byte](c.Write)}
}

// A report is a message from a keeper: Ready before all others; Started or Failed after a start; then
// Ended; then, in the same report or a later one, Clean: the whole subtree is gone.
type report struct {
	Ready   int           `json:"ready,omitempty"`   // wireVersion
	Started int           `json:"started,omitempty"` // the child's process id
	Failed  syscall.Errno `json:"failed,omitempty"`
	// NotConfined tells of a child that failed to start that the system would not confine it.
	NotConfined bool `json:"not_confined,omitempty"`

	Ended *ended `json:"ended,omitempty"`
	Clean *clean `json:"clean,omitempty"`
}

// An ended tells how the child itself ended.
type ended struct {
	Code    int            `json:"code"`
	Signal  syscall.Signal `json:"signal,omitempty"`
	Core    bool           `json:"core,omitempty"`
	Stopped bool           `json:"stopped,omitempty"` // the keeper had sent it a signal
}

// wasAskedToEnd reports whether SIGTERM, SIGINT or SIGHUP has ended the child, or the child's exit code
// says so, as a shell's does.
func (e *ended) wasAskedToEnd() bool {
	signal := e.Signal
	if signal == 0 && e.Code > 128 {
		signal = syscall.Signal(e.Code - 128)
	}
	return signal == syscall.SIGTERM || signal == syscall.SIGINT || signal == syscall.SIGHUP
}

// A clean counts the descendants that outlived the child, and those that could not be ended.
type clean struct {
	Left  int `json:"left,omitempty"`
	Stuck int `json:"stuck,omitempty"`
}

// maxFrame bounds a message. It is more than a system takes as arguments and environment, in base64.
const maxFrame = 64 << 20

// send writes a message, with the files' descriptors beside it. It is not safe for concurrent use.
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

// receive reads one message into v and returns the descriptors that came with it.
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

// parseRights returns the descriptors of a control message.
func parseRights(oob []byte) ([]int, error) {
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

// newSocketPair returns two connected sockets: ours, and the one that a keeper inherits.
func newSocketPair() (ours *net.UnixConn, theirs *os.File, err error) {
	// A child that another goroutine forks between the calls must not inherit them: a keeper knows
	// that we have ended by our socket being closed.
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

// connFromFD returns a connection of a descriptor, and closes the descriptor.
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

// convertEach converts strings to bytes, or bytes to strings.
func convertEach[To, From string | []byte](list []From) []To {
	out := make([]To, len(list))
	for i, text := range list {
		out[i] = To(text)
	}
	return out
}
