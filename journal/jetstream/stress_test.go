//go:build unix

package jetstream_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"mulligan"
	"mulligan/internal/process"
	"mulligan/journal/jetstream"
	"mulligan/journal/journaltest"
)

// times is how often TestStress disturbs its writers; `make stress` does it 200 times.
var times = flag.Int("stress", 20, "how often hosts are killed, stopped and started")

// stressRole makes this program, in another process, a writer of TestStress.
const stressRole = "MULLIGAN_TEST_STRESS"

const (
	// hurried is how many frames a writer of TestStress writes as fast as it can once it is asked to hurry.
	hurried = 20
	// leisure is between two frames after those.
	leisure = 50 * time.Millisecond
)

// stressWriter continues its session, two events to a frame, until its input ends; each line of that
// makes it hurry. It says where it begins and what was acknowledged.
func stressWriter() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := jetstream.Open(ctx, jetstream.Options{Dir: os.Getenv(writerDir), Version: "test", Wait: patience, Notice: func(text string) { fmt.Println("note", text) }})
	if err != nil {
		return err
	}
	session, at := os.Getenv(writerSession), int64(0)
	for e, err := range s.Read(ctx, session, 1) {
		if err != nil && !errors.Is(err, mulligan.ErrNoSession) {
			return err
		}
		at = max(at, e.Number)
	}
	fmt.Println("at", at, 0)
	hurry := make(chan struct{}, 1)
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			note(hurry)
		}
		cancel()
	}()
	for left := hurried; ctx.Err() == nil; left-- {
		start := time.Now()
		if err := s.Append(context.WithoutCancel(ctx), session, at, journaltest.Events(session, at, 2), journaltest.Summary(session, at+2)); err != nil {
			return err
		}
		at += 2
		fmt.Println("ack", at, time.Since(start).Microseconds())
		pause := time.Millisecond
		if left <= 0 {
			pause = leisure
		}
		select {
		case <-hurry:
			left = hurried
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return s.Close()
}

// A seat is a session that one process after another writes.
type seat struct {
	t       *testing.T
	dir     string
	session string
	pid     int
	conv    *process.Conversation
	kill    context.CancelFunc
	done    chan struct{}

	mu      sync.Mutex
	acked   int64
	acks    int // since the last disturbance
	slowest time.Duration
	notes   []string
	failed  error
}

func (s *seat) start() {
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, kill := context.WithCancel(context.Background())
	conv, err := process.Tool{Argv: []string{exe}, Env: append(os.Environ(), stressRole+"=yes", writerDir+"="+s.dir, writerSession+"="+s.session)}.Converse(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	s.conv, s.kill, s.done, s.pid = conv, kill, make(chan struct{}), conv.PID()
	go s.listen(conv, s.done)
}

func (s *seat) listen(conv *process.Conversation, done chan struct{}) {
	defer close(done)
	for lines := bufio.NewScanner(conv.Stdout); lines.Scan(); {
		s.heard(lines.Text())
	}
}

func (s *seat) heard(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var number, micros int64
	word, rest, _ := strings.Cut(line, " ")
	fmt.Sscan(rest, &number, &micros)
	switch {
	case word == "note":
		s.notes = append(s.notes, rest)
	case word == "at" && number < s.acked:
		s.failed = fmt.Errorf("%s: %d events were acknowledged, and the next writer finds %d", s.session, s.acked, number)
	case word == "at":
	case word == "ack":
		s.acked, s.acks = number, s.acks+1
		s.slowest = max(s.slowest, time.Duration(micros)*time.Microsecond)
	default:
		s.failed = fmt.Errorf("%s: %s", s.session, line)
	}
}

// end ends the writer: at once, or in order.
func (s *seat) end(atOnce bool) {
	if atOnce {
		s.kill()
	} else if err := s.conv.Stdin.Close(); err != nil {
		s.t.Error(err)
	}
	<-s.done
	if err := s.conv.Close(); err != nil && !atOnce {
		s.t.Errorf("%s left: %v", s.session, err)
	}
	s.kill()
}

// settle waits until every seat has written anew, and returns the slowest append of them.
func settle(t *testing.T, seats []*seat) (slowest time.Duration) {
	t.Helper()
	await(t, "all go on", func() bool {
		for _, s := range seats {
			s.mu.Lock()
			acks, failed := s.acks, s.failed
			s.mu.Unlock()
			if failed != nil {
				t.Fatal(failed)
			}
			if acks < 3 {
				return false
			}
		}
		return true
	})
	for _, s := range seats {
		s.mu.Lock()
		slowest = max(slowest, s.slowest)
		s.acks, s.slowest = 0, 0
		s.mu.Unlock()
	}
	return slowest
}

// hurry has all writers write as fast as they can, so that something is under way at whatever happens next. What
// they have written before that does not count.
func hurry(t *testing.T, seats []*seat) {
	t.Helper()
	for _, s := range seats {
		if _, err := io.WriteString(s.conv.Stdin, "\n"); err != nil {
			t.Fatalf("%s is asked to hurry: %v", s.session, err)
		}
	}
	time.Sleep(5*time.Millisecond + rand.N(20*time.Millisecond))
	for _, s := range seats {
		s.mu.Lock()
		s.acks = 0
		s.mu.Unlock()
	}
}

// holding finds the seat whose process is the host, if one is.
func holding(t *testing.T, dir string, seats []*seat) *seat {
	t.Helper()
	text, err := os.ReadFile(dir + "/host.lock")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(line)
	for _, s := range seats {
		if s.pid == pid {
			return s
		}
	}
	return seats[rand.N(len(seats))]
}

// disturb does one thing to a writer and returns its name, and how long it held all others up.
func disturb(t *testing.T, host *seat) (what string, held time.Duration) {
	t.Helper()
	switch n := rand.N(10); {
	case n < 5:
		host.end(true)
		host.start()
		return "killed", 0
	case n < 7:
		host.end(false)
		host.start()
		return "left", 0
	default:
		held = 50*time.Millisecond + rand.N(250*time.Millisecond)
		raise(t, host.pid, unix.SIGSTOP)
		time.Sleep(held)
		raise(t, host.pid, unix.SIGCONT)
		return "stopped", held
	}
}

func raise(t *testing.T, pid int, sig unix.Signal) {
	t.Helper()
	if err := unix.Kill(pid, sig); err != nil {
		t.Fatalf("%v to %d: %v", sig, pid, err)
	}
}

// Eight processes append while hosts are killed, stopped and started: nothing that was
// acknowledged is lost, nothing is there twice, and every writer continues each time.
func TestStress(t *testing.T) {
	dir := t.TempDir()
	var seats []*seat
	for i := range 8 {
		s := &seat{t: t, dir: dir, session: fmt.Sprintf("20261115-00000%d-strs", i)}
		s.start()
		t.Cleanup(func() { s.kill(); <-s.done })
		seats = append(seats, s)
	}
	settle(t, seats)
	count, longest := map[string]int{}, map[string]time.Duration{}
	for range *times {
		hurry(t, seats)
		what, held := disturb(t, holding(t, dir, seats))
		count[what]++
		longest[what] = max(longest[what], settle(t, seats)-held)
	}
	for _, s := range seats {
		s.end(false)
	}
	t.Logf("8 writers; hosts killed %d times, stopped %d times, left %d times", count["killed"], count["stopped"], count["left"])
	t.Logf("longest append after a kill %v, after a host left %v, beyond the time that a host was stopped %v", longest["killed"], longest["left"], longest["stopped"])
	t.Logf("%d events acknowledged, 0 lost, 0 doubled", intact(t, dir, seats))
}

// intact reads everything back and returns how many events were acknowledged.
func intact(t *testing.T, dir string, seats []*seat) (acked int64) {
	t.Helper()
	store := open(t, dir, jetstream.Short)
	for _, s := range seats {
		got, err := journaltest.Collect(store.Read(t.Context(), s.session, 1))
		if err != nil {
			t.Errorf("%s: %v", s.session, err)
		}
		// The last writer of each left in order, so that it has heard of everything.
		if int64(len(got)) != s.acked {
			t.Errorf("%s: %d events, %d acknowledged", s.session, len(got), s.acked)
		}
		for i, want := range journaltest.Events(s.session, 0, len(got)) {
			if got[i].Number != want.Number || got[i].Body != want.Body {
				t.Fatalf("%s: event %d is %+v", s.session, i+1, got[i])
			}
		}
		acked += s.acked
	}
	return acked
}

func (s *seat) said() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.notes
}
