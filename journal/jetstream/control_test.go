//go:build unix

package jetstream_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mulligan/journal/jetstream"
)

// control is a session that is served, and a command that talks to it.
func control(t *testing.T, answer func(string) (string, error)) (context.Context, *jetstream.Store) {
	t.Helper()
	dir := t.TempDir()
	running, command := open(t, dir, jetstream.Session), open(t, dir, jetstream.Short)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	stop, err := running.Serve(session, answer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return ctx, command
}

// An answer that takes long keeps no other verb waiting, and is given once however often
// it has to be asked for.
func TestSlowAnswers(t *testing.T) {
	free := make(chan struct{})
	var told atomic.Int32
	ctx, command := control(t, func(verb string) (string, error) {
		if verb == "stop" {
			return "stopping", nil
		}
		told.Add(1)
		<-free
		return verb, nil
	})
	command.SetAgain(50 * time.Millisecond)
	answered := make(chan error, 1)
	go func() {
		reply, err := command.Send(ctx, session, "tell it")
		if err == nil && reply != "tell it" {
			err = errors.New("answered " + reply)
		}
		answered <- err
	}()
	await(t, "it is told", func() bool { return told.Load() > 0 })
	if reply, err := command.Send(ctx, session, "stop"); err != nil || reply != "stopping" {
		t.Errorf("stop: %q, %v", reply, err)
	}
	time.Sleep(200 * time.Millisecond) // time enough to be sent a few times
	close(free)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if told.Load() != 1 {
		t.Errorf("told %d times", told.Load())
	}
	// The same words once more are another telling.
	if _, err := command.Send(ctx, session, "tell it"); err != nil || told.Load() != 2 {
		t.Errorf("told %d times, %v", told.Load(), err)
	}
}

func TestLongWords(t *testing.T) {
	ctx, command := control(t, func(verb string) (string, error) {
		if strings.HasPrefix(verb, "refuse ") {
			return "", errors.New(strings.Repeat("é", 10_000))
		}
		return verb + verb, nil
	})
	for _, size := range []int{16 << 10, 256 << 10} {
		text := "tell " + strings.Repeat("x", size)
		if reply, err := command.Send(ctx, session, text); err != nil || reply != text+text {
			t.Errorf("%d bytes: %d come back, %v", size, len(reply), err)
		}
	}
	if _, err := command.Send(ctx, session, "refuse it"); err == nil || err.Error() != strings.Repeat("é", 10_000) {
		t.Errorf("a long refusal is %.100v", err)
	}
	if _, err := command.Send(ctx, session, "tell "+strings.Repeat("x", 4<<20)); err == nil || len(err.Error()) > 500 {
		t.Errorf("more than can be sent: %.200v", err)
	}
}

// A session is not drowned in questions that wait.
func TestTooManyAtOnce(t *testing.T) {
	free := make(chan struct{})
	ctx, command := control(t, func(string) (string, error) { <-free; return "", nil })
	var all sync.WaitGroup
	var good, refused atomic.Int32
	for range 100 {
		all.Go(func() {
			_, err := command.Send(ctx, session, "tell")
			switch {
			case err == nil:
				good.Add(1)
			case strings.Contains(err.Error(), "try again in a moment"):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	await(t, "those that are too many are refused", func() bool { return refused.Load() == 36 })
	close(free)
	all.Wait()
	if good.Load() != 64 {
		t.Errorf("%d were answered", good.Load())
	}
}
