// Package clustertest runs servers for a test of a journal on a cluster: each is a process of
// its own, the test binary executed again, on loopback.
package clustertest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// The environment of the test binary when it plays a server.
const (
	playName   = "MULLIGAN_TEST_SERVER_NAME"
	playPorts  = "MULLIGAN_TEST_SERVER_PORTS"  // its client port, its cluster port, those of all
	playFolder = "MULLIGAN_TEST_SERVER_FOLDER" // its store; none: no JetStream
)

// Password lets a client in, together with the user somebody. It must not be printed anywhere.
const Password = "the-word-of-the-cluster"

// startWait is a guard against hanging.
const startWait = 2 * time.Minute

// Play makes this process a server where it was started as one, and does not return then.
// TestMain calls it first.
func Play() {
	if os.Getenv(playName) == "" {
		return
	}
	if err := runServer(); err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runServer runs the server until its input ends.
func runServer() error {
	opt, err := serverOptions()
	if err != nil {
		return err
	}
	srv, err := server.NewServer(opt)
	if err != nil {
		return err
	}
	srv.SetLoggerV2(fatalLog{}, false, false, false)
	srv.Start()
	if !srv.ReadyForConnections(startWait) {
		return errors.New("the server does not start")
	}
	for giveUp := time.Now().Add(startWait); len(opt.Routes) > 0 && !srv.JetStreamIsCurrent(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(giveUp) {
			return errors.New("the servers do not agree on a leader")
		}
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	srv.Shutdown()
	return nil
}

// A fatalLog ends the process if the server fails at something, such as taking its port: the server
// itself would only log it and continue.
type fatalLog struct{}

func (fatalLog) Fatalf(format string, v ...any) {
	fmt.Printf("failed "+format+"\n", v...)
	os.Exit(1)
}

func (fatalLog) Noticef(string, ...any) {}
func (fatalLog) Warnf(string, ...any)   {}
func (fatalLog) Errorf(string, ...any)  {}
func (fatalLog) Debugf(string, ...any)  {}
func (fatalLog) Tracef(string, ...any)  {}

// serverOptions reads the environment.
func serverOptions() (*server.Options, error) {
	var ports []int
	for _, text := range strings.Fields(os.Getenv(playPorts)) {
		port, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	opt := &server.Options{
		ServerName: os.Getenv(playName), Host: "127.0.0.1", Port: ports[0], NoSigs: true, NoLog: true,
		Username: "somebody", Password: Password,
		StoreDir: os.Getenv(playFolder), SyncAlways: true,
		JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 30,
	}
	opt.JetStream = opt.StoreDir != ""
	for _, port := range ports[2:] {
		opt.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[1]}
		opt.Routes = append(opt.Routes, &url.URL{Scheme: "nats", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))})
	}
	return opt, nil
}
