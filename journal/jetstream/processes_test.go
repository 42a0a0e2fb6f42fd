//go:build unix

package jetstream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mulligan/internal/process"
	"mulligan/journal/jetstream"
	"mulligan/journal/jetstream/clustertest"
	"mulligan/journal/journaltest"
)

// In another process this program is a writer of the journal: it appends frames of two
// events, and says after each how many events were acknowledged and whether it is the host;
// that it also says when it changes later.
const (
	writerDir     = "MULLIGAN_TEST_WRITER_DIR"
	writerSession = "MULLIGAN_TEST_WRITER_SESSION"
	writerFrames  = "MULLIGAN_TEST_WRITER_FRAMES"
	writerLimit   = "MULLIGAN_TEST_WRITER_LIMIT" // on the size of its files, as a full disk
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
	}
	clustertest.Play()
	if os.Getenv(stressRole) != "" {
		if err := stressWriter(); err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(writerDir); dir != "" {
		limitFiles(os.Getenv(writerLimit))
		if err := write(dir, os.Getenv(writerSession), os.Getenv(writerFrames)); err != nil {
			fmt.Println("failed", err, errors.Is(err, jetstream.ErrBelow))
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func limitFiles(limit string) {
	if n, err := strconv.ParseUint(limit, 10, 64); err == nil {
		signal.Ignore(unix.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			fmt.Println("failed", err)
		}
	}
}

func write(dir, session, frames string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	s, err := jetstream.Open(ctx, jetstream.Options{Dir: dir, Version: "test", Wait: patience})
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(frames)
	if err != nil {
		return err
	}
	fmt.Println("ack 0", s.Hosting())
	for i := range int64(n) {
		start := time.Now()
		if err := s.Append(ctx, session, 2*i, journaltest.Events(session, 2*i, 2), journaltest.Summary(session, 2*i+2)); err != nil {
			return err
		}
		fmt.Println("ack", 2*i+2, s.Hosting(), time.Since(start).Microseconds())
		time.Sleep(time.Millisecond)
	}
	stay(s, int64(2*n))
	return s.Close()
}

// stay is there, as a session is, until told to go.
func stay(s *jetstream.Store, acked int64) {
	told := make(chan struct{})
	go func() {
		bufio.NewReader(os.Stdin).ReadString('\n')
		close(told)
	}()
	for hosting := false; ; {
		select {
		case <-told:
			return
		case <-time.After(10 * time.Millisecond):
		}
		if now := s.Hosting(); now != hosting {
			hosting = now
			fmt.Println("ack", acked, hosting)
		}
	}
}

// A writer is such a process, as its parent sees it.
type writer struct {
	session string
	kill    context.CancelFunc // SIGKILL
	conv    *process.Conversation
	done    chan struct{} // its output has ended

	mu      sync.Mutex
	acked   int64
	hosting bool
	slowest time.Duration
	failed  string
}

func startWriter(t *testing.T, dir, session string, frames int, env ...string) *writer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, kill := context.WithCancel(context.Background())
	tool := process.Tool{Argv: []string{exe}, Env: append(os.Environ(), append(env, writerDir+"="+dir, writerSession+"="+session, writerFrames+"="+strconv.Itoa(frames))...)}
	conv, err := tool.Converse(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{session: session, kill: kill, conv: conv, done: make(chan struct{})}
	go w.listen()
	t.Cleanup(func() {
		kill()
		<-w.done
		_ = conv.Close()
	})
	return w
}

func (w *writer) listen() {
	defer close(w.done)
	for lines := bufio.NewScanner(w.conv.Stdout); lines.Scan(); {
		var micros int64
		w.mu.Lock()
		if n, _ := fmt.Sscanf(lines.Text(), "ack %d %t %d", &w.acked, &w.hosting, &micros); n < 2 {
			w.failed = lines.Text()
		}
		w.slowest = max(w.slowest, time.Duration(micros)*time.Microsecond)
		w.mu.Unlock()
	}
}

func (w *writer) state(t *testing.T) (acked int64, hosting bool) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != "" {
		t.Fatalf("writer of %s: %s", w.session, w.failed)
	}
	return w.acked, w.hosting
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// hostOf waits until one of the writers says that it is the host.
func hostOf(t *testing.T, writers []*writer) int {
	t.Helper()
	found := -1
	await(t, "one is the host", func() bool {
		for i, w := range writers {
			if _, hosting := w.state(t); hosting {
				found = i
			}
		}
		return found >= 0
	})
	return found
}

// The host is killed twice while four processes append: nothing that was acknowledged is
// lost, nothing is stored twice, and a process takes over each time.
func TestHostIsKilled(t *testing.T) {
	const frames = 250
	dir := t.TempDir()
	var writers []*writer
	for i := range 4 {
		writers = append(writers, startWriter(t, dir, fmt.Sprintf("20261115-00000%d-kill", i), frames))
	}
	rest := append([]*writer(nil), writers...)
	for kills := range 2 {
		await(t, "all have written", func() bool {
			for _, w := range rest {
				if acked, _ := w.state(t); acked < int64(kills*150+50) {
					return false
				}
			}
			return true
		})
		i := hostOf(t, rest)
		rest[i].kill()
		<-rest[i].done
		rest = append(rest[:i:i], rest[i+1:]...)
	}
	for _, w := range rest {
		await(t, "the writers that are left have written all", func() bool { acked, _ := w.state(t); return acked == 2*frames })
		t.Logf("%s: slowest append %v", w.session, w.slowest)
	}
	hostOf(t, rest)
	s := open(t, dir, jetstream.Session)
	if s.Hosting() {
		t.Error("two hosts")
	}
	for _, w := range writers {
		acked, _ := w.state(t)
		got, err := journaltest.Collect(s.Read(t.Context(), w.session, 1))
		if err != nil {
			t.Errorf("%s: %v", w.session, err)
		}
		// One frame may have been stored without its writer living to hear of it.
		if n := int64(len(got)); n != acked && n != acked+2 {
			t.Errorf("%s: %d events, %d acknowledged", w.session, n, acked)
		}
	}
}

// A host that leaves in order hands over just so.
func TestHostLeaves(t *testing.T) {
	dir := t.TempDir()
	first := startWriter(t, dir, "20261115-000000-frst", 20)
	hostOf(t, []*writer{first})
	second := startWriter(t, dir, "20261115-000000-scnd", 400)
	await(t, "both write", func() bool { a, _ := first.state(t); b, _ := second.state(t); return a == 40 && b > 20 })
	if err := first.conv.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	await(t, "the second has written all", func() bool { acked, hosting := second.state(t); return acked == 800 && hosting })
	s := open(t, dir, jetstream.Session)
	for session, want := range map[string]int{first.session: 40, second.session: 800} {
		if got, err := journaltest.Collect(s.Read(t.Context(), session, 1)); err != nil || len(got) != want {
			t.Errorf("%s: %d events of %d, %v", session, len(got), want, err)
		}
	}
}

// Many start at the same moment on an empty folder: one of them hosts.
func TestOneHostOfMany(t *testing.T) {
	dir := t.TempDir()
	var writers []*writer
	for i := range 6 {
		writers = append(writers, startWriter(t, dir, fmt.Sprintf("20261115-00000%d-many", i), 10))
	}
	hosts := 0
	for _, w := range writers {
		await(t, "all have written", func() bool { acked, _ := w.state(t); return acked == 20 })
		if _, hosting := w.state(t); hosting {
			hosts++
		}
	}
	if hosts != 1 {
		t.Errorf("%d hosts", hosts)
	}
	sums, err := open(t, dir, jetstream.Short).Sessions(t.Context())
	if err != nil || len(sums) != 6 {
		t.Errorf("%d sessions, %v", len(sums), err)
	}
}

// Follow continues over a takeover, and so does a waiting Append.
func TestFollowOverATakeover(t *testing.T) {
	dir := t.TempDir()
	host := startWriter(t, dir, "20261115-000000-host", 1)
	hostOf(t, []*writer{host})
	s := open(t, dir, jetstream.Session)
	add(t, s, session, 0, 1)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for e, err := range s.Follow(ctx, session, 1) {
		if err != nil {
			t.Fatal(err)
		}
		switch e.Number {
		case 1:
			host.kill()
			<-host.done // or it may live long enough to store them
			add(t, s, session, 1, 2)
		case 3:
			cancel()
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error("what came after the takeover was not seen")
	}
	if !s.Hosting() {
		t.Error("nobody took over")
	}
}

// A store that cannot be written any more fails appends with the reason, here and in other
// processes, and does not let them wait for ever.
func TestStoreCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	host := startWriter(t, dir, "20261115-000000-full", 1, writerLimit+"=100000")
	hostOf(t, []*writer{host})
	await(t, "it has written", func() bool { acked, _ := host.state(t); return acked == 2 })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s := open(t, dir, jetstream.Session)
	var err error
	after := int64(0)
	for ; err == nil; after += 10 {
		err = s.Append(ctx, session, after, journaltest.Events(session, after, 10), journaltest.Summary(session, after+10))
	}
	if !strings.Contains(err.Error(), "the journal cannot be written") || !strings.Contains(err.Error(), unix.EFBIG.Error()) {
		t.Errorf("after %d events: %v", after, err)
	}
	// Another process that can write resumes it.
	host.kill()
	<-host.done
	after -= 10
	await(t, "it can be written again", func() bool {
		err = s.Append(ctx, session, after, journaltest.Events(session, after, 10), journaltest.Summary(session, after+10))
		return err == nil
	})
	if got, err := journaltest.Collect(s.Read(ctx, session, 1)); err != nil || int64(len(got)) != after+10 {
		t.Errorf("%d events of %d, %v", len(got), after+10, err)
	}
}
