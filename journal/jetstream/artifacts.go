package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"mulligan/journal"
)

const (
	// partSize is how much of an artifact is one message.
	partSize    = 512 << 10
	headerParts = "Mulligan-Parts" // how many messages an artifact has; in its first
)

// artifactsOf returns where the large data of a session's events is kept: in the state folder, or,
// for a cluster, which other machines read, beside the month's log.
func (s *Store) artifactsOf(ctx context.Context, session string) journal.Artifacts {
	if s.cluster == nil {
		return s.files
	}
	month, _ := journal.Month(session)
	return clusterArtifacts{
		put: func(data []byte) (string, error) { return s.putArtifact(ctx, month, data) },
		get: func(hash string) ([]byte, error) { return s.getArtifact(ctx, month, hash) },
	}
}

// clusterArtifacts bind a store to the context of one call.
type clusterArtifacts struct {
	put func(data []byte) (string, error)
	get func(hash string) ([]byte, error)
}

func (a clusterArtifacts) Put(data []byte) (string, error) { return a.put(data) }
func (a clusterArtifacts) Get(hash string) ([]byte, error) { return a.get(hash) }

func artifactStream(month string) string { return "MULLIGAN_ARTIFACTS_" + month }

func artifactSubject(month, hash string, part int) string {
	return "mulligan.artifacts." + month + "." + strings.ReplaceAll(hash, ":", "-") + "." + strconv.Itoa(part)
}

// putArtifact stores data in parts, the first part last: if the first is there, all are.
func (s *Store) putArtifact(ctx context.Context, month string, data []byte) (string, error) {
	hash := journal.HashOf(data)
	parts := max(1, (len(data)+partSize-1)/partSize)
	for part := parts - 1; part >= 0; part-- {
		m := nats.NewMsg(artifactSubject(month, hash, part))
		m.Header.Set(headerAfter, "0") // once
		m.Header.Set(headerParts, strconv.Itoa(parts))
		m.Data = data[part*partSize : min(len(data), (part+1)*partSize)]
		if err := s.putPart(ctx, month, m); err != nil {
			return "", fmt.Errorf("keep artifact %s: %w", hash, err)
		}
	}
	return hash, nil
}

// putPart stores a part unless it is there already.
func (s *Store) putPart(ctx context.Context, month string, m *nats.Msg) error {
	for {
		_, err := s.storeMessage(ctx, m, func(ctx context.Context) error {
			return s.makeStream(ctx, artifactStream(month), "mulligan.artifacts."+month+".>", "mulligan: large data of sessions of "+month, keepAll)
		})
		if !isWrongLast(err) {
			return err
		}
		// It is there, or on its way from an earlier try that may come to nothing.
		if there, err := s.fetchLastFromLeader(ctx, artifactStream(month), m.Subject); there != nil || err != nil {
			return err
		}
		if err := s.waitForDecision(ctx, 0, 0); err != nil {
			return err
		}
	}
}

// getArtifact fetches the parts of an artifact and checks its hash.
func (s *Store) getArtifact(ctx context.Context, month, hash string) ([]byte, error) {
	var data []byte
	parts := 1
	for part := 0; part < parts; part++ {
		m, err := s.fetchLastFromLeader(ctx, artifactStream(month), artifactSubject(month, hash, part))
		if err == nil && m == nil {
			err = errors.New("the cluster does not have it")
		}
		if err == nil && part == 0 {
			parts, err = strconv.Atoi(m.Header.Get(headerParts))
		}
		if err != nil {
			return nil, fmt.Errorf("artifact %s, part %d: %w", hash, part+1, err)
		}
		data = append(data, m.Data...)
	}
	if journal.HashOf(data) != hash {
		return nil, fmt.Errorf("artifact %s is damaged: the cluster has other content than its name says", hash)
	}
	return data, nil
}
