package clustertest

import "github.com/nats-io/nats.go"

// Hear subscribes as any NATS client would, and tells what comes until the client is closed.
// What is published after it returns is heard.
func Hear(address, subject string, tell func(subject string, data []byte)) (closeClient func(), err error) {
	nc, err := nats.Connect(address, nats.NoReconnect())
	if err != nil {
		return nil, err
	}
	if _, err = nc.Subscribe(subject, func(m *nats.Msg) { tell(m.Subject, m.Data) }); err == nil {
		err = nc.Flush()
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return nc.Close, nil
}
