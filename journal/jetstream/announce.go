package jetstream

import (
	"bytes"

	"mulligan"
	"mulligan/journal"
)

// maxAnnounced is the size up to which an event is announced whole; a larger one is announced as the
// frame has it, with "artifact" and "bytes" in the place of "data".
const maxAnnounced = 512 << 10

// announceEvents publishes a message for each stored event on mulligan.events.<session>.<kind>,
// which nothing keeps. Nothing depends on it: a follower that misses one looks again by itself.
func (s *Store) announceEvents(session string, events []mulligan.Event, frame []byte) {
	listener := s.listener.Load()
	for line := range bytes.Lines(frame) {
		e := events[0]
		events = events[1:]
		line = inlineArtifact(e, bytes.TrimSuffix(line, []byte("\n")))
		subject := eventSubject(session, e.Body.Kind())
		if listener != nil {
			_ = listener.own.Publish(subject, line) // it waits for no client: one that does not read is disconnected
		}
		// One that cannot be sent now is not sent later either: the journal has it.
		_ = s.conn.nc.Publish(subject, line)
	}
}

// inlineArtifact returns an event's line with its data in it, where the frame has an artifact
// instead, unless that is too large to announce.
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
