package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"mulligan"
	"mulligan/journal"
)

// Sessions returns every session's newest summary, without those of guards: see listAll. If sessions
// are damaged it returns the others, and an error that names the damaged ones.
func (s *Store) Sessions(ctx context.Context) ([]mulligan.Summary, error) {
	all, err := s.listAll(ctx)
	sessions, _ := journal.SplitGuards(all)
	return sessions, err
}

// Guards returns the newest summaries of what the journal has of agents that no session runs. Damage is
// as of Sessions.
func (s *Store) Guards(ctx context.Context) ([]mulligan.Summary, error) {
	all, err := s.listAll(ctx)
	_, guards := journal.SplitGuards(all)
	return guards, err
}

// listAll returns the newest summary of all that the journal has: the one in the header of its last
// frame, so that it cannot differ from the events.
func (s *Store) listAll(ctx context.Context) ([]mulligan.Summary, error) {
	marked, err := s.marks.listSessions() // before looking: there may be more of them meanwhile
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	months, err := s.listMonths(ctx)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var all []mulligan.Summary
	var damage []error
	for _, month := range months {
		found, err := s.listMonth(ctx, month)
		if err != nil {
			damage = append(damage, fmt.Errorf("list sessions of %s: %w", month, err))
		}
		all = append(all, found...)
	}
	if all, err = s.addSealed(all); err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	slices.SortFunc(all, journal.CompareAge)
	if len(damage) == 0 {
		damage = findMissing(marked, all)
	}
	return all, errors.Join(damage...)
}

// addSealed adds the sessions of the archive to those of the streams. A session that is in both has
// the summary of its newest event.
func (s *Store) addSealed(all []mulligan.Summary) ([]mulligan.Summary, error) {
	if s.archive == nil {
		return all, nil
	}
	sealed, err := s.archive.All()
	if err != nil || len(sealed) == 0 {
		return all, err
	}
	inStream := make(map[string]bool, len(all))
	for i, sum := range all {
		inStream[sum.ID] = true
		if have, ok := sealed[sum.ID]; ok && have.Events > sum.Events {
			all[i] = have.Summary
		}
	}
	for id, have := range sealed {
		if !inStream[id] {
			all = append(all, have.Summary)
		}
	}
	return all, nil
}

// findMissing returns an error for each session that was written once and is not there.
func findMissing(marked []string, all []mulligan.Summary) []error {
	there := make(map[string]bool, len(all))
	for _, sum := range all {
		there[sum.ID] = true
	}
	var missing []error
	for _, session := range marked {
		if _, ok := journal.Month(session); ok && !there[session] {
			missing = append(missing, &journal.DamageError{Session: session, Number: 1, Err: errors.New("the store has lost the session")})
		}
	}
	return missing
}

// errStalled is a list in which the engine does not get past a frame.
var errStalled = errors.New("the engine does not go on")

// errBehind is an answer of a server that does not have the newest frames yet.
var errBehind = errors.New("the server that answered is behind its leader")

// listFromStream returns the summaries of a month's sessions as its stream has them. end is the last message of a session
// that the list is of, or zero if that is not known.
func (s *Store) listFromStream(ctx context.Context, month string) (found []mulligan.Summary, end streamEnd, err error) {
	newest, err := s.fetchNewestOf(ctx, month)
	if err != nil {
		return nil, streamEnd{}, err
	}
	err = s.conn.retryLost(ctx, func(ctx context.Context) error {
		if found, end, err = s.fetchLastSummaries(ctx, month); err == nil && end.sequence < newest {
			return errBehind
		}
		return err
	})
	if errors.Is(err, errStalled) {
		sessions, err := s.listStoredOf(ctx, month)
		if err != nil {
			return nil, streamEnd{}, err
		}
		found, err = s.listOneByOne(ctx, sessions)
		return found, streamEnd{}, err
	}
	return found, end, err
}

// fewSessions are asked for one by one; for more the engine is better asked for all.
const fewSessions = 32

