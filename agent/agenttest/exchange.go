package agenttest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mulligan"
)

// testPrompt sends a prompt that is too large for an argument or an environment variable.
func testPrompt(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.turn.Prompt = strings.Repeat("a long prompt; ", 30_000) + "the last word"
	s.wantEnding(s.take(Behaviour{Expect: "; the last word", Say: "read"}), mulligan.Finished)
	s.turn.Prompt = "another"
	s.wantEnding(s.take(Behaviour{Expect: "; the last word"}), mulligan.Crashed)
}

func testWritesFiles(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.wantEnding(s.take(Behaviour{Write: map[string]string{"made": "by the agent"}}), mulligan.Finished)
	if got, err := os.ReadFile(s.path("made")); err != nil || string(got) != "by the agent" {
		t.Errorf("the file has %q, %v", got, err)
	}
}

// testConversation checks that a turn resumes the conversation of the one before if the backend can
// do that, and that a fresh turn begins another.
func testConversation(t *testing.T, h Harness) {
	s := newStage(t, h)
	a := h.New(t, s.spec, s.deps, Behaviour{Expect: "please", Say: "hello", Remember: "talks"})
	take := func(number int, conversation string) mulligan.Result {
		s.turn.Number, s.turn.Conversation = number, conversation
		s.turn.Prompt = fmt.Sprintf("please, for the %d. time", number)
		r := s.takeTurn(t.Context(), a)
		s.wantEnding(r, mulligan.Finished)
		return r
	}
	first := take(4, "")
	second := take(5, cmp.Or(first.Conversation, "s1-turn-4"))
	third := take(6, "")
	talks := []string{"4\n", "5\n", "6\n"}
	if h.Continues {
		talks = []string{"4\n5\n", "6\n"}
	}
	if got := s.fileContents("talks"); !slices.Equal(got, talks) {
		t.Errorf("the turns of each conversation are %q, want %q", got, talks)
	}
	for _, r := range []mulligan.Result{first, second, third} {
		if (r.Conversation != "") != h.Continues {
			t.Errorf("conversation %q of an agent that continues one: %v", r.Conversation, h.Continues)
		}
	}
	if second.Conversation != first.Conversation || h.Continues && third.Conversation == first.Conversation {
		t.Errorf("conversation %q went on as %q, and a fresh one is %q", first.Conversation, second.Conversation, third.Conversation)
	}
}

// fileContents returns the contents of a folder's files, sorted.
func (s *stage) fileContents(folder string) []string {
	s.t.Helper()
	entries, err := os.ReadDir(s.path(folder))
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		content, err := os.ReadFile(s.path(filepath.Join(folder, e.Name())))
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, string(content))
	}
	slices.Sort(all)
	return all
}

// testSideBySide runs turns in several workspaces at once: nothing of one is in another.
func testSideBySide(t *testing.T, h Harness) {
	pool := Pool(t)
	var all sync.WaitGroup
	results, stages := make([]mulligan.Result, 4), make([]*stage, 4)
	for i := range results {
		s := newStage(t, h)
		s.deps.Pool, s.turn.Session = pool, fmt.Sprintf("s%d", i)
		name := fmt.Sprintf("agent %d", i)
		a := h.New(t, s.spec, s.deps, Behaviour{Say: "I am " + name, Write: map[string]string{"who": name}, Env: "env"})
		stages[i] = s
		all.Go(func() {
			ctx, stop := context.WithTimeout(t.Context(), hangGuard)
			defer stop()
			r, err := a.Turn(ctx, s.turn)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			results[i] = r
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for i, s := range stages {
		s.wantEnding(results[i], mulligan.Finished)
		name := fmt.Sprintf("agent %d", i)
		if got, err := os.ReadFile(s.path("who")); err != nil || string(got) != name || results[i].Message != "I am "+name {
			t.Errorf("%s: says %q, has written %q, %v", name, results[i].Message, got, err)
		}
		if !slices.Contains(s.environment(), "MULLIGAN_SESSION="+s.turn.Session) || strings.Count(s.log.String(), "I am ") != 1 {
			t.Errorf("%s: log %q, environment %q", name, s.log.String(), s.environment())
		}
		if talk := results[i].Conversation; talk != "" && seen[talk] {
			t.Errorf("%s: conversation %q is another's", name, talk)
		}
		seen[results[i].Conversation] = true
	}
}

// testFlood has the agent print far more than is kept: the log has all of it, the message its
// beginning and end.
func testFlood(t *testing.T, h Harness) {
	lines := cmp.Or(h.Flood, 100_000)
	s := newStage(t, h)
	r := s.take(Behaviour{Flood: lines})
	s.wantEnding(r, mulligan.Finished)
	if !r.MessageCut || len(r.Message) > 64<<10 {
		t.Errorf("cut %v, %d bytes of message", r.MessageCut, len(r.Message))
	}
	if !strings.HasPrefix(r.Message, FloodLine(1)) || !strings.HasSuffix(r.Message, strings.TrimSpace(FloodLine(lines))) {
		t.Errorf("message begins %.60q", r.Message)
	}
	log := s.log.String()
	for n := 1; n <= lines; n++ {
		_, rest, ok := strings.Cut(log, FloodLine(n))
		if !ok {
			t.Fatalf("the log lacks line %d", n)
		}
		log = rest
	}
}

// testEnvironment wants the built-in list, the user's names, the marks of the turn, and nothing
// else.
func testEnvironment(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.deps.Environ = append(s.deps.Environ, "NAMED_ONE=given", "UNNAMED_ONE=kept", "SOME_API_TOKEN=secret", "MULLIGAN_TURN=99")
	s.spec.Env = []string{"NAMED_ONE"}
	s.wantEnding(s.take(Behaviour{Env: "env"}), mulligan.Finished)
	got := s.environment()
	for _, want := range []string{
		"PATH=" + os.Getenv("PATH"), "NAMED_ONE=given", "MULLIGAN_SESSION=s1", "MULLIGAN_STEP=implement",
		"MULLIGAN_ATTEMPT=2", "MULLIGAN_ITERATION=3", "MULLIGAN_TURN=4",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the environment lacks %s", want)
		}
	}
	if s.hasVariable("UNNAMED_ONE=") || s.hasVariable("SOME_API_TOKEN=") {
		t.Errorf("the environment has what nobody named: %q", got)
	}
	if !s.hasVariable("MULLIGAN_CONVERSATION=") || slices.Contains(got, "MULLIGAN_CONVERSATION=") {
		t.Errorf("the environment has no conversation: %q", got)
	}

	s.spec.InheritEnv = true
	s.wantEnding(s.take(Behaviour{Env: "env"}), mulligan.Finished)
	if !s.hasVariable("UNNAMED_ONE=kept") {
		t.Errorf("env: inherit does not give all: %q", s.environment())
	}
}

func (s *stage) environment() []string {
	s.t.Helper()
	env, err := os.ReadFile(s.path("env"))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(env)), "\n")
}

func (s *stage) hasVariable(prefix string) bool {
	return slices.ContainsFunc(s.environment(), func(kv string) bool { return strings.HasPrefix(kv, prefix) })
}
