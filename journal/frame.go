package journal

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mulligan"
)

const (
	// MaxEvent is the size of data that a frame still holds itself; what is larger is an
	// artifact.
	MaxEvent = 64 << 10
	// MaxFrame is the size of a frame that every engine takes.
	MaxFrame = 768 << 10
	// smallEvent is what a frame holds itself when it would be too large otherwise.
	smallEvent = 512
)

// EncodeFrame makes one frame of the events of one decision, a line for each. A frame is stored as
// one message, so that it is there whole or not at all. Data that is too large is put into artifacts
// first.
func EncodeFrame(events []mulligan.Event, artifacts Artifacts) ([]byte, error) {
	envs := make([]envelope, len(events))
	for i, e := range events {
		env, err := newEnvelope(e)
		if err != nil {
			return nil, err
		}
		envs[i] = env
	}
	size := 0
	for _, inline := range []int{MaxEvent, smallEvent} {
		frame, err := layOutFrame(envs, inline, artifacts)
		if err != nil || len(frame) <= MaxFrame {
			return frame, err
		}
		size = len(frame)
	}
	return nil, fmt.Errorf("session %s: %d events are too many to store at once (%d bytes, at most %d)", events[0].Session, len(events), size, MaxFrame)
}

// layOutFrame writes the lines of a frame, and puts data of more than inline bytes into artifacts.
func layOutFrame(envs []envelope, inline int, artifacts Artifacts) ([]byte, error) {
	var frame bytes.Buffer
	for _, env := range envs {
		if len(env.Data) > inline {
			hash, err := artifacts.Put(env.Data)
			if err != nil {
				return nil, fmt.Errorf("event %d of session %s (%s): %w", env.N, env.Session, env.Kind, err)
			}
			env.Artifact, env.Bytes, env.Data = hash, int64(len(env.Data)), nil
		}
		line, err := env.encode()
		if err != nil {
			return nil, err
		}
		frame.Write(line)
		frame.WriteByte('\n')
	}
	return frame.Bytes(), nil
}

// DecodeFrame reads a frame whose first event must have the number first of the session, and fetches
// the data that is in artifacts. The error is a *GapError or a *DamageError.
func DecodeFrame(session string, first int64, frame []byte, artifacts Artifacts) ([]mulligan.Event, error) {
	events := make([]mulligan.Event, 0, bytes.Count(frame, []byte{'\n'}))
	want := first
	for line := range bytes.Lines(frame) {
		e, err := decodeLine(bytes.TrimSuffix(line, []byte("\n")), artifacts)
		if err == nil && e.Session != session {
			err = fmt.Errorf("an event of session %s is in its place", e.Session)
		}
		if err != nil {
			return nil, &DamageError{Session: session, Number: want, Err: err}
		}
		if e.Number != want {
			return nil, &mulligan.GapError{Session: session, Want: want, Got: e.Number}
		}
		events = append(events, e)
		want++
	}
	if len(events) == 0 {
		return nil, &DamageError{Session: session, Number: want, Err: fmt.Errorf("its frame is empty")}
	}
	return events, nil
}

// lineStart is how a line of a frame begins.
var lineStart = regexp.MustCompile(`^\{"v":1,"session":"[^"\\]*","n":(\d+),"time":"`)

// LastNumber returns the number of a frame's last event without decoding it. ok is false if that
// takes decoding.
func LastNumber(frame []byte) (number int64, ok bool) {
	frame = bytes.TrimSuffix(frame, []byte("\n"))
	start := lineStart.FindSubmatch(frame[bytes.LastIndexByte(frame, '\n')+1:])
	if start == nil {
		return 0, false
	}
	number, err := strconv.ParseInt(string(start[1]), 10, 64)
	return number, err == nil
}

// artifactStart is where a line of a frame has an artifact instead of its data.
const artifactStart = `,"artifact":"`

// InlineData returns a line of a frame as Encode returns its event: with the data that find returns for
// the hash in the place of the artifact. It returns the line itself if that has no artifact, or if find
// returns nil.
func InlineData(line []byte, find func(hash string) []byte) []byte {
	at := bytes.Index(line, []byte(artifactStart))
	if at < 0 {
		return line
	}
	env, err := parseEnvelope(line)
	if err != nil || env.Artifact == "" {
		return line
	}
	data := find(env.Artifact)
	if data == nil {
		return line
	}
	return slices.Concat(line[:at], []byte(`,"data":`), data, []byte("}"))
}

// ArtifactsIn returns the hashes of the artifacts that a frame refers to.
func ArtifactsIn(frame []byte) []string {
	var all []string
	for line := range bytes.Lines(frame) {
		if !bytes.Contains(line, []byte(`"artifact":"`)) {
			continue
		}
		if env, err := parseEnvelope(line); err == nil && env.Artifact != "" {
			all = append(all, env.Artifact)
		}
	}
	return all
}

// decodeLine reads one event, with the data of its artifact. Without artifacts the event must have
// its data itself.
func decodeLine(line []byte, artifacts Artifacts) (mulligan.Event, error) {
	env, err := parseEnvelope(line)
	if err != nil {
		return mulligan.Event{}, err
	}
	if env.Artifact != "" {
		if artifacts == nil {
			return mulligan.Event{}, fmt.Errorf("event %d of session %s: its data is an artifact, which stands only in a frame", env.N, env.Session)
		}
		if env.Data, err = artifacts.Get(env.Artifact); err != nil {
			return mulligan.Event{}, err
		}
		if int64(len(env.Data)) != env.Bytes {
			return mulligan.Event{}, fmt.Errorf("artifact %s has %d bytes instead of %d", env.Artifact, len(env.Data), env.Bytes)
		}
	}
	return env.decodeEvent()
}

// A DamageError is an event that is there and cannot be read.
type DamageError struct {
	Session string
	Number  int64 // of the event, or of the first in its frame; 0 is the last, whichever it is
	Err     error
}

func (e *DamageError) Error() string {
	if e.Number == 0 {
		return fmt.Sprintf("session %s: its last event cannot be read: %v", e.Session, e.Err)
	}
	return fmt.Sprintf("session %s: event %d cannot be read: %v", e.Session, e.Number, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Month returns the month that a session belongs to, "202611", with which its id begins. ok is false
// if the id is not one of a session.
func Month(session string) (month string, ok bool) {
	const length, digits, others = 6, "0123456789", "abcdefghijklmnopqrstuvwxyz-"
	if len(session) <= length || len(session) > 100 || strings.Trim(session[:length], digits) != "" || strings.Trim(session, digits+others) != "" {
		return "", false
	}
	return session[:length], true
}

// Check returns an error unless the events can be appended to the session after the event numbered
// after: they must be its own, and numbered in a row.
func Check(session string, after int64, events []mulligan.Event) error {
	if _, ok := Month(session); !ok {
		return fmt.Errorf("%q is not the id of a session", session)
	}
	if after < 0 {
		return fmt.Errorf("session %s: there is no event %d to append after", session, after)
	}
	if len(events) == 0 {
		return fmt.Errorf("session %s: nothing to append after event %d", session, after)
	}
	for i, e := range events {
		if e.Session != session {
			return fmt.Errorf("session %s: an event of session %q cannot be appended to it", session, e.Session)
		}
		if want := after + 1 + int64(i); e.Number != want {
			return &mulligan.GapError{Session: session, Want: want, Got: e.Number}
		}
	}
	return nil
}
