//go:build unix

package jetstream_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"mulligan/internal/process"
)

// What a server of a cluster is told when this program plays one.
const (
	serverName   = "MULLIGAN_TEST_SERVER_NAME"
	serverPorts  = "MULLIGAN_TEST_SERVER_PORTS"  // its client port, its cluster port, those of all
	serverFolder = "MULLIGAN_TEST_SERVER_FOLDER" // its store
)

// clusterServer is one server of a cluster, until its input ends.
func clusterServer() error {
	var client, own int
	var routes []*url.URL
	for i, text := range strings.Fields(os.Getenv(serverPorts)) {
		port, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return err
		case i == 0:
			client = port
		case i == 1:
			own = port
		default:
			routes = append(routes, &url.URL{Scheme: "nats", Host: net.JoinHostPort("127.0.0.1", text)})
		}
	}
	opt := &server.Options{
		ServerName: os.Getenv(serverName), Host: "127.0.0.1", Port: client, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: os.Getenv(serverFolder), SyncAlways: true,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30,
		Username: "somebody", Password: secretWord,
	}
	if len(routes) > 0 {
		opt.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: own}
		opt.Routes = routes
	}
	srv, err := server.NewServer(opt)
	if err != nil {
		return err
	}
	srv.Start()
	if !srv.ReadyForConnections(patience) {
		return errors.New("the server does not start")
	}
	for !srv.JetStreamIsCurrent() && len(routes) > 0 {
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	srv.Shutdown()
	return nil
}

// secretWord is the password of the cluster, which must not be printed anywhere.
const secretWord = "the-word-of-the-cluster"

// A cluster is some servers, each a process of its own, on loopback.
type cluster struct {
	servers []*clusterMember
}

type clusterMember struct {
	name string
	port int
	env  []string
	conv *process.Conversation
	kill context.CancelFunc
}

// startCluster starts n servers; one alone is no cluster.
func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	ports := freePorts(t, 2*n)
	c := &cluster{}
	for i := range n {
		told := fmt.Sprint(ports[i], " ", ports[n+i])
		if n > 1 {
			told += " " + strings.Trim(fmt.Sprint(ports[n:]), "[]")
		}
		m := &clusterMember{name: fmt.Sprintf("server-%d", i), port: ports[i]}
		m.env = append(os.Environ(), testRole+"=server", serverName+"="+m.name, serverPorts+"="+told, serverFolder+"="+t.TempDir())
		c.servers = append(c.servers, m)
		m.start(t)
		t.Cleanup(m.end)
	}
	for _, m := range c.servers {
		m.ready(t)
	}
	return c
}

func (m *clusterMember) start(t *testing.T) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, kill := context.WithCancel(context.Background())
	conv, err := process.Tool{Argv: []string{exe}, Env: m.env}.Converse(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m.conv, m.kill = conv, kill
}

func (m *clusterMember) ready(t *testing.T) {
	t.Helper()
	line, err := bufio.NewReader(m.conv.Stdout).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Fatalf("%s: %q, %v", m.name, line, err)
	}
}

// end kills the server, as a machine that goes does.
func (m *clusterMember) end() {
	m.kill()
	_ = m.conv.Close()
}

// urls are what `engine:` names the cluster by.
func (c *cluster) urls() string {
	var all []string
	for _, m := range c.servers {
		all = append(all, fmt.Sprintf("nats://somebody:%s@127.0.0.1:%d", secretWord, m.port))
	}
	return strings.Join(all, ",")
}

// freePorts gives ports of loopback that nobody listens on.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
