package agenttest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"mulligan/internal/process"
)

// A Behaviour is what a fake agent does in a turn, in the order of its fields.
type Behaviour struct {
	Expect string            `json:"expect,omitempty"` // crash where the prompt lacks it
	Say    string            `json:"say,omitempty"`
	Flood  int               `json:"flood,omitempty"` // so many lines of FloodLine
	Write  map[string]string `json:"write,omitempty"` // files of the workspace
	Env    string            `json:"env,omitempty"`   // the file that its environment is written to, a variable a line
	Spawn  string            `json:"spawn,omitempty"` // see SpawnCommand: the file that gets the descendant's id; hangs
	Hang   bool              `json:"hang,omitempty"`
	Crash  bool              `json:"crash,omitempty"`
}

// FloodLine is the line, numbered from 1, that a flood is made of.
func FloodLine(n int) string {
	return fmt.Sprintf("line %08d of a reply that goes on and on\n", n)
}

// SpawnCommand is a shell command that leaves a descendant behind which holds the
// agent's output open, writes its id to the file, and hangs.
func SpawnCommand(file string) string {
	return fmt.Sprintf("sleep 600 & echo $! > %[1]s.new && mv %[1]s.new %[1]s; wait", file)
}

const fakeAgent = "fake-agent"

// Main is the TestMain of a backend's test: the test binary is also the keeper of the
// children and the fake agent itself. A backend whose program is no plain one says how the
// fake plays a behaviour.
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

// Pool is a pool of keepers for a test; they do not wait for the race detector when
// they end.
func Pool(t *testing.T) *process.Pool {
	t.Helper()
	pool := process.NewPool(process.PoolOptions{Env: []string{"GORACE=atexit_sleep_ms=0"}})
	t.Cleanup(pool.Close)
	return pool
}

// FakeCommand is the command line of a plain program that behaves so: it reads the
// prompt from standard input and says what it says on standard output.
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

// Act does what the behaviour says, in this process. What is said goes to say, a line or more
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
	if b.Spawn != "" {
		if err := spawn(b.Spawn); err != nil {
			return err
		}
	}
	if b.Hang {
		time.Sleep(time.Hour)
	}
	if b.Crash {
		return fmt.Errorf("the fake agent was told to crash")
	}
	return nil
}

func spawn(file string) error {
	child, err := os.StartProcess("/bin/sh", []string{"sh", "-c", SpawnCommand(file)},
		&os.ProcAttr{Files: []*os.File{nil, os.Stdout, os.Stderr}, Env: os.Environ()})
	if err != nil {
		return err
	}
	_, err = child.Wait()
	return err
}
