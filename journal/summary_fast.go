package journal

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mulligan"
)

// DecodeSummary reads a summary that a frame or a seal has.
func DecodeSummary(line string) (mulligan.Summary, error) {
	var sum mulligan.Summary
	if p := (fieldReader{rest: line, ok: true}); p.readSummary(&sum) && p.rest == "" {
		return sum, nil
	}
	sum = mulligan.Summary{}
	err := json.Unmarshal([]byte(line), &sum)
	return sum, err
}

// decodeSealed reads a line of the index.
func decodeSealed(line string) (Sealed, error) {
	var s Sealed
	if p := (fieldReader{rest: line, ok: true}); p.readSealed(&s) && p.rest == "" {
		return s, nil
	}
	s = Sealed{}
	err := json.Unmarshal([]byte(line), &s)
	return s, err
}

// A fieldReader reads JSON objects in the one form that marshalReadable writes, without the general parser,
// which takes ten times as long: an index of years is read for every list. It gives up on everything
// else, right or wrong: an escape, a space, a null, a key that it does not know. The general parser then
// reads the line, or returns the error. The strings that it returns are parts of the line.
type fieldReader struct {
	rest string
	ok   bool // false: it has given up
}

// readSealed reads a line of the index, and reports whether it has not given up.
func (p *fieldReader) readSealed(s *Sealed) bool {
	return p.eachField(func(key string) {
		switch key {
		case "events":
			s.Events = p.readInt()
		case "sha256":
			s.SHA256 = p.readString()
		case "frame":
			s.Frame = p.readString()
		case "summary":
			p.readSummary(&s.Summary)
		case "source":
			p.readSource(&s.Source)
		default:
			p.ok = false
		}
	})
}

func (p *fieldReader) readSource(s *Source) {
	p.eachField(func(key string) {
		switch key {
		case "stream":
			s.Stream = p.readUint()
		case "frames":
			s.Frames = p.readUint()
		default:
			p.ok = false
		}
	})
}

// readSummary reads a summary, and reports whether it has not given up.
func (p *fieldReader) readSummary(s *mulligan.Summary) bool {
	return p.eachField(func(key string) {
		switch key {
		case "id":
			s.ID = p.readString()
		case "started":
			p.readTime(&s.Started)
		case "updated":
			p.readTime(&s.Updated)
		case "pid":
			s.PID = int(p.readInt())
		case "dir":
			s.Dir = p.readString()
		case "root":
			s.Root = p.readString()
		case "branch":
			s.Branch = p.readString()
		case "task":
			s.Task = p.readString()
		case "task_hash":
			s.TaskHash = p.readString()
		case "folder":
			s.Folder = p.readString()
		case "pipeline":
			s.Pipeline = p.readString()
		case "name":
			s.Name = p.readString()
		case "step":
			s.Step = p.readString()
		case "step_no":
			s.StepNo = int(p.readInt())
		case "steps":
			s.Steps = int(p.readInt())
		case "attempt":
			s.Attempt = int(p.readInt())
		case "iteration":
			s.Iteration = int(p.readInt())
		case "phase":
			s.Phase = mulligan.Phase(p.readString())
		case "ended":
			s.Ended = mulligan.Ended(p.readString())
		case "reason":
			s.Reason = p.readString()
		case "commit":
			s.Commit = p.readString()
		case "events":
			s.Events = p.readInt()
		case "asks":
			s.Asks = p.readBool()
		case "limited_until":
			p.readTime(&s.LimitedUntil)
		case "over_limit":
			s.OverLimit = p.readBool()
		case "guard_only":
			s.Guard = p.readBool()
		default:
			p.ok = false
		}
	})
}

// eachField calls read for each key of an object; read takes the value. It reports whether neither has
// given up.
func (p *fieldReader) eachField(read func(key string)) bool {
	p.take("{")
	for p.ok {
		key := p.readString()
		p.take(":")
		if !p.ok {
			break
		}
		if read(key); strings.HasPrefix(p.rest, "}") {
			break
		}
		p.take(",")
	}
	p.take("}")
	return p.ok
}

// take takes the token that comes next, or gives up.
func (p *fieldReader) take(token string) {
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest, p.ok = rest, p.ok && ok
}

// readString reads a string that stands there as it reads.
func (p *fieldReader) readString() string {
	p.take(`"`)
	end := strings.IndexByte(p.rest, '"')
	if end < 0 || !p.ok {
		p.ok = false
		return ""
	}
	s := p.rest[:end]
	p.rest = p.rest[end+1:]
	plain := true
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '\\' {
			p.ok = false
			return ""
		} else if c >= utf8.RuneSelf {
			plain = false
		}
	}
	p.ok = plain || utf8.ValidString(s)
	return s
}

// readTime reads a time as encoding/json does.
func (p *fieldReader) readTime(t *time.Time) {
	if s := p.readString(); p.ok {
		p.ok = t.UnmarshalText([]byte(s)) == nil
	}
}

// readDigits reads a whole number without its sign. JSON has no number that begins with a 0 but 0.
func (p *fieldReader) readDigits() string {
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		n++
	}
	digits := p.rest[:n]
	p.rest = p.rest[n:]
	p.ok = p.ok && n > 0 && (n == 1 || digits[0] != '0')
	return digits
}

// readInt reads a whole number of any size that an int has on every machine; of a larger one it gives up.
func (p *fieldReader) readInt() int64 {
	rest, negative := strings.CutPrefix(p.rest, "-")
	p.rest = rest
	n, err := strconv.ParseInt(p.readDigits(), 10, strconv.IntSize)
	if p.ok = p.ok && err == nil; negative {
		return -n
	}
	return n
}

func (p *fieldReader) readUint() uint64 {
	n, err := strconv.ParseUint(p.readDigits(), 10, 64)
	p.ok = p.ok && err == nil
	return n
}

func (p *fieldReader) readBool() bool {
	if rest, ok := strings.CutPrefix(p.rest, "true"); ok {
		p.rest = rest
		return true
	}
	p.take("false")
	return false
}
