//go:build !unix

package e2e

import (
	"net"
	"testing"
)

// refusing is an address of this machine that refuses until it is listened at.
func refusing(t *testing.T) (address string, listen func() (net.Listener, error)) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = listener.Addr().String()
	listener.Close() // nothing else on the machine is likely to take it in the next seconds
	return address, func() (net.Listener, error) { return net.Listen("tcp4", address) }
}