// listMonth is listFromStream for a list: it does not read sessions again that have not changed
// since they were sealed. The engine would read all the files of the month for them.
func (s *Store) listMonth(ctx context.Context, month string) ([]mulligan.Summary, error) {
	if s.archive == nil || !s.archive.HasMonth(month) {
		return s.listIfChanged(ctx, month)
	}
	sealed, err := s.archive.All()
	if err != nil {
		return nil, err
	}
	first, counts, err := s.countFrames(ctx, month, "*")
	if err != nil {
		return nil, err
	}
	var found []mulligan.Summary
	var changed []string
	for session, frames := range counts {
		have, ok := sealed[session]
		if ok && have.Source == (journal.Source{Stream: first, Frames: frames}) {
			found = append(found, have.Summary)
		} else {
			changed = append(changed, session)
		}
	}
	if len(changed) > fewSessions {
		return s.listIfChanged(ctx, month)
	}
	more, err := s.listOneByOne(ctx, changed)
	return append(found, more...), err
}

// fetchNewestOf asks a cluster for the last sequence of a month, so that an answer of a server that
// is behind the others is recognized; 0 if there is only one server.
func (s *Store) fetchNewestOf(ctx context.Context, month string) (uint64, error) {
	if s.cluster == nil {
		return 0, nil
	}
	info, err := s.fetchStreamInfo(ctx, month, nil)
	return info.State.Last, err
}

// listOneByOne lists sessions by a request for each, and returns an error that names those that
// cannot be read.
func (s *Store) listOneByOne(ctx context.Context, sessions []string) ([]mulligan.Summary, error) {
	var found []mulligan.Summary
	var damage []error
	for _, session := range sessions {
		m, err := s.fetchLastFrame(ctx, session)
		if err != nil {
			return found, err
		}
		if m == nil && s.wasSealed(session) {
			continue // its month was dropped meanwhile, or the archive has what the stream has lost
		}
		var sum mulligan.Summary
		if err = errors.New("its last frame cannot be read"); m != nil {
			sum, err = readSummary(m.Header)
		}
		if err != nil {
			damage = append(damage, &journal.DamageError{Session: session, Err: err})
			continue
		}
		found = append(found, sum)
	}
	return found, errors.Join(damage...)
}

// listStored returns the id of every session that has a frame in a stream, readable or not.
func (s *Store) listStored(ctx context.Context) ([]string, error) {
	months, err := s.listMonths(ctx)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, month := range months {
		sessions, err := s.listStoredOf(ctx, month)
		if err != nil {
			return nil, err
		}
		all = append(all, sessions...)
	}
	return all, nil
}

// listStoredOf is listStored for one month.
func (s *Store) listStoredOf(ctx context.Context, month string) ([]string, error) {
	_, counts, err := s.countFrames(ctx, month, "*")
	return slices.Collect(maps.Keys(counts)), err
}

// countFrames asks how many frames a session of a month has, or each for "*", which the engine has in
// memory. It also returns the first sequence of the month's stream. There are none if the month was
// dropped meanwhile.
func (s *Store) countFrames(ctx context.Context, month, session string) (first uint64, counts map[string]uint64, err error) {
	counts = map[string]uint64{}
	for {
		ask := map[string]any{"subjects_filter": logSubject(month, session), "offset": len(counts)}
		info, err := s.fetchStreamInfo(ctx, month, ask)
		if err != nil {
			return 0, nil, err
		}
		for subject, frames := range info.State.Subjects {
			counts[strings.TrimPrefix(subject, logSubject(month, ""))] = frames
		}
		if len(info.State.Subjects) == 0 || len(counts) >= info.Total {
			return info.State.First, counts, nil
		}
	}
}

// readSummary decodes the summary in a frame's header.
func readSummary(header nats.Header) (mulligan.Summary, error) {
	var sum mulligan.Summary
	if err := json.Unmarshal([]byte(header.Get(headerSummary)), &sum); err != nil {
		return mulligan.Summary{}, fmt.Errorf("the summary in its last frame cannot be read: %w", errors.Join(errBadFrame, err))
	}
	return sum, nil
}
