package clustertest

import (
	"sync"

	"github.com/nats-io/nats.go"
)

// backlog is how many messages a client may be behind before the library drops some.
const backlog = 10000

// Hear subscribes as any NATS client would, and calls tell with each message until the client is
// closed. A message that is published after Hear returns is not lost, even if the server goes: a
// subscription with a callback would then drop what it has not delivered yet.
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
