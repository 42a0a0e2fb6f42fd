package claude

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
	"mulligan/internal/process"
	"mulligan/test/modeltest"
)

// outer keeps a hang of the real program from being for ever.
const outer = 5 * time.Minute

// A stage is the real program in front of a model that plays a script.
type stage struct {
	t     *testing.T
	model *modeltest.Server
	agent *Agent
	turn  mulligan.Turn
	log   *strings.Builder
}

// onStage puts the program that the tests installed on a stage: an empty home, no credentials,
// and the stand-in as its only model.
func onStage(t *testing.T, spec mulligan.AgentSpec, opt Options, turns ...modeltest.Turn) *stage {
	t.Helper()
	program := modeltest.Agent(t, "claude")
	model, err := modeltest.Start(modeltest.Script{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	opt.Exec = []string{program}
	if spec.Timeout == 0 {
		spec.Timeout = outer
	}
	if spec.Permissions == "" {
		spec.Permissions = "full"
	}
	log := &strings.Builder{}
	return &stage{
		t: t, model: model, log: log,
		agent: build(t, spec, agent.Deps{Pool: agenttest.Pool(t), Environ: modeltest.Env(t, model, "claude")}, opt),
		turn:  mulligan.Turn{Session: "s1", Step: "implement", Attempt: 1, Iteration: 1, Number: 1, Dir: t.TempDir(), Log: log},
	}
}

// take sends the program a prompt, in the given conversation.
func (s *stage) take(prompt, conversation string) mulligan.Result {
	s.t.Helper()
	turn := s.turn
	turn.Prompt, turn.Conversation = prompt, conversation
	r, err := s.agent.Turn(s.t.Context(), turn)
	if err != nil {
		s.t.Fatal(err)
	}
	s.turn.Number++
	return r
}

// ended fails the test unless the turn ended so.
func (s *stage) ended(r mulligan.Result, ending mulligan.Ending, cause mulligan.Cause) {
	s.t.Helper()
	if r.Ending != ending || r.Cause != cause {
		s.t.Fatalf("%s (%s) %q, want %s (%s); log:\n%s", r.Ending, r.Cause, r.Reason, ending, cause, s.log)
	}
}

func (s *stage) file(name string) string {
	text, err := os.ReadFile(filepath.Join(s.turn.Dir, name))
	if err != nil {
		return ""
	}
	return string(text)
}

func bash(command string) modeltest.Call {
	return modeltest.Call{Name: "Bash", Input: map[string]any{"command": command, "description": "do it"}}
}

// TestRealConformance puts the real program through the suite: a model's script makes it
// behave.
func TestRealConformance(t *testing.T) {
	program := modeltest.Agent(t, "claude")
	agenttest.Run(t, agenttest.Harness{
		Continues: true, Permits: true, Tells: agenttest.Faults(),
		Flood: 2000, // the program takes minutes for an answer of megabytes
		New: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b agenttest.Behaviour) mulligan.Agent {
			model, err := modeltest.Start(behaving(b))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(model.Close)
			deps.Environ = process.Set(modeltest.Env(t, model, "claude"), deps.Environ...)
			spec.Permissions = cmp.Or(spec.Permissions, "full")
			return build(t, spec, deps, Options{Exec: []string{program}})
		},
		Missing: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, name string) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: []string{name}})
		},
	})
}

// behaving is a script by which the real program behaves so: it does in a tool what a model
// cannot do.
func behaving(b agenttest.Behaviour) modeltest.Script {
	say := b.Say
	for n := range b.Flood {
		say += agenttest.FloodLine(n + 1)
	}
	var commands []string
	for name, content := range b.Write {
		commands = append(commands, fmt.Sprintf("printf '%%s' '%s' > %s", content, name))
	}
	if b.Env != "" {
		commands = append(commands, "env > "+b.Env)
	}
	if b.Remember != "" {
		commands = append(commands, agenttest.RememberCommand(b.Remember))
	}
	if b.Wants != "" {
		commands = append(commands, b.Wants)
	}
	if b.Fault != "" {
		commands = append(commands, "true")
	}
	if b.Vanish || b.Interrupt {
		commands = append(commands, "kill -INT $PPID; sh -c 'sleep 600'")
	}
	if b.Spawn != "" {
		// in a shell of its own: the tool refuses a command that it sees sleep
		commands = append(commands, "sh -c '"+agenttest.SpawnCommand(b.Spawn)+"'")
	}
	if b.Hang {
		commands = append(commands, "sh -c 'sleep 600'")
	}
	if b.Crash {
		commands = append(commands, "kill -KILL $PPID")
	}
	if len(commands) == 0 {
		return modeltest.Script{Turns: []modeltest.Turn{{When: b.Expect, Times: -1, Answer: modeltest.Answer{Text: say}}}}
	}
	// What does not end well is said before; elsewhere what is said last is the message.
	first := modeltest.Use(bash(strings.Join(commands, "; "))).At("please").Always()
	if b.Hang || b.Spawn != "" || b.Crash || b.Vanish || b.Interrupt || b.Fault != "" {
		first.Text = say
	}
	last := modeltest.Say(cmp.Or(say, ".")).Always()
	switch {
	case b.Fault != "":
		return modeltest.Script{Turns: []modeltest.Turn{first, meeting(b), last}}
	case b.Wants != "":
		first.Times = 1 // whatever is said to a tool that is denied
	}
	return modeltest.Script{Turns: []modeltest.Turn{first, last}}
}

// meeting is the turn of a model that the program meets a fault at, which comes after a tool. It asks
// a second time before it gives up.
func meeting(b agenttest.Behaviour) modeltest.Turn {
	turn := map[agenttest.Fault]modeltest.Turn{
		agenttest.RateLimit: modeltest.Fail(modeltest.Fault{Status: 429}),
		agenttest.Overload:  modeltest.Fail(modeltest.Fault{Status: 529}),
		agenttest.Login:     modeltest.Fail(modeltest.Fault{Status: 401}),
		agenttest.Payment:   modeltest.Fail(modeltest.Fault{Status: 402}),
		agenttest.Refusal:   {Answer: modeltest.Answer{Text: b.Say, Stop: "refusal"}},
		agenttest.Cut:       {Answer: modeltest.Answer{Thinking: "of what to say", Cut: true}}, // half a word would be the last
		agenttest.Length:    {Answer: modeltest.Answer{Text: b.Say, Stop: "max_tokens"}},
	}[b.Fault]
	turn.Times = -1
	if b.Once {
		turn.Times = 2
	}
	return turn
}
