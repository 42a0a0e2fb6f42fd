package jetstream_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mulligan/journal/jetstream"
)

const patience = 10 * time.Minute

func TestLiveOutputIsSeen(t *testing.T) {
	dir := t.TempDir()
	writer, viewer := open(t, dir, jetstream.Session), open(t, dir, jetstream.Viewer)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	seen := make(chan jetstream.Output, 1000)
	go func() {
		defer close(seen)
		for out := range viewer.Watch(ctx, session, func() {}, nil) {
			seen <- out
		}
	}()
	live := writer.Live(session)
	line := []byte(strings.Repeat("output ", 10_000)) // more than one chunk
	var got []byte
	for !bytes.Contains(got, line) {
		// What is written before the viewer listens is lost.
		if n, err := live.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
		select {
		case out := <-seen:
			if len(out.Data) > 32<<10 {
				t.Errorf("a chunk of %d bytes", len(out.Data))
			}
			got = append(got, out.Data...)
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("nothing was seen")
		}
		for len(seen) > 0 {
			got = append(got, (<-seen).Data...)
		}
	}
	cancel()
	for range seen {
		continue
	}
}

// A writer of live output is never held up, with viewers or without.
func TestLiveNeverBlocks(t *testing.T) {
	dir := t.TempDir()
	host, client := open(t, dir, jetstream.Session), open(t, dir, jetstream.Session)
	big := make([]byte, 1<<20)
	for _, s := range []*jetstream.Store{host, client} {
		live := s.Live(session)
		for range 200 {
			if n, err := live.Write(big); n != len(big) || err != nil {
				t.Fatal(n, err)
			}
		}
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := client.Live(session).Write(big); n != len(big) || err != nil {
		t.Error("after close:", n, err)
	}
	add(t, host, session, 0, 1)
}

func TestControl(t *testing.T) {
	dir := t.TempDir()
	running, command := open(t, dir, jetstream.Session), open(t, dir, jetstream.Short)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := command.Send(ctx, session, "stop"); !errors.Is(err, jetstream.ErrNotRunning) {
		t.Errorf("nobody serves: %v", err)
	}
	stop, err := running.Serve(session, func(verb string) (string, error) {
		if verb != "stop" {
			return "", errors.New("what is\n" + verb + "é?")
		}
		return "stopping after this turn", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := command.Send(ctx, session, "stop"); err != nil || reply != "stopping after this turn" {
		t.Errorf("stop: %q, %v", reply, err)
	}
	if _, err := command.Send(ctx, session, "dance"); err == nil || err.Error() != "what is\ndanceé?" {
		t.Errorf("dance: %v", err)
	}
	if _, err := command.Send(ctx, "20261115-000000-othr", "stop"); !errors.Is(err, jetstream.ErrNotRunning) {
		t.Errorf("another session: %v", err)
	}
	stop()
	if _, err := command.Send(ctx, session, "stop"); !errors.Is(err, jetstream.ErrNotRunning) {
		t.Errorf("served no more: %v", err)
	}
}

// What was printed before an event has come to a viewer when the event comes.
func TestOutputComesBeforeLaterEvents(t *testing.T) {
	dir := t.TempDir()
	writer, viewer := open(t, dir, jetstream.Session), open(t, dir, jetstream.Viewer)
	add(t, writer, session, 0, 1)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const chunks = 60
	hearing, settle := make(chan struct{}), make(chan func())
	seen := make(chan jetstream.Output, 2*chunks)
	go func() {
		for out := range viewer.Watch(ctx, session, func() { close(hearing) }, settle) {
			seen <- out
		}
	}()
	<-hearing
	began := time.Now()
	if _, err := writer.Live(session).Write(make([]byte, chunks*32<<10)); err != nil {
		t.Fatal(err)
	}
	add(t, writer, session, 1, 1)
	for _, err := range viewer.Follow(ctx, session, 2) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	settled := make(chan struct{})
	settle <- func() { close(settled) }
	<-settled
	if len(seen) != chunks {
		t.Errorf("%d of %d chunks came before the event", len(seen), chunks)
	}
	for range len(seen) {
		if out := <-seen; out.Written.Before(began) || out.Written.After(time.Now()) {
			t.Errorf("a chunk was written at %v", out.Written)
		}
	}
}
