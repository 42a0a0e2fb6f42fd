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
	if subtle.ConstantTimeCompare([]byte(q.Token), []byte(d.token)) != 1 {
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
	a := d.callTool(ctx, q.Request)
	conn.SetReadDeadline(time.Unix(1, 0)) // wakes the watch
	<-here
	return a, true
}

func (d *Door) callTool(ctx context.Context, r task.Request) answer {
	reply, err := d.call(ctx, r)
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
