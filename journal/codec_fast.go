package journal

import (
	"bytes"
	"strconv"
	"time"

	"mulligan"
)

// fastStart is how Encode begins a line.
const fastStart = `{"v":1,"session":"`

// decodeFast reads a line exactly as Encode lays it out, without the general parser, which takes
// twice as long for a long session. It returns false for every other line, right or wrong: the
// general parser reads it, or returns the error.
func decodeFast(line []byte) (mulligan.Event, bool) {
	var env envelope
	rest, ok := bytes.CutPrefix(line, []byte(fastStart))
	if !ok {
		return mulligan.Event{}, false
	}
	env.V = 1
	if env.Session, rest, ok = cutPlain(rest, `","n":`); !ok {
		return mulligan.Event{}, false
	}
	number, rest, ok := cutPlain(rest, `,"time":"`)
	if !ok {
		return mulligan.Event{}, false
	}
	stamp, rest, ok := cutPlain(rest, `","kind":"`)
	if !ok {
		return mulligan.Event{}, false
	}
	if env.Kind, rest, ok = cutPlain(rest, `","data":`); !ok {
		return mulligan.Event{}, false
	}
	if env.Data, ok = bytes.CutSuffix(rest, []byte("}")); !ok {
		return mulligan.Event{}, false
	}
	return env.decodeFields(number, stamp)
}

// decodeFields completes an envelope whose strings are cut out already.
func (env envelope) decodeFields(number, stamp string) (mulligan.Event, bool) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return mulligan.Event{}, false
	}
	t, err := time.Parse(time.RFC3339Nano, stamp)
	if err != nil {
		return mulligan.Event{}, false
	}
	env.N, env.Time = n, &t
	if env.validate() != nil {
		return mulligan.Event{}, false
	}
	e, err := env.decodeEvent()
	return e, err == nil
}

// cutPlain cuts s at the first sep. It returns false if a JSON string would write the part before
// sep otherwise than it reads.
func cutPlain(s []byte, sep string) (before string, after []byte, ok bool) {
	i := bytes.Index(s, []byte(sep))
	if i < 0 {
		return "", nil, false
	}
	for _, c := range s[:i] {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			return "", nil, false
		}
	}
	return string(s[:i]), s[i+len(sep):], true
}
