package jetstream

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"mulligan/internal/process"
)

// protocol is the version that client and host have to agree on before anything else. It grows
// when the bytes after the greeting change.
const protocol = 1

// greetingSize bounds a greeting, which is a line of its own before the first byte of NATS:
//
//	client: mulligan 1 v0.3.0
//	host:   ok 1 v0.3.0 4711        or: no <reason>
const greetingSize = 512

// greetHost exchanges greetings with the host, and returns the connection that speaks NATS from then
// on.
func greetHost(conn net.Conn, version string) (net.Conn, error) {
	conn.SetDeadline(time.Now().Add(answerWait))
	_, err := fmt.Fprintf(conn, "mulligan %d %s\n", protocol, versionWord(version))
	r := bufio.NewReader(conn)
	var line string
	if err == nil {
		line, err = readLine(r)
	}
	if err == nil {
		err = checkAnswer(line, version)
	} else {
		// A host that ends meanwhile will be none in a moment; one that is stuck is busy.
		err = fmt.Errorf("%w, and does not answer a greeting: %w", errBusy, err)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	conn.SetDeadline(time.Time{})
	return &greetedConn{Conn: conn, r: r}, nil
}

// below begins the refusal of a client that an agent, a check or a hook has started: then comes its role,
// a colon and the reason.
const below = "below "

// checkAnswer returns an error unless the host's line lets this client in.
func checkAnswer(line, version string) error {
	if rest, no := strings.CutPrefix(line, "no "+below); no {
		name, reason, _ := strings.Cut(rest, ": ")
		return &BelowError{Role: process.Role(name), Why: reason}
	}
	if reason, no := strings.CutPrefix(line, "no "); no {
		return fmt.Errorf("the journal's host refuses this mulligan (%s): %s", versionWord(version), reason)
	}
	fields := strings.Fields(line)
	if len(fields) != 4 || fields[0] != "ok" {
		return fmt.Errorf("the journal's socket answers %q, which is not mulligan's greeting", line)
	}
	if fields[1] != strconv.Itoa(protocol) {
		return fmt.Errorf("the journal's host (mulligan %s, process %s) speaks protocol %s, this mulligan (%s) speaks %d: run the same version, or wait until it ends",
			fields[2], fields[3], fields[1], versionWord(version), protocol)
	}
	return nil
}

// answerGreeting reads a client's greeting and answers it. A host that failed lets no client in, and
// no host lets in a process that an agent, a check or a hook of the state folder's sessions has started.
// The reader that it returns may hold bytes that came after the greeting.
func answerGreeting(conn net.Conn, dir, version string, failed error) (*bufio.Reader, error) {
	caller := callerRefusal(conn, dir)
	conn.SetDeadline(time.Now().Add(answerWait))
	r := bufio.NewReader(conn)
	line, err := readLine(r)
	if err != nil {
		return nil, err
	}
	reason := cmp.Or(caller, greetingRefusal(line, version))
	if reason == "" && failed != nil {
		reason = failed.Error()
	}
	if reason != "" {
		_, err := fmt.Fprintf(conn, "no %s\n", reason)
		return nil, errors.Join(errors.New(reason), err)
	}
	if _, err := fmt.Fprintf(conn, "ok %d %s %d\n", protocol, versionWord(version), os.Getpid()); err != nil {
		return nil, err
	}
	return r, conn.SetDeadline(time.Time{})
}

// callerRefusal returns why the calling process cannot be let in, whatever it says of itself, or "".
func callerRefusal(conn net.Conn, dir string) string {
	c, ok := conn.(*net.UnixConn)
	if !ok {
		return ""
	}
	why, role := process.PeerRefused(c, dir)
	if role != process.RoleNone {
		why = below + string(role) + ": " + why
	}
	return why
}

// greetingRefusal returns why a client with this greeting cannot be let in, or "".
func greetingRefusal(line, version string) string {
	fields := strings.Fields(line)
	if len(fields) != 3 || fields[0] != "mulligan" {
		return "that is not mulligan's greeting"
	}
	if fields[1] != strconv.Itoa(protocol) {
		return fmt.Sprintf("the host is mulligan %s (process %d) and speaks protocol %d, the client is %s and speaks %s: run the same version, or wait until it ends",
			versionWord(version), os.Getpid(), protocol, fields[2], fields[1])
	}
	return ""
}

// readLine reads a short line, and fails if a peer sends more without its end.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for len(line) < greetingSize {
		c, err := r.ReadByte()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
		if c == '\n' {
			return string(line), nil
		}
		line = append(line, c)
	}
	return "", errors.New("the greeting is too long")
}

// versionWord makes one word of a version, which is a field of the greeting.
func versionWord(version string) string {
	return cmp.Or(strings.Join(strings.Fields(version), "_"), "unknown")
}

// A greetedConn is a connection whose first bytes may have been read with the greeting.
type greetedConn struct {
	net.Conn
	r *bufio.Reader
}

func (g *greetedConn) Read(p []byte) (int, error) { return g.r.Read(p) }
