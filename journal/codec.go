// Package journal is the form that events have outside of the program: one event is one
// JSON object, the events of one decision are one frame, and what is large is an artifact
// kept by its hash. Journals themselves are in the packages below.
//
// An event reads
//
//	{"v":1,"session":"20261115-214609-x7q2","n":3,"time":"2026-11-15T21:46:09.5Z","kind":"turn.started","data":{…}}
//
// and is the same in the store, in an export and on a screen of JSON lines.
package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mulligan"
)

// Version is the version of the form. It grows when a reader of the old form would
// misunderstand the new one; a field or a kind that is new does not make it grow.
const Version = 1

// ErrNewer is an event that only a newer mulligan can read.
var ErrNewer = errors.New("written by a newer mulligan: update this one to read it")

// Unknown is the body of an event whose kind this version does not have. It keeps the data as it
// came, so that an export loses nothing; Fold refuses it.
type Unknown struct {
	Name string
	Data json.RawMessage
}

// Kind returns the kind that the event came with.
func (u Unknown) Kind() string { return u.Name }

// MarshalJSON returns the data as it came.
func (u Unknown) MarshalJSON() ([]byte, error) { return u.Data, nil }

// An envelope is an event as JSON. A pointer tells a field that is missing from one that is zero.
type envelope struct {
	V        int             `json:"v"`
	Session  string          `json:"session"`
	N        int64           `json:"n"`
	Time     *time.Time      `json:"time"`
	Kind     string          `json:"kind"`
	Data     json.RawMessage `json:"data,omitempty"`
	Artifact string          `json:"artifact,omitempty"` // in a frame: where the data is
	Bytes    int64           `json:"bytes,omitempty"`    // in a frame: how much it is
}

// Encode returns an event as one line of JSON, without the line's end.
func Encode(e mulligan.Event) ([]byte, error) {
	env, err := newEnvelope(e)
	if err != nil {
		return nil, err
	}
	return env.encode()
}

// Decode reads an event that Encode wrote. An event of a newer form is ErrNewer; one of
// an unknown kind has the body Unknown.
func Decode(line []byte) (mulligan.Event, error) {
	return decodeLine(line, nil)
}

// newEnvelope encodes an event's body and checks the whole.
func newEnvelope(e mulligan.Event) (envelope, error) {
	if e.Body == nil {
		return envelope{}, fmt.Errorf("event %d of session %s has no body", e.Number, e.Session)
	}
	data, err := marshalReadable(e.Body)
	if err != nil {
		return envelope{}, fmt.Errorf("event %d of session %s (%s): %w", e.Number, e.Session, e.Body.Kind(), err)
	}
	t := e.Time.UTC()
	env := envelope{V: Version, Session: e.Session, N: e.Number, Time: &t, Kind: e.Body.Kind(), Data: data}
	return env, env.validate()
}

// encode returns the envelope as one line of JSON, without the line's end.
func (env envelope) encode() ([]byte, error) {
	line, err := marshalReadable(env)
	if err != nil {
		return nil, fmt.Errorf("event %d of session %s: %w", env.N, env.Session, err)
	}
	return line, nil
}

// marshalReadable is json.Marshal that leaves <, > and & as they are: people read these lines too.
func marshalReadable(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// parseEnvelope reads one line and checks it.
func parseEnvelope(line []byte) (envelope, error) {
	var env envelope
	if err := json.Unmarshal(line, &env); err != nil {
		return envelope{}, fmt.Errorf("not an event: %w", err)
	}
	return env, env.validate()
}

// validate returns an error that names the first field that is missing or wrong; it is ErrNewer for
// a newer form.
func (env envelope) validate() error {
	var missing string
	switch {
	case env.V > Version:
		return fmt.Errorf("event %d of session %s has form %d, this mulligan reads up to %d: %w", env.N, env.Session, env.V, Version, ErrNewer)
	case env.V < 1:
		missing = "version (v)"
	case env.Session == "":
		missing = "session"
	case env.N < 1:
		missing = "number (n)"
	case env.Time == nil:
		missing = "time"
	case env.Kind == "":
		missing = "kind"
	case len(env.Data) == 0 && env.Artifact == "":
		missing = "data"
	case len(env.Data) > 0 && env.Artifact != "":
		return fmt.Errorf("event %d of session %s has data and an artifact", env.N, env.Session)
	default:
		return nil
	}
	return fmt.Errorf("event %d of session %q has no %s", env.N, env.Session, missing)
}

// decodeEvent makes the event of an envelope that has its data.
func (env envelope) decodeEvent() (mulligan.Event, error) {
	body, err := decodeBody(env.Kind, env.Data)
	if err != nil {
		return mulligan.Event{}, fmt.Errorf("event %d of session %s (%s): %w", env.N, env.Session, env.Kind, err)
	}
	return mulligan.Event{Session: env.Session, Number: env.N, Time: env.Time.UTC(), Body: body}, nil
}
