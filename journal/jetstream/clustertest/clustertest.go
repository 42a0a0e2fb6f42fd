package clustertest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"mulligan/internal/process"
)

// A Cluster is some servers that belong together.
type Cluster struct {
	servers []*member
}

// A member is one server of a cluster, and its process.
type member struct {
	name string
	port int
	env  []string
	conv *process.Conversation
	kill context.CancelFunc
}

// Start starts n servers that keep their stores below dir; one alone is no cluster. Without a
// folder they have no JetStream.
func Start(dir string, n int) (*Cluster, error) { return startCluster(dir, n, findFreePorts) }

// tries is how often servers are started: another program may take a port before the server does.
const tries = 5

// startCluster is Start with a function that picks the ports.
func startCluster(dir string, n int, pick func(int) ([]int, error)) (*Cluster, error) {
	var failed error
	for range tries {
		ports, err := pick(2 * n)
		if err != nil {
			return nil, err
		}
		c, err := startOnPorts(dir, n, ports)
		if !errors.Is(err, errNotReady) {
			return c, err
		}
		failed = err
	}
	return nil, failed
}

// startOnPorts starts each server on its client port and its cluster port.
func startOnPorts(dir string, n int, ports []int) (*Cluster, error) {
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
	if err := c.waitUntilReady(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// waitUntilReady waits for all servers, or for the first that fails.
func (c *Cluster) waitUntilReady() error {
	all := make(chan error, len(c.servers))
	for _, m := range c.servers {
		go func() { all <- m.waitUntilReady() }()
	}
	for range c.servers {
		if err := <-all; err != nil {
			return err
		}
	}
	return nil
}

// start starts the server's process.
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

// errNotReady is a server that has ended before it was ready.
var errNotReady = errors.New("the server did not start")

// waitUntilReady waits for the server's line.
func (m *member) waitUntilReady() error {
	line, err := bufio.NewReader(m.conv.Stdout).ReadString('\n')
	if err != nil || line != "ready\n" {
		return fmt.Errorf("%s: %w: it says %q: %v", m.name, errNotReady, line, err)
	}
	return nil
}

// killServer kills the server, as if its machine failed.
func (m *member) killServer() {
	m.kill()
	_ = m.conv.Close()
}

// Close ends all servers.
func (c *Cluster) Close() {
	for _, m := range c.servers {
		m.killServer()
	}
}

// URLs returns the addresses that `engine:` names the cluster by.
func (c *Cluster) URLs() string {
	var all []string
	for _, m := range c.servers {
		all = append(all, fmt.Sprintf("nats://somebody:%s@127.0.0.1:%d", Password, m.port))
	}
	return strings.Join(all, ",")
}

// A Stream describes one of the cluster's streams.
type Stream struct {
	Name     string
	Replicas int
	Leader   string
}

// Streams returns all streams of the cluster.
func (c *Cluster) Streams() (all []Stream, err error) {
	err = c.withJetStream(func(js nats.JetStreamContext) error {
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
	return c.withJetStream(func(js nats.JetStreamContext) error {
		for name := range js.StreamNames() {
			if err := js.DeleteStream(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// KillLeader kills the server that leads the first stream, with SIGKILL, and returns its name. It
// waits while the servers are choosing.
func (c *Cluster) KillLeader() (string, error) {
	var streams []Stream
	var err error
	for giveUp := time.Now().Add(startWait); time.Now().Before(giveUp); time.Sleep(50 * time.Millisecond) {
		if streams, err = c.Streams(); err != nil || len(streams) == 0 {
			continue
		}
		for _, m := range c.servers {
			if m.name == streams[0].Leader {
				m.killServer()
				return m.name, nil
			}
		}
	}
	return "", fmt.Errorf("the cluster has no stream with a leader: %+v, %v", streams, err)
}

// withJetStream calls do with a client of the cluster.
func (c *Cluster) withJetStream(do func(nats.JetStreamContext) error) error {
	nc, err := nats.Connect(c.URLs(), nats.Timeout(startWait))
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := nc.JetStream(nats.MaxWait(startWait))
	if err != nil {
		return err
	}
	return do(js)
}

// findFreePorts returns ports of loopback that no program listens on. They are below those that the
// system hands out by itself: the servers take them a moment later, and again after a Restart.
func findFreePorts(n int) ([]int, error) {
	const first, count, tries = 10_000, 20_000, 1000
	var ports []int
	var last error
	for range tries {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.N(count)))
		if err != nil {
			last = err
			continue
		}
		defer l.Close()
		if ports = append(ports, l.Addr().(*net.TCPAddr).Port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("no %d ports are free: %w", n, last)
}

// Restart starts all servers again after Close, with what they kept.
func (c *Cluster) Restart() error {
	for _, m := range c.servers {
		if err := m.start(); err != nil {
			return err
		}
	}
	return c.waitUntilReady()
}
