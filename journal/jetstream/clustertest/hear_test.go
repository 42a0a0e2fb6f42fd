package clustertest_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"mulligan/journal/jetstream/clustertest"
)

const hangGuard = 10 * time.Minute

// TestHearSlowly: messages from before the end of the server are delivered, however slow the caller is.
func TestHearSlowly(t *testing.T) {
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(hangGuard) {
		t.Fatal("the server did not start")
	}
	gone, heard := make(chan struct{}), make(chan string, 3)
	stop, err := clustertest.Hear(srv.ClientURL(), "word", func(_ string, data []byte) {
		<-gone
		heard <- string(data)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	nc, err := nats.Connect(srv.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"one", "two", "three"} {
		if err := nc.Publish("word", []byte(word)); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.FlushTimeout(hangGuard); err != nil {
		t.Fatal(err)
	}
	nc.Close()
	srv.Shutdown()
	srv.WaitForShutdown()
	// (the client sees the end while nothing was told yet)
	time.AfterFunc(100*time.Millisecond, func() { close(gone) })
	for _, want := range []string{"one", "two", "three"} {
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("heard %s, want %s", got, want)
			}
		case <-time.After(hangGuard):
			t.Fatalf("%s was not heard", want)
		}
	}
}
