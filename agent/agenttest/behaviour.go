package agenttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"mulligan/internal/process"
)

// A Behaviour is what a fake agent does in a turn, in the order of its fields.
type Behaviour struct {
	Wants     string            `json:"wants,omitempty"`  // a command that it asks to be allowed, if its backend has a way to ask
	Expect    string            `json:"expect,omitempty"` // crash where the prompt lacks it
	Say       string            `json:"say,omitempty"`
	Flood     int               `json:"flood,omitempty"`    // so many lines of FloodLine
	Write     map[string]string `json:"write,omitempty"`    // files of the workspace
	Env       string            `json:"env,omitempty"`      // the file that its environment is written to, a variable a line
	Remember  string            `json:"remember,omitempty"` // see RememberCommand: the folder that gets a file for each conversation
	Spawn     string            `json:"spawn,omitempty"`    // see SpawnCommand: the file that gets the descendant's id; hangs
	Hang      bool              `json:"hang,omitempty"`
	Crash     bool              `json:"crash,omitempty"`
	Fault     Fault             `json:"fault,omitempty"` // what its model's side does to it
	Once      bool              `json:"once,omitempty"`  // only the first turn of the workspace meets the fault
	Vanish    bool              `json:"vanish,omitempty"`
	Interrupt bool              `json:"interrupt,omitempty"` // a SIGINT, which ends it

	conversation string
}

// In returns the behaviour in a conversation, where that is not the one of MULLIGAN_CONVERSATION.
func (b Behaviour) In(conversation string) Behaviour {
	b.conversation = conversation
	return b
}

// FloodLine returns the line, numbered from 1, that a flood is made of.
func FloodLine(n int) string {
	return fmt.Sprintf("line %08d of a reply that goes on and on\n", n)
}

// SpawnCommand returns a shell command that leaves a descendant behind which holds the agent's
// output open, writes its id to the file, and hangs.
func SpawnCommand(file string) string {
	return fmt.Sprintf("sleep 600 & echo $! > %[1]s.new && mv %[1]s.new %[1]s; wait", file)
}

// RememberCommand returns a shell command that adds the turn's number, a line, to the file of its
// conversation.
func RememberCommand(folder string) string {
	return fmt.Sprintf(`mkdir -p %[1]s && echo "$MULLIGAN_TURN" >>%[1]s/"$MULLIGAN_CONVERSATION"`, folder)
}

const fakeAgent = "fake-agent"

// Main is the TestMain of a backend's test: the test binary is also the keeper of the children and
// the fake agent itself. play is how the fake plays a behaviour, for a backend whose program is not
// a plain one.
func Main(m *testing.M, play ...func(Behaviour) error) {
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
	}
	if len(os.Args) > 2 && os.Args[1] == fakeAgent {
		// past the race detector's wait at an exit: the fake is not what is tested
		syscall.Exit(playFake(os.Args[2], append(play, playPlain)[0]))
	}
	os.Exit(m.Run())
}

// Pool returns a pool of keepers for a test; they do not wait for the race detector when they end.
func Pool(t *testing.T) *process.Pool {
	t.Helper()
	return process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
}

// FakeCommand returns the command line of a plain program that behaves so: it reads the prompt from
// standard input and prints its reply to standard output.
func FakeCommand(t testing.TB, b Behaviour) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, fakeAgent, string(said)}
}

func playFake(behaviour string, play func(Behaviour) error) int {
	var b Behaviour
	err := json.Unmarshal([]byte(behaviour), &b)
	if err == nil {
		err = play(b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func playPlain(b Behaviour) error {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	return b.Act(string(prompt), func(text string) { fmt.Print(text) })
}

// Act performs the behaviour in this process. It calls say with what the agent says, a line or more
// at a time.
func (b Behaviour) Act(prompt string, say func(text string)) error {
	if !strings.Contains(prompt, b.Expect) {
		return fmt.Errorf("the prompt lacks %q", b.Expect)
	}
	if b.Say != "" {
		say(b.Say + "\n")
	}
	for n := range b.Flood {
		say(FloodLine(n + 1))
	}
	for path, content := range b.Write {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			return err
		}
	}
	if b.Env != "" {
		if err := os.WriteFile(b.Env, []byte(strings.Join(os.Environ(), "\n")), 0o600); err != nil {
			return err
		}
	}
	if b.Remember != "" {
		conversation := cmp.Or(b.conversation, os.Getenv("MULLIGAN_CONVERSATION"))
		if err := runShell(RememberCommand(b.Remember), "MULLIGAN_CONVERSATION="+conversation); err != nil {
			return err
		}
	}
	if b.Spawn != "" {
		if err := runShell(SpawnCommand(b.Spawn)); err != nil {
			return err
		}
	}
	return b.endTurn()
}

// endTurn ends the turn as the behaviour wants, if not well.
func (b Behaviour) endTurn() error {
	switch {
	case b.Hang:
		time.Sleep(time.Hour)
	case b.Crash:
		return fmt.Errorf("the fake agent was told to crash")
	case b.Fault != "" && !(b.Once && wasFaultMet()):
		return b.Fault
	case b.Vanish:
		syscall.Exit(0)
	case b.Interrupt:
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, syscall.SIGINT) // also where it is ignored, as below some shells
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(syscall.SIGINT)
		}
		if err != nil {
			return err
		}
		<-interrupted
		syscall.Exit(130)
	}
	return nil
}

// wasFaultMet reports whether the fault was met in this workspace before, and notes that it is met
// now.
func wasFaultMet() bool {
	f, err := os.OpenFile("fault-met", os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		f.Close()
	}
	return err != nil
}

func runShell(command string, env ...string) error {
	child, err := os.StartProcess("/bin/sh", []string{"sh", "-c", command},
		&os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}, Env: process.Set(os.Environ(), env...)})
	if err != nil {
		return err
	}
	_, err = child.Wait()
	return err
}
