package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mulligan/internal/process"
)

var (
	personSeed  = flag.Uint64("person.seed", 1, "what the sequences of a person's actions are drawn with")
	personFresh = flag.Bool("person.fresh", false, "draw them with the time")
	personRuns  = flag.Int("person.runs", 12, "how many sequences a person plays; a number beside the seed is the first one's")
	personSteps = flag.String("person.steps", "", "play only these actions of a sequence, by their numbers: 1,4,5")
	personKeep  = flag.Bool("person.keep", false, "leave the folders of sequences that fail")
)

// How many actions a sequence has, and how long a command may take on a busy machine.
const (
	fewestActions = 14
	mostActions   = 20
	longestWait   = 5 * time.Minute
)

// TestPersonsWork is the property of W1 to W8: whatever a person does between and during sessions, and however those end, the
// checkout, its index and its refs are byte for byte what they themselves made of it; every line that they wrote is there, on a
// branch or in their stash; no branch of a session moves backwards; and nothing breaks.
func TestPersonsWork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a turn tells where it is through /proc")
	}
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	seed := *personSeed
	if *personFresh {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	for i := range *personRuns {
		t.Run(strconv.FormatUint(seed+uint64(i), 10), func(t *testing.T) {
			t.Parallel()
			playPerson(t, seed+uint64(i))
		})
	}
}

// A person works beside mulligan in one repository.
type person struct {
	t      *testing.T
	seed   uint64
	random *rand.Rand // of the action that is under way
	dir    string     // has the repository and everything besides

	name     string            // of the repository's folder in it
	mine     map[string]string // what they made of the checkout
	written  []line            // what they wrote
	tips     map[string]string // of the branches of sessions
	busy     *started          // a mulligan that is in a turn
	busyName string            // of the repository's folder when that began
	commands int
	story    []string
}

// A line is a unique text that the person wrote, and where.
type line struct{ text, file string }

// playPerson plays one sequence.
func playPerson(t *testing.T, seed uint64) {
	dir, err := os.MkdirTemp("", "person") // short: a socket's path has 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, seed: seed, dir: dir, name: "proj"}
	t.Cleanup(func() {
		p.end()
		if t.Failed() {
			t.Logf("the same again: go test ./cmd/mulligan -run TestPersonsWork -person.seed %d -person.runs 1\n%s", seed, strings.Join(p.story, "\n"))
		}
		if t.Failed() && *personKeep {
			t.Log("left at", dir)
		} else {
			os.RemoveAll(dir)
		}
	})
	p.random = rand.New(rand.NewPCG(seed, 0))
	p.makeProject()
	p.own()
	n := fewestActions + p.random.IntN(mostActions-fewestActions+1)
	for i := 1; i <= n && !t.Failed(); i++ {
		// Each action has a source of its own: one less leaves the others what they are.
		p.random = rand.New(rand.NewPCG(seed, uint64(i)))
		if *personSteps == "" || slices.Contains(strings.Split(*personSteps, ","), strconv.Itoa(i)) {
			p.note("%d:", i)
			p.act()
			p.check()
		}
	}
	if p.busy != nil && !t.Failed() {
		p.note("at last:")
		p.finish("pass")
		p.check()
	}
}

// note adds to the story that a failure is reported with.
func (p *person) note(format string, args ...any) {
	p.story = append(p.story, fmt.Sprintf(format, args...))
}

// The agent does as the file mode says, and waits in the turn if that is "wait".
const (
	personAgent = `cat >$HOME/../prompt
date +half-%N >half
mode=$(cat $HOME/../mode)
if [ $mode = wait ]; then
	touch $HOME/../turn
	i=0
	while [ ! -e $HOME/../go ] && [ $i -lt 6000 ]; do sleep 0.02; i=$((i+1)); done
	mode=$(cat $HOME/../go)
fi
case $mode in
ask) "$MULLIGAN" ask 'Which port?' >$HOME/../said || exit 1; date +%N >made ;;
clash) { echo "the agent's"; cat README; } >README.new; mv README.new README; date +%N >made ;;
pass) date +%N >made ;;
fail) date +%N >>almost; rm -f made ;;
crash) exit 9 ;;
esac
`
	personConfig = `version: 1
agent: local
agents:
  local: {type: program, exec: [sh, -c, 'exec sh "$HOME/../agent.sh"']}
on_question: stop
pipelines:
  default: [{name: make, check: sh check.sh, retry: 1}]
`
)

