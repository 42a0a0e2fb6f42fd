package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"

	"mulligan/internal/process"
)

// A Cluster is some servers that belong together.
type Cluster struct {
	servers []*member
}

type member struct {
	name string
	port int
	env  []string
	conv *process.Conversation
	kill context.CancelFunc
}

// Start starts n servers that keep their stores below dir; one alone is no cluster. Without a
// folder they have no JetStream.
func Start(dir string, n int) (*Cluster, error) {
	ports, err := freePorts(2 * n)
	if err != nil {
		return nil, err
	}
	c := &Cluster{}
	for i := range n {
		told := fmt.Sprint(ports[i], " ", ports[n+i])
		if n > 1 {
			told += " " + strings.Trim(fmt.Sprint(ports[n:]), "[]")
		}
		m := &member{name: fmt.Sprintf("server-%d", i), port: ports[i]}
		m.env = append(os.Environ(), playName+"="+m.name, playPorts+"="+told)
		if dir != "" {
			m.env = append(m.env, playFolder+"="+filepath.Join(dir, m.name))
		}
		if err := m.start(); err != nil {
			c.Close()
			return nil, err
		}
		c.servers = append(c.servers, m)
	}
	for _, m := range c.servers {
		if err := m.ready(); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

func (m *member) start() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, kill := context.WithCancel(context.Background())
	m.kill = kill
	m.conv, err = process.Tool{Argv: []string{exe}, Env: m.env}.Converse(ctx)
	return err
}

func (m *member) ready() error {
	line, err := bufio.NewReader(m.conv.Stdout).ReadString('\n')
	if err == nil && line != "ready\n" {
		err = fmt.Errorf("it says %q", line)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// end kills a server, as a machine that goes does.
func (m *member) end() {
	m.kill()
	_ = m.conv.Close()
}

// Close ends all servers.
func (c *Cluster) Close() {
	for _, m := range c.servers {
		m.end()
	}
}

// URLs are what `engine:` names the cluster by.
func (c *Cluster) URLs() string {
	var all []string
	for _, m := range c.servers {
		all = append(all, fmt.Sprintf("nats://somebody:%s@127.0.0.1:%d", Password, m.port))
	}
	return strings.Join(all, ",")
}

// A Stream is how the cluster keeps one of its streams.
type Stream struct {
	Name     string
	Replicas int
	Leader   string
}

// Streams are all that the cluster has.
func (c *Cluster) Streams() (all []Stream, err error) {
	err = c.ask(func(js nats.JetStreamContext) error {
		for info := range js.Streams() {
			s := Stream{Name: info.Config.Name, Replicas: info.Config.Replicas}
			if info.Cluster != nil {
				s.Leader = info.Cluster.Leader
			}
			all = append(all, s)
		}
		return nil
	})
	return all, err
}

// Clear drops all streams.
func (c *Cluster) Clear() error {
	return c.ask(func(js nats.JetStreamContext) error {
		for name := range js.StreamNames() {
			if err := js.DeleteStream(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// KillLeader kills the server that leads the first stream, with SIGKILL, and names it.
func (c *Cluster) KillLeader() (string, error) {
	streams, err := c.Streams()
	if err != nil || len(streams) == 0 {
		return "", fmt.Errorf("the cluster has no stream to lead: %w", err)
	}
	for _, m := range c.servers {
		if m.name == streams[0].Leader {
			m.end()
			return m.name, nil
		}
	}
	return "", fmt.Errorf("the stream %s has no leader", streams[0].Name)
}

func (c *Cluster) ask(do func(nats.JetStreamContext) error) error {
	nc, err := nats.Connect(c.URLs())
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := nc.JetStream()
	if err != nil {
		return err
	}
	return do(js)
}

// freePorts gives ports of loopback that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// Restart starts all servers again after Close, with what they kept.
func (c *Cluster) Restart() error {
	for _, m := range c.servers {
		if err := m.start(); err != nil {
			return err
		}
	}
	for _, m := range c.servers {
		if err := m.ready(); err != nil {
			return err
		}
	}
	return nil
}
