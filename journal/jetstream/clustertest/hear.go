package clustertest

import (
	"sync"

	"github.com/nats-io/nats.go"
)

// backlog is what a client may be behind before the library drops messages.
const backlog = 10000

// Hear subscribes as any NATS client would, and tells what comes until the client is closed.
// What is published after it returns is heard, to the last that the server sent: a subscription
// with a callback would drop what it has not told yet when the server goes.
func Hear(address, subject string, tell func(subject string, data []byte)) (closeClient func(), err error) {
	nc, err := nats.Connect(address, nats.NoReconnect())
	if err != nil {
		return nil, err
	}
	told := make(chan *nats.Msg, backlog)
	if _, err = nc.ChanSubscribe(subject, told); err == nil {
		err = nc.Flush()
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	over := make(chan struct{})
	var teller sync.WaitGroup
	teller.Go(func() {
		for {
			select {
			case m := <-told:
				tell(m.Subject, m.Data)
			case <-over:
				return
			}
		}
	})
	return func() {
		nc.Close()
		close(over)
		teller.Wait()
	}, nil
}
