package door

import (
	"bufio"
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"mulligan/internal/process"
	"mulligan/task"
)

const (
	maxRequest = 8 << 20 // what an agent wants to write goes to its hooks whole
	// readWithin is how long a caller may take from one request to the next; a bridge that
	// stays connects anew.
	readWithin  = 30 * time.Second
	writeWithin = 10 * time.Second
	acceptPause = 50 * time.Millisecond
)

// serveCaller answers the requests of one connection, one after the other.
func (d *Door) serveCaller(ctx context.Context, conn *net.UnixConn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer conn.Close()
	shut := context.AfterFunc(ctx, func() { conn.Close() })
	defer shut()
	lines := bufio.NewReaderSize(conn, 4<<10)
	for {
		conn.SetReadDeadline(time.Now().Add(readWithin))
		line, err := readLine(lines)
		if errors.Is(err, errTooLong) {
			writeAnswer(conn, answer{Error: fmt.Sprintf("the request is larger than %d bytes", maxRequest)})
			return
		}
		if err != nil {
			return
		}
		a, known := d.answerRequest(ctx, cancel, conn, lines, line)
		if writeAnswer(conn, a) != nil || !known {
			return
		}
	}
}

var errTooLong = errors.New("the line is too long")

// readLine reads to the end of a line, and no more than a request may have.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxRequest {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// answerRequest returns the answer to a request, and whether the caller has the token.
func (d *Door) answerRequest(ctx context.Context, cancel context.CancelFunc, conn *net.UnixConn, lines *bufio.Reader, line []byte) (answer, bool) {
	var q query
	if json.NewDecoder(bytes.NewReader(line)).Decode(&q) != nil {
		return answer{Error: "the request is not a line of JSON"}, false
	}
	role := d.identifyCaller(conn, q.Token)
	if role == process.RoleNone {
		return answer{Error: "the token is not this session's: the agent that has this environment belongs to another one"}, false
	}
	// An answer may take as long as a person does; a caller that goes away ends the wait.
	conn.SetReadDeadline(time.Time{})
	here := make(chan struct{})
	go func() {
		defer close(here)
		if _, err := lines.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			cancel()
		}
	}()
	a := d.callTool(ctx, role, q.Request)
	conn.SetReadDeadline(time.Unix(1, 0)) // wakes the watch
	<-here
	return a, true
}

// identifyCaller returns the role of a caller with a token, or RoleNone if the token is none of this
// session's. A check or hook that has got hold of the agent's token is still a check or hook.
func (d *Door) identifyCaller(conn *net.UnixConn, token string) process.Role {
	role := process.RoleNone
	for of, want := range d.tokens {
		if subtle.ConstantTimeCompare([]byte(token), []byte(want)) == 1 {
			role = of
		}
	}
	if role == process.RoleNone || role == process.RoleCheck {
		return role
	}
	if _, peer := process.PeerRefused(conn, d.state); peer == process.RoleCheck || peer == process.RoleHook {
		return peer
	}
	return role
}

func (d *Door) callTool(ctx context.Context, role process.Role, r task.Request) answer {
	reply, err := d.call(ctx, role, r)
	no, refused := errors.AsType[*task.Refusal](err)
	switch {
	case refused:
		return answer{Refused: no.Message}
	case err != nil:
		return answer{Error: err.Error()}
	}
	data, err := json.Marshal(reply)
	if err != nil {
		return answer{Error: fmt.Sprintf("the reply cannot be written: %v", err)}
	}
	return answer{Reply: data}
}

func writeAnswer(conn *net.UnixConn, a answer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	conn.SetWriteDeadline(time.Now().Add(writeWithin))
	_, err = conn.Write(append(data, '\n'))
	return err
}
