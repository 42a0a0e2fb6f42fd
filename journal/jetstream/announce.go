package jetstream

import (
	"bytes"

	"mulligan"
	"mulligan/journal"
)

// maxAnnounced is the size of an event that still goes out whole; one that is larger goes out
// as the frame has it, with "artifact" and "bytes" in the place of "data".
const maxAnnounced = 512 << 10

// announceEvents tells whoever listens what was stored: a message for each event, which nothing
// keeps, on mulligan.events.<session>.<kind>. Nothing depends on it: a follower that misses
// one looks again by itself.
func (s *Store) announceEvents(session string, events []mulligan.Event, frame []byte) {
	listener := s.listener.Load()
	for line := range bytes.Lines(frame) {
		e := events[0]
		events = events[1:]
		line = inlineArtifact(e, bytes.TrimSuffix(line, []byte("\n")))
		subject := eventSubject(session, e.Body.Kind())
		if listener != nil {
			listener.publishEvent(subject, line)
		}
		// One that cannot be sent now is not sent later either: the journal has it.
		_ = s.conn.nc.Publish(subject, line)
	}
}

// inlineArtifact gives an event's line with its data in it, where the frame has an artifact instead.
func inlineArtifact(e mulligan.Event, line []byte) []byte {
	if !journal.MayReferToArtifact(line) {
		return line
	}
	full, err := journal.Encode(e)
	if err != nil || len(full) > maxAnnounced {
		return line
	}
	return full
}
