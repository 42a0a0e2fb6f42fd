package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"mulligan/internal/clock"
	"mulligan/journal"
)

// Embedded is the engine that mulligan brings along.
const Embedded = "embedded"

const (
	// clusterReplicas is how often a cluster keeps each event.
	clusterReplicas = 3
	// reachWait is how long servers that cannot be reached at first are tried.
	reachWait = 2 * time.Second
	// electionWait is between two tries while a cluster has no leader.
	electionWait = 50 * time.Millisecond
)

// A cluster is the journal's servers if they are not this program's own.
type cluster struct {
	urls   string      // with credentials
	where  string      // without
	tooFew atomic.Bool // it has too few servers to keep an event more than once
}

// parseEngine reads an engine's address: nats://host:4222, or several with commas.
func parseEngine(engine string) (*cluster, error) {
	var urls, names []string
	for text := range strings.SplitSeq(engine, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		// The parser's words would hold the address, and that a password.
		if err != nil || u.Host == "" || !slices.Contains([]string{"nats", "tls"}, u.Scheme) {
			return nil, errors.New("the journal's engine is neither " + Embedded + " nor an address such as nats://host:4222")
		}
		urls, names = append(urls, u.String()), append(names, u.Scheme+"://"+u.Host)
	}
	return &cluster{urls: strings.Join(urls, ","), where: strings.Join(names, ",")}, nil
}

// An EngineError is servers that the journal was to be on, and cannot.
type EngineError struct {
	Where string // without anything that lets anybody in
	Err   error
}

func (e *EngineError) Error() string {
	return fmt.Sprintf("the journal's engine at %s cannot be used: %v", e.Where, e.Err)
}

func (e *EngineError) Unwrap() error { return e.Err }

// openCluster connects to servers that other people run. What is private to this machine stays in
// the state folder.
func openCluster(ctx context.Context, opt Options, dir string) (*Store, error) {
	c, err := parseEngine(opt.Engine)
	if err != nil {
		return nil, err
	}
	l, err := c.connectWhenReady(ctx, opt)
	if err != nil {
		return nil, &EngineError{Where: c.where, Err: err}
	}
	own := sha256.Sum256([]byte(c.where))
	return &Store{
		mode: opt.Mode, cluster: c, conn: l, live: newOutputFeed(l), tips: map[string]tip{},
		marks: ackMarks{filepath.Join(dir, "engines", hex.EncodeToString(own[:8]), "marks")},
	}, nil
}

// connectWhenReady connects and checks that the servers can keep a journal. It waits for servers
// that are starting, or are choosing their leader.
func (c *cluster) connectWhenReady(ctx context.Context, opt Options) (*connection, error) {
	for began := time.Now(); ; {
		giveUp := began.Add(reachWait)
		l, err := openConnection(c.connectionOptions(opt))
		if err == nil {
			if err = checkFitness(ctx, l); err == nil {
				return l, nil
			}
			l.close()
			giveUp = began.Add(opt.Wait) // it is there, and may be choosing its leader
		}
		if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, errUnfit) || time.Now().After(giveUp) {
			return nil, err
		}
		if clock.Sleep(ctx, electionWait); ctx.Err() != nil {
			return nil, fmt.Errorf("%w (%w)", contextError(ctx), err)
		}
	}
}

// errUnfit is a server that cannot keep a journal, however often it is asked.
var errUnfit = errors.New("it is not fit for a journal")

// checkFitness returns an error that wraps errUnfit if the servers cannot keep a journal.
func checkFitness(ctx context.Context, l *connection) error {
	if most := l.nc.MaxPayload(); most < journal.MaxFrame+maxSummary+(16<<10) {
		return fmt.Errorf("%w: it takes messages of %d bytes at most; set its max_payload to 1MB", errUnfit, most)
	}
	reply, err := l.requestOnce(ctx, &nats.Msg{Subject: "$JS.API.INFO"})
	if err == nil {
		err = decodeReply(reply.Data, &struct{}{})
	}
	if isRefusal(err, server.JSNotEnabledErr, server.JSNotEnabledForAccountErr) || errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("%w: JetStream is not enabled (%w)", errUnfit, err)
	}
	return err
}

// connectionOptions returns how a cluster is connected to.
func (c *cluster) connectionOptions(opt Options) connectionOptions {
	o := connectionOptions{
		urls: c.urls, natsOptions: []nats.Option{nats.Timeout(reachWait)},
		obstacle: func() error { return nil }, reconnects: true, cluster: true,
		retryPause: electionWait, resendAfter: replyWait / 2, notice: opt.Notice,
	}
	if opt.Mode != Session {
		o.maxWait = 3 * opt.Wait // servers that are busy take their time to choose a leader
	}
	return o
}

// hasEnoughServers reports whether the cluster is known to have the servers for all replicas: if
// some are missing now, it has lost them and gets them back.
func (s *Store) hasEnoughServers() bool { return len(s.conn.nc.Servers()) >= clusterReplicas }