// makeProject makes the repository that the person works in.
func (p *person) makeProject() {
	for _, name := range []string{"proj/tasks", "proj/src", "home", "state", "config", "run", "bin"} {
		p.must(os.MkdirAll(filepath.Join(p.dir, name), 0o755))
	}
	for name, text := range map[string]string{
		"agent.sh": personAgent, "proj/mulligan.yaml": personConfig, "proj/check.sh": "test -e made\n",
		"proj/README": "first\nsecond\nthird\n", "proj/src/a.txt": "one\n", "proj/tasks/t.md": "# Make a file\n", "proj/tasks/u.md": "# Make another\n",
	} {
		p.must(os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
	}
	p.git("init", "-q", "-b", "main")
	p.git("config", "user.name", "A")
	p.git("config", "user.email", "a@example.com")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "start")
	p.git("branch", "other")
}

func (p *person) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatalf("%v", err)
	}
}

// git runs git in the repository and returns what it printed. It has to succeed.
func (p *person) git(argv ...string) string {
	p.t.Helper()
	out, err := p.tryGit(argv...)
	p.must(err)
	return out
}

// tryGit runs git in the repository.
func (p *person) tryGit(argv ...string) (string, error) {
	return p.gitIn(p.root(), "", argv...)
}

func (p *person) gitIn(dir, input string, argv ...string) (string, error) {
	tool := process.Tool{Dir: dir, Env: runEnv(p.dir), Stdin: strings.NewReader(input), Argv: append([]string{"git"}, argv...)}
	out, err := tool.Output(context.Background())
	return strings.TrimSpace(string(out)), err
}

// A started is a mulligan that runs.
type started struct {
	argv []string
	kill context.CancelFunc
	done chan struct{}
	file string // that it prints to
	err  error  // when done
}

// said returns what a mulligan has printed so far.
func (s *started) said() string {
	text, _ := os.ReadFile(s.file)
	return string(text)
}

// start starts mulligan.
func (p *person) start(argv ...string) *started {
	ctx, cancel := context.WithCancel(context.Background())
	p.commands++
	s := &started{argv: argv, kill: cancel, done: make(chan struct{}), file: filepath.Join(p.dir, fmt.Sprintf("out-%d", p.commands))}
	go func() {
		defer close(s.done)
		tool := process.Tool{
			Dir: p.root(), Env: runEnv(p.dir),
			Argv: append([]string{"sh", "-c", `exec mulligan "$@" >"$0" 2>&1`, s.file}, argv...),
		}
		_, s.err = tool.Output(ctx)
	}()
	return s
}

// wait waits until a mulligan has ended, and returns its exit code: -1 if it was killed.
func (p *person) wait(s *started) int {
	p.t.Helper()
	select {
	case <-s.done:
	case <-time.After(longestWait):
		s.kill()
		<-s.done
		p.t.Errorf("mulligan %s hangs; it said:\n%s", strings.Join(s.argv, " "), s.said())
		return -1
	}
	code := 0
	if failed := (*process.ToolError)(nil); errors.As(s.err, &failed) {
		if code = exitOf(s.err); failed.Ended() {
			code = -1
		}
	}
	p.note("   mulligan %s: %d\n%s", strings.Join(s.argv, " "), code, indent(s.said()))
	if code == 1 {
		p.t.Errorf("mulligan %s ended with 1", strings.Join(s.argv, " "))
	}
	return code
}

// end ends what still runs.
func (p *person) end() {
	if p.busy != nil {
		p.busy.kill()
		<-p.busy.done
	}
}
