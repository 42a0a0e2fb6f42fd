package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"mulligan/internal/clock"
)

// Sessions are in streams by month, so that a month can be dropped whole.
const (
	streamPrefix  = "MULLIGAN_LOG_"
	subjectPrefix = "mulligan.log."
)

func streamName(month string) string           { return streamPrefix + month }
func logSubject(month, session string) string  { return subjectPrefix + month + "." + session }
func eventSubject(session, kind string) string { return "mulligan.events." + session + "." + kind }
func liveSubject(session string) string        { return "mulligan.live." + session }
func controlSubject(session string) string     { return "mulligan.control." + session }

// An apiError is a refusal of JetStream's.
type apiError struct {
	Code        server.ErrorIdentifier `json:"err_code"`
	Description string                 `json:"description"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("the journal's engine refuses: %s (%d)", e.Description, e.Code)
}

// electionCodes are the refusals of a cluster that has no leader just now, or has not decided
// about an earlier request.
func electionCodes() []server.ErrorIdentifier {
	return []server.ErrorIdentifier{
		server.JSClusterIncompleteErr, server.JSClusterNotActiveErr, server.JSClusterNotAssignedErr,
		server.JSClusterNotAvailErr, server.JSClusterNotLeaderErr,
		server.JSStreamOfflineErr, server.JSStreamOfflineReasonErrF,
		server.JSConsumerOfflineErr, server.JSConsumerOfflineReasonErrF,
		server.JSStreamDuplicateMessageConflict,
	}
}

// isWrongLast reports whether err refuses a message because its subject's last message is not the
// one that the message names. The server has two codes for it.
func isWrongLast(err error) bool {
	return isRefusal(err, server.JSStreamWrongLastSequenceErrF, server.JSStreamWrongLastSequenceConstantErr)
}

// isRefusal reports whether err is a refusal of JetStream's with one of the codes.
func isRefusal(err error, codes ...server.ErrorIdentifier) bool {
	var api *apiError
	return errors.As(err, &api) && slices.Contains(codes, api.Code)
}

// callAPI sends a request to JetStream itself, again over every connection that is lost, and decodes
// the answer.
func (s *Store) callAPI(ctx context.Context, subject string, ask, answer any) error {
	var data []byte
	if ask != nil {
		var err error
		if data, err = json.Marshal(ask); err != nil {
			return err
		}
	}
	return s.explainNoEngine(s.conn.retryLost(ctx, func(ctx context.Context) error {
		reply, err := s.conn.requestOnce(ctx, &nats.Msg{Subject: "$JS.API." + subject, Data: data})
		if err != nil {
			return err
		}
		return decodeReply(reply.Data, answer)
	}))
}

// decodeReply decodes an answer that may be a refusal: a *apiError.
func decodeReply(data []byte, answer any) error {
	var refusal struct {
		Error *apiError `json:"error"`
	}
	if err := json.Unmarshal(data, &refusal); err != nil {
		return fmt.Errorf("the journal's engine answers %.100q: %w", data, err)
	}
	if refusal.Error != nil {
		return refusal.Error
	}
	return json.Unmarshal(data, answer)
}

// explainNoEngine returns why JetStream is not there at all, if err means that, or err itself.
func (s *Store) explainNoEngine(err error) error {
	if !errors.Is(err, nats.ErrNoResponders) {
		return err
	}
	if s.dialer != nil {
		if fault := s.dialer.serverFault(); fault != nil {
			return fault
		}
	}
	return fmt.Errorf("the journal's engine does not answer: %w", err)
}

// keepAll is for streams that keep every message of a subject.
const keepAll = -1

// makeStream makes a stream, which keeps so many messages of a subject. One that is there already is left as it is.
func (s *Store) makeStream(ctx context.Context, name, subjects, description string, perSubject int64) error {
	config := nats.StreamConfig{
		Name: name,
		// A stream that was dropped and comes back never uses a sequence twice: a writer or a
		// reader of the old one would take the new one for it.
		FirstSeq:          uint64(time.Now().UnixMicro()),
		Description:       description,
		Subjects:          []string{subjects},
		Storage:           nats.FileStorage,
		Replicas:          s.replicaCount(),
		MaxConsumers:      -1,
		MaxMsgs:           -1,
		MaxBytes:          -1,
		MaxMsgsPerSubject: perSubject,
		DenyDelete:        true,
		DenyPurge:         true,
		AllowDirect:       true,
		Duplicates:        s.duplicateWindow(),
	}
	for tries := 0; ; tries++ {
		err := s.callAPI(ctx, "STREAM.CREATE."+name, config, &struct{}{})
		switch {
		case isRefusal(err, server.JSStreamNameExistErr):
			return nil
		case config.Replicas > 1 && (isRefusal(err, server.JSStreamReplicasNotSupportedErr) || isRefusal(err, server.JSClusterNoPeersErrF) && !s.hasEnoughServers()):
			s.settleForOne()
			config.Replicas = 1
			continue
		case config.Replicas > 1 && isRefusal(err, server.JSClusterNoPeersErrF):
		case isRefusal(err, server.JSStreamCreateErrF) && tries < 100: // the files of one that was dropped are still going
		default:
			return err
		}
		if clock.Sleep(ctx, s.conn.retryPause); ctx.Err() != nil {
			return fmt.Errorf("%w (%w)", contextError(ctx), err)
		}
	}
}

// duplicateWindow returns how long the engine knows a frame that is sent again. An engine of our own refuses it for its
// expected sequence first, and reads back so far at each start: there it is the least that there is. A cluster knows it first.
func (s *Store) duplicateWindow() time.Duration {
	if s.cluster == nil {
		return 100 * time.Millisecond
	}
	return time.Second
}

// replicaCount returns how often an event is kept.
func (s *Store) replicaCount() int {
	if s.cluster == nil || s.cluster.tooFew.Load() {
		return 1
	}
	return clusterReplicas
}

// settleForOne keeps each event once from now on, and notifies a person.
func (s *Store) settleForOne() {
	if s.cluster.tooFew.CompareAndSwap(false, true) && s.conn.notice != nil {
		s.conn.notice(fmt.Sprintf("the journal's engine at %s has fewer than %d servers: each event is kept once", s.cluster.where, clusterReplicas))
	}
}

// A streamInfo is what the engine knows of a month's stream.
type streamInfo struct {
	Config map[string]any `json:"config"` // nil if there is no such stream
	Total  int            `json:"total"`  // of the subjects that were asked for
	State  struct {
		First    uint64            `json:"first_seq"`
		Last     uint64            `json:"last_seq"`
		LastTime time.Time         `json:"last_ts"`
		Subjects map[string]uint64 `json:"subjects"` // how many messages each has
	} `json:"state"`
}

func (i streamInfo) end() streamEnd { return streamEnd{i.State.Last, i.State.LastTime} }

// fetchStreamInfo asks about a month's stream. The result is zero if there is none, or none any more.
func (s *Store) fetchStreamInfo(ctx context.Context, month string, ask any) (info streamInfo, err error) {
	err = s.callAPI(ctx, "STREAM.INFO."+streamName(month), ask, &info)
	if isRefusal(err, server.JSStreamNotFoundErr) {
		return streamInfo{}, nil
	}
	return info, err
}

// listMonths returns every month that has a stream, oldest first.
func (s *Store) listMonths(ctx context.Context) ([]string, error) {
	var months []string
	for {
		ask := map[string]any{"subject": subjectPrefix + ">", "offset": len(months)}
		var page server.JSApiStreamNamesResponse
		if err := s.callAPI(ctx, "STREAM.NAMES", ask, &page); err != nil {
			return nil, err
		}
		for _, name := range page.Streams {
			months = append(months, strings.TrimPrefix(name, streamPrefix))
		}
		if len(page.Streams) == 0 || len(months) >= page.Total {
			slices.Sort(months)
			return months, nil
		}
	}
}
