package clustertest

import (
	"net"
	"testing"
)

func TestMain(m *testing.M) {
	Play()
	m.Run()
}

// TestStartTakenPort: a port that was taken after it was found to be free is no reason to fail.
func TestStartTakenPort(t *testing.T) {
	for name, which := range map[string]int{"of clients": 1, "of the cluster": 4} {
		t.Run(name, func(t *testing.T) {
			taken, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer taken.Close()
			picks := 0
			c, err := startCluster(t.TempDir(), 3, func(n int) ([]int, error) {
				ports, err := findFreePorts(n)
				if picks++; picks == 1 && err == nil {
					ports[which] = taken.Addr().(*net.TCPAddr).Port
				}
				return ports, err
			})
			if err != nil || picks != 2 {
				t.Fatalf("%d tries: %v", picks, err)
			}
			c.Close()
		})
	}
}

// TestStartNever: where no try succeeds, that is said.
func TestStartNever(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	if c, err := startCluster("", 1, func(int) ([]int, error) { return []int{port, port}, nil }); c != nil || err == nil {
		t.Errorf("got %v, %v", c, err)
	}
}
