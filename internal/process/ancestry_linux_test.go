package process

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The same keeper serves an agent and then the user's own commands: only what runs below it
// while it serves the agent is the agent's.
func TestBelowAgent(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	for _, tt := range []struct {
		name  string
		agent bool
		argv  []string
	}{
		{"a check", false, self("below")},
		{"an agent", true, self("below")},
		{"an agent's tool", true, shell(os.Args[0] + " act below; exit $?")},
		{"a check again", false, self("below")},
		{"a tool without an environment", true, shell("exec env -i " + os.Args[0] + " act below")},
		{"one that leaves its session and its parent", true, shell("setsid " + os.Args[0] + " act below & wait")},
		{"a hook", false, shell("setsid " + os.Args[0] + " act below & wait")},
	} {
		var out strings.Builder
		exit, err := p.Run(t.Context(), Spec{Argv: tt.argv, Agent: tt.agent, Stdout: &out})
		if err != nil || !exit.OK() {
			t.Fatalf("%s: %v, %v", tt.name, exit, err)
		}
		if got := strings.HasPrefix(out.String(), "true "); got != tt.agent {
			t.Errorf("%s: %q", tt.name, out.String())
		}
	}
	if n := len(p.idle); n > 2 {
		t.Errorf("%d keepers were used: the test is of one that serves both", n)
	}
}

// callersOf returns a socket, and a function that returns why the next caller is refused.
func callersOf(t *testing.T) (socket string, answer func() (refused string)) {
	t.Helper()
	socket = filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return socket, func() string {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		why, agents := PeerRefused(c.(*net.UnixConn))
		if agents {
			why = "agent: " + why
		}
		return why
	}
}

func TestPeerRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		spec         Spec
		want         string // "": let in
	}{
		{"a check", "exec $ME act call $SOCKET $FILE", Spec{}, ""},
		{"a check's daemon", "setsid $ME act call $SOCKET $FILE & wait", Spec{}, ""},
		{"an agent", "exec $ME act call $SOCKET $FILE", Spec{Agent: true}, "agent: process "},
		{"an agent's tool", "$ME act call $SOCKET $FILE; exit", Spec{Agent: true}, "agent: process "},
		{"an agent's daemon", "(setsid env -i $ME act call $SOCKET $FILE &) ; sleep 1000", Spec{Agent: true}, "agent: process "},
		{"what has an agent's door", "exec env " + DoorEnv + "=x $ME act call $SOCKET $FILE", Spec{}, "agent: process "},
		{"a name alike", "exec env X" + DoorEnv + "=x $ME act call $SOCKET $FILE", Spec{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPool(t)
			socket, answer := callersOf(t)
			file := filepath.Join(t.TempDir(), "pid")
			tt.spec.Argv = shell(tt.script)
			tt.spec.Env = append(os.Environ(), "ME="+os.Args[0], "SOCKET="+socket, "FILE="+file)
			done := make(chan error, 1)
			go func() {
				_, err := p.Run(t.Context(), tt.spec)
				done <- err
			}()
			why := answer()
			if !strings.Contains(why, tt.want) || tt.want == "" && why != "" {
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

// One that called and ended cannot be asked whose it was, and its number may become another's.
func TestPeerThatIsGoneIsRefused(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	socket, answer := callersOf(t)
	file := filepath.Join(t.TempDir(), "pid")
	// The shell waits for the caller, so that it is gone and its number free.
	script := os.Args[0] + " act hang-up " + socket + " " + file + "; echo > " + file + ".gone; sleep 1000"
	done := make(chan error, 1)
	go func() {
		_, err := p.Run(t.Context(), Spec{Argv: shell(script), Agent: true})
		done <- err
	}()
	eventually(t, "the caller is gone", func() bool { _, err := os.Stat(file + ".gone"); return err == nil })
	if why := answer(); !strings.HasPrefix(why, "process ") || !strings.Contains(why, "is gone") {
		t.Errorf("refused: %q", why)
	}
	pidIn(t, file)
	p.KillAll()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Parents that end while the way up is walked lead nowhere else.
func TestOrphansOfAnAgentAreRefused(t *testing.T) {
	t.Parallel()
	const callers = 40
	p := newPool(t)
	socket, answer := callersOf(t)
	script := "for i in $(seq " + strconv.Itoa(callers) + "); do ( ( (sleep 0.00$((i % 10)); exec " + os.Args[0] + " act knock " + socket + ") & sleep 0.00$((i % 7)) ) & ) ; done; sleep 1000"
	done := make(chan error, 1)
	go func() {
		_, err := p.Run(t.Context(), Spec{Argv: shell(script), Agent: true})
		done <- err
	}()
	for range callers {
		if why := answer(); !strings.HasPrefix(why, "agent: ") {
			t.Errorf("refused: %q", why)
		}
	}
	p.KillAll()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// On a kernel without descriptors of peers, a process that started after the call is another one.
func TestCallerWhoseNumberIsAnothers(t *testing.T) {
	for _, tt := range []struct {
		pid     int
		arrived uint64
		want    string
	}{
		{os.Getpid(), ticksSinceBoot(), ""},
		{os.Getpid(), 0, "is gone"},
		{0, ticksSinceBoot(), "outside of what"},
		{1 << 30, ticksSinceBoot(), "is gone"},
	} {
		if why, _ := checkPeer(tt.pid, tt.arrived); !strings.Contains(why, tt.want) || tt.want == "" && why != "" {
			t.Errorf("process %d: %q, want %q", tt.pid, why, tt.want)
		}
	}
}

// A process cannot take its keeper's name off, nor give itself one that helps.
func TestKeepersNameIsItsOwn(t *testing.T) {
	t.Parallel()
	p := newPool(t)
	var out strings.Builder
	script := `for f in /proc/$PPID/comm /proc/$PPID/task/*/comm; do echo sh > $f && echo wrote $f; done 2>/dev/null
		echo innocent > /proc/$$/comm; ` + os.Args[0] + " act below"
	if _, err := p.Run(t.Context(), Spec{Argv: shell(script), Agent: true, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "true ") {
		t.Errorf("got away: %q", out.String())
	}
}
