package process

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The same keeper serves an agent and then the user's own commands: what runs below it has the role of
// the child that it serves at the time.
func TestIdentifySelf(t *testing.T) {
	t.Parallel()
	state, other := t.TempDir(), t.TempDir()
	p := NewPool(PoolOptions{State: state})
	below := os.Args[0] + " act below"
	for _, tt := range []struct {
		name   string
		role   Role
		script string
		want   string
	}{
		{"a tool of our own", RoleNone, below, "person"},
		{"a check", RoleCheck, below + " " + state, "check"},
		{"an agent", RoleAgent, below + " " + state, "agent"},
		{"an agent, and another state folder", RoleAgent, below + " " + other, "agent"},
		{"an agent's tool", RoleAgent, below + "; exit $?", "agent"},
		{"a check again", RoleCheck, below, "check"},
		{"a check, and another state folder", RoleCheck, below + " " + other, "person"},
		{"a check, and its state folder by a link", RoleCheck, "ln -s " + state + " " + other + "/link; " + below + " " + other + "/link", "check"},
		{"a check's daemon without an environment", RoleCheck, "setsid env -i " + below + " " + state + " & wait", "check"},
		{"a check that calls itself a person's shell", RoleCheck, "echo sh >/proc/$$/comm; " + below + " " + state, "check"},
		{"a tool without an environment", RoleAgent, "exec env -i " + below, "agent"},
		{"one that leaves its session and its parent", RoleAgent, "setsid " + below + " & wait", "agent"},
		{"a hook", RoleHook, "setsid " + below + " " + state + " & wait", "hook"},
		{"a hook whose session's folder was moved", RoleHook, "mv " + state + " " + other + "/moved; " + below + " " + other + "/moved", "hook"},
	} {
		var out strings.Builder
		exit, err := p.Run(t.Context(), Spec{Argv: shell(tt.script), Role: tt.role, Stdout: &out})
		if err != nil || !exit.OK() {
			t.Fatalf("%s: %v, %v", tt.name, exit, err)
		}
		if got, _, _ := strings.Cut(out.String(), " "); got != tt.want {
			t.Errorf("%s: %q, want %s", tt.name, out.String(), tt.want)
		}
	}
}

// Where the system does not tell ancestors, the environment does.
func TestIdentifyByEnv(t *testing.T) {
	t.Parallel()
	state, other := t.TempDir(), t.TempDir()
	door := DoorEnv + "=/d"
	for _, tt := range []struct {
		environ []string
		state   string
		want    Role
	}{
		{nil, state, RoleNone},
		{[]string{BelowMark(RoleCheck, state)}, state, RoleNone},
		{[]string{door}, state, RoleAgent},
		{[]string{door, BelowMark(RoleAgent, state)}, other, RoleAgent},
		{[]string{door, BelowMark(RoleCheck, state)}, state, RoleCheck},
		{[]string{door, BelowMark(RoleHook, state)}, state, RoleHook},
		{[]string{door, BelowMark(RoleHook, state)}, other, RoleNone},
		{[]string{door, BelowEnv + "=nonsense"}, state, RoleAgent},
	} {
		if got := identifyByEnv(tt.environ, identifyFolder(tt.state)); got.Role != tt.want {
			t.Errorf("%v: %+v, want %q", tt.environ, got, tt.want)
		}
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
		why, role := PeerRefused(c.(*net.UnixConn), "")
		if role != RoleNone {
			why = string(role) + ": " + why
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
		{"a tool of our own", "exec $ME act call $SOCKET $FILE", Spec{}, ""},
		{"a check", "exec $ME act call $SOCKET $FILE", Spec{Role: RoleCheck}, "check: process "},
		{"a check's daemon", "setsid env -i $ME act call $SOCKET $FILE & wait", Spec{Role: RoleCheck}, "check: process "},
		{"a hook", "exec $ME act call $SOCKET $FILE", Spec{Role: RoleHook}, "hook: process "},
		{"an agent", "exec $ME act call $SOCKET $FILE", Spec{Role: RoleAgent}, "agent: process "},
		{"an agent's tool", "$ME act call $SOCKET $FILE; exit", Spec{Role: RoleAgent}, "agent: process "},
		{"an agent's daemon", "(setsid env -i $ME act call $SOCKET $FILE &) ; sleep 1000", Spec{Role: RoleAgent}, "agent: process "},
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
		_, err := p.Run(t.Context(), Spec{Argv: shell(script), Role: RoleAgent})
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
		_, err := p.Run(t.Context(), Spec{Argv: shell(script), Role: RoleAgent})
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
		if why, _ := checkPeer(tt.pid, tt.arrived, folderID{}); !strings.Contains(why, tt.want) || tt.want == "" && why != "" {
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
	if _, err := p.Run(t.Context(), Spec{Argv: shell(script), Role: RoleAgent, Stdout: &out}); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "agent ") {
		t.Errorf("got away: %q", out.String())
	}
}
