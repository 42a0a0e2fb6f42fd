// Package jetstream keeps the journal in NATS JetStream, embedded: a process that needs the
// journal and finds no host becomes the host, so that several processes share one store
// and none of them has to stay.
//
// One state folder has one host at a time: the process that holds host.lock. It runs the
// server, opens no port, and bridges a unix socket to it. Every other process is a client
// of that socket; when the host ends, however it ends, a client takes over.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"mulligan/internal/process"
	"mulligan/journal"
)

// A Mode is what a store is opened for.
type Mode int

const (
	// Session is the process of a session: it hosts for as long as it is open, and takes
	// over when the host that it uses goes.
	Session Mode = iota
	// Short is a command that ends soon; it hosts meanwhile if no other process does.
	Short
	// Viewer only looks. It never takes over: when its host goes, or when it had to host
	// for its own read, Follow ends with ErrHostGone: close it then, and open another.
	Viewer
)

var (
	// ErrHostGone is a viewer's journal that no other process hosts, or hosts any more.
	ErrHostGone = errors.New("no running session hosts the journal")
	// ErrNotRunning is a session that no process serves.
	ErrNotRunning = errors.New("the session is not running")
	// ErrBelow is a process that an agent, a check or a hook has started: the journal is not for it. The
	// error itself is a *BelowError.
	ErrBelow = errors.New("the journal is a person's")
	// ErrClosed is a store that was closed by its own process.
	ErrClosed = errors.New("the journal is closed")
)

// A BelowError is a process that an agent, a check or a hook of the journal's sessions has started.
type BelowError struct {
	Role process.Role
	Why  string // how that is known
}

func (e *BelowError) Error() string {
	return fmt.Sprintf("%v, and this process runs below %s: %s", ErrBelow, e.Role, e.Why)
}

func (e *BelowError) Is(target error) bool { return target == ErrBelow }

// Options are which journal is opened, and for what.
type Options struct {
	Dir     string // the state folder; made where it is missing
	Engine  string // "" or Embedded; or where the servers are: nats://host:4222, several with commas
	Version string // of mulligan; the host and its clients exchange theirs
	Mode    Mode
	// Wait is how long a process that holds the journal may take to answer; 0 means 10 s.
	// A session that has the journal open already waits for as long as it takes.
	Wait time.Duration
	// Notice is called with a text for a person when the journal keeps its caller waiting, and when
	// it answers again. It may be nil.
	Notice func(text string)
	// Warn is called with a text for a person when the state folder was open to other users. It may be nil.
	Warn func(text string)
}

// A Store is a journal in a state folder, or on servers. It is safe for concurrent use.
type Store struct {
	mode    Mode
	dialer  *hostDialer // nil where the journal is on servers of others
	cluster *cluster    // those servers
	conn    *connection
	files   journal.Files    // artifacts, where the journal is in the state folder
	archive *journal.Archive // sealed sessions, likewise
	marks   ackMarks
	serving servingFiles
	live    *outputFeed
	lists   monthLists

	listener atomic.Pointer[Listener] // of programs that want events; nil: none

	mu   sync.Mutex
	tips map[string]tip // what is known of the ends of sessions
}

// Open connects to the journal's host, or becomes it; or connects to the servers that the
// options name.
func Open(ctx context.Context, opt Options) (*Store, error) {
	dir, err := prepareDir(opt.Dir, opt.Warn)
	if err != nil {
		return nil, err
	}
	if opt.Wait == 0 {
		opt.Wait = 10 * time.Second
	}
	if opt.Engine != "" && opt.Engine != Embedded {
		return openCluster(ctx, opt, dir)
	}
	archive := journal.NewArchive(filepath.Join(dir, "sealed"))
	if opt.Mode == Short {
		archive.StartReading()
	}
	d := &hostDialer{dir: dir, version: opt.Version}
	l, err := openHostConnection(ctx, d, opt)
	if err != nil {
		d.close()
		return nil, err
	}
	return &Store{
		mode: opt.Mode, dialer: d, conn: l, live: newOutputFeed(l), tips: map[string]tip{},
		files:   journal.Files{Dir: filepath.Join(dir, "artifacts")},
		archive: archive,
		marks:   ackMarks{filepath.Join(dir, "marks")},
		serving: servingFiles{filepath.Join(dir, "serving")},
	}, nil
}

// openHostConnection tries until the process that holds the journal answers, for as long as it may
// take.
func openHostConnection(ctx context.Context, d *hostDialer, opt Options) (*connection, error) {
	limit := time.After(opt.Wait)
	patient := time.Now().Add(stoppedWait)
	for {
		l, err := openConnection(d.connectionOptions(opt))
		if err == nil {
			return l, nil
		}
		// A host that let us in and then cut us off is ending, or was stopped.
		if why := d.obstacle(); !errors.Is(err, errBusy) && why != nil && !errors.Is(why, errBusy) {
			return nil, err
		}
		if busy, ok := errors.AsType[*busyError](err); !ok || !busy.stopped {
			patient = time.Now().Add(stoppedWait)
		}
		select {
		case <-time.After(retryWait):
			if time.Now().Before(patient) {
				continue
			}
		case <-limit:
		case <-ctx.Done():
			err = fmt.Errorf("%w (%w)", contextError(ctx), err)
		}
		return nil, fmt.Errorf("open the journal in %s: %w", d.dir, err)
	}
}

// Hosting reports whether this process is the journal's host.
func (s *Store) Hosting() bool { return s.dialer != nil && s.dialer.isHosting() }

// Close ends the connection, and the host if it is this process. Appended events are on the disk
// already.
func (s *Store) Close() error {
	s.live.close()
	s.conn.close()
	if s.dialer == nil {
		return nil
	}
	return s.dialer.close()
}
