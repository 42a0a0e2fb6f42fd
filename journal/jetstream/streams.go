package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Sessions are in streams by month, so that a month can be dropped whole.
const (
	streamPrefix  = "MULLIGAN_LOG_"
	subjectPrefix = "mulligan.log."
)

func streamOf(month string) string             { return streamPrefix + month }
func logSubject(month, session string) string  { return subjectPrefix + month + "." + session }
func eventSubject(session, kind string) string { return "mulligan.events." + session + "." + kind }
func liveSubject(session string) string        { return "mulligan.live." + session }
func controlSubject(session string) string     { return "mulligan.control." + session }

// apiError is a refusal of JetStream's.
type apiError struct {
	Code        int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("the journal's engine refuses: %s (%d)", e.Description, e.Code)
}

// The refusals that are told apart.
const (
	codeNameInUse         = 10058
	codeStreamNotFound    = 10059
	codeWrongLast         = 10071
	codeWrongLastConstant = 10164
)

func refused(err error, codes ...int) bool {
	var api *apiError
	return errors.As(err, &api) && slices.Contains(codes, api.Code)
}

// api asks JetStream itself and decodes its answer.
func (s *Store) api(ctx context.Context, subject string, ask, answer any) error {
	data, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	reply, err := s.link.request(ctx, &nats.Msg{Subject: "$JS.API." + subject, Data: data})
	if errors.Is(err, nats.ErrNoResponders) {
		return s.broken(err)
	}
	if err != nil {
		return err
	}
	return decodeReply(reply.Data, answer)
}

// decodeReply decodes an answer that may be a refusal.
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

// broken says why JetStream is not there at all.
func (s *Store) broken(err error) error {
	if fault := s.door.fault(); fault != nil {
		return fault
	}
	return fmt.Errorf("the journal's engine does not answer: %w", err)
}

// makeStream makes a month's stream. One that is there already is left as it is.
func (s *Store) makeStream(ctx context.Context, month string) error {
	config := nats.StreamConfig{
		Name:              streamOf(month),
		Description:       "mulligan: sessions of " + month,
		Subjects:          []string{logSubject(month, "*")},
		Storage:           nats.FileStorage,
		Replicas:          s.replicas,
		MaxConsumers:      -1,
		MaxMsgs:           -1,
		MaxBytes:          -1,
		MaxMsgsPerSubject: -1,
		DenyDelete:        true,
		DenyPurge:         true,
		AllowDirect:       true,
		Duplicates:        time.Second,
	}
	var made struct{}
	err := s.api(ctx, "STREAM.CREATE."+config.Name, config, &made)
	if refused(err, codeNameInUse) {
		return nil
	}
	return err
}

// months gives every month that has a stream, oldest first.
func (s *Store) months(ctx context.Context) ([]string, error) {
	var months []string
	for {
		ask := map[string]any{"subject": subjectPrefix + ">", "offset": len(months)}
		var page struct {
			Total   int      `json:"total"`
			Streams []string `json:"streams"`
		}
		if err := s.api(ctx, "STREAM.NAMES", ask, &page); err != nil {
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
