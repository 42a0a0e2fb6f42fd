package door

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"

	"mulligan/task"
)

// maxReply bounds what a caller reads: a list of all tasks at their longest is far below it.
const maxReply = 256 << 20

// ErrNoDoor means that the environment names no door: the program does not run below an agent.
var ErrNoDoor = errors.New("there is no door here: " + EnvDoor + " is not set")

// Call calls a tool through the door that the environment names, and waits for as long as the
// answer takes. A refusal of the session is a *task.Refusal.
func Call(ctx context.Context, lookup func(string) string, r task.Request) (json.RawMessage, error) {
	path := lookup(EnvDoor)
	if path == "" {
		return nil, ErrNoDoor
	}
	line, err := json.Marshal(query{Token: lookup(EnvToken), Request: r})
	if err != nil {
		return nil, err
	}
	if len(line) >= maxRequest {
		return nil, &task.Refusal{Message: fmt.Sprintf("%s: the arguments are larger than 8 MiB: make them smaller, or put the text into a file of the workspace and name that", r.Tool)}
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("the session that this agent belongs to does not answer (it has ended, or this is a copy of its environment): %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	a, err := sendQuery(conn, line)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("the session went away before it answered: %w", err)
	case a.Refused != "":
		return nil, &task.Refusal{Message: a.Refused}
	case a.Error != "":
		return nil, errors.New(a.Error)
	}
	return a.Reply, nil
}

// sendQuery sends a request and reads its answer.
func sendQuery(conn net.Conn, request []byte) (answer, error) {
	var a answer
	// A server that will not take it all may have said why.
	_, sent := conn.Write(append(request, '\n'))
	line, err := bufio.NewReader(io.LimitReader(conn, maxReply)).ReadBytes('\n')
	if err != nil {
		return a, errors.Join(sent, err)
	}
	return a, json.Unmarshal(line, &a)
}
