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
// which nothing keeps. Nothing depends on it: a follower that misses one looks again by itself. Large
// data is from find, for those who read it: the programs of a listener, or of a cluster. A follower only
// has to hear that there is something.
func (s *Store) announceEvents(session string, events []mulligan.Event, frame []byte, find func(hash string) []byte) {
	listener := s.listener.Load()
	for line := range bytes.Lines(frame) {
		subject := eventSubject(session, events[0].Body.Kind())
		events = events[1:]
		line = bytes.TrimSuffix(line, []byte("\n"))
		whole := line
		if listener != nil || s.cluster != nil {
			whole = inlineArtifact(line, find)
		}
		if listener != nil {
			_ = listener.own.Publish(subject, whole) // it waits for no client: one that does not read is disconnected
		}
		if s.cluster != nil {
			line = whole
		}
		// One that cannot be sent now is not sent later either: the journal has it.
		_ = s.conn.nc.Publish(subject, line)
	}
}

// inlineArtifact returns an event's line with its data in it, where the frame has an artifact
// instead, unless that is too large to announce.
func inlineArtifact(line []byte, find func(hash string) []byte) []byte {
	whole := journal.InlineData(line, find)
	if len(whole) > maxAnnounced {
		return line
	}
	return whole
}

// announcedData remembers the artifacts of one append that may be small enough to be announced, so that
// their events are encoded once.
type announcedData struct {
	journal.Artifacts
	data map[string][]byte
}

// Put keeps data and remembers it.
func (a announcedData) Put(data []byte) (string, error) {
	hash, err := a.Artifacts.Put(data)
	if err == nil && len(data) <= maxAnnounced {
		a.data[hash] = data
	}
	return hash, err
}

// find returns data by its hash, or nil if it is too large to be announced.
func (a announcedData) find(hash string) []byte { return a.data[hash] }
