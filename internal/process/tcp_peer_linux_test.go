package process

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTCPPeerRefused(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for _, tt := range []struct {
		name, script string
		role         Role
		want         string // "": let in
	}{
		{"a tool of our own", "exec $ME act call-tcp $ADDRESS $FILE", RoleNone, ""},
		{"an agent", "exec $ME act call-tcp $ADDRESS $FILE", RoleAgent, "agent: process "},
		{"an agent's daemon", "(setsid env -i $ME act call-tcp $ADDRESS $FILE &) ; sleep 1000", RoleAgent, "agent: process "},
		{"a check", "exec $ME act call-tcp $ADDRESS $FILE", RoleCheck, "check: process "},
		{"a hook", "exec $ME act call-tcp $ADDRESS $FILE", RoleHook, "hook: process "},
		{"what has an agent's door", "exec env " + DoorEnv + "=x $ME act call-tcp $ADDRESS $FILE", RoleNone, "agent: process "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := NewPool(PoolOptions{State: state})
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			file := filepath.Join(t.TempDir(), "pid")
			env := append(os.Environ(), "ME="+os.Args[0], "ADDRESS="+l.Addr().String(), "FILE="+file)
			done := make(chan error, 1)
			go func() {
				_, err := p.Run(t.Context(), Spec{Argv: shell(tt.script), Role: tt.role, Env: env})
				done <- err
			}()
			c, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			why, role := TCPPeerRefused(c, state)
			if role != RoleNone {
				why = string(role) + ": " + why
			}
			if !strings.HasPrefix(why, tt.want) || tt.want == "" && why != "" {
				t.Errorf("refused: %q, want %q", why, tt.want)
			}
			pidIn(t, file)
			p.KillAll()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// A caller that has hung up cannot be told from another.
func TestTCPPeerThatIsGoneIsRefused(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	caller, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if why, _ := TCPPeerRefused(c, ""); why != "" {
		t.Errorf("we ourselves are refused: %q", why)
	}
	caller.Close()
	if why, _ := TCPPeerRefused(c, ""); why == "" {
		t.Error("it is let in")
	}
}

func TestSameAddress(t *testing.T) {
	for _, tt := range []struct {
		listed, want string
		same         bool
	}{
		{"0100007F:1F90", "127.0.0.1:8080", true},
		{"0100007F:1F90", "127.0.0.1:8081", false},
		{"0200007F:1F90", "127.0.0.1:8080", false},
		{"0000000000000000FFFF00000100007F:1F90", "127.0.0.1:8080", true},
		{"local_address", "127.0.0.1:8080", false},
		{"", "127.0.0.1:0", false},
	} {
		if got := sameAddress(tt.listed, netip.MustParseAddrPort(tt.want)); got != tt.same {
			t.Errorf("%s and %s: %v", tt.listed, tt.want, got)
		}
	}
}
