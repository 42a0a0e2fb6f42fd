package agenttest

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"mulligan"
)

// prompted gives a prompt that is too large for an argument or an environment variable.
func prompted(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.turn.Prompt = strings.Repeat("a long prompt; ", 30_000) + "the last word"
	s.ended(s.take(Behaviour{Expect: "; the last word", Say: "read"}), mulligan.Finished)
	s.turn.Prompt = "another"
	s.ended(s.take(Behaviour{Expect: "; the last word"}), mulligan.Crashed)
}

func writesFiles(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.ended(s.take(Behaviour{Write: map[string]string{"made": "by the agent"}}), mulligan.Finished)
	if got, err := os.ReadFile(s.path("made")); err != nil || string(got) != "by the agent" {
		t.Errorf("the file has %q, %v", got, err)
	}
}

func conversation(t *testing.T, h Harness) {
	s := newStage(t, h)
	a := h.New(t, s.spec, s.deps, Behaviour{Say: "hello"})
	first := s.with(t.Context(), a)
	if !h.Continues {
		if first.Conversation != "" {
			t.Errorf("conversation %q of an agent that cannot continue one", first.Conversation)
		}
		return
	}
	if first.Conversation == "" {
		t.Fatal("no conversation to continue")
	}
	s.turn.Number, s.turn.Conversation = 5, first.Conversation
	if second := s.with(t.Context(), a); second.Conversation != first.Conversation {
		t.Errorf("conversation %q went on as %q", first.Conversation, second.Conversation)
	}
	s.turn.Number, s.turn.Conversation = 6, ""
	if third := s.with(t.Context(), a); third.Conversation == first.Conversation {
		t.Errorf("a fresh turn went on with conversation %q", third.Conversation)
	}
}

// flooded says far more than is kept: the log has all of it, the message its beginning and end.
func flooded(t *testing.T, h Harness) {
	lines := cmp.Or(h.Flood, 100_000)
	s := newStage(t, h)
	r := s.take(Behaviour{Flood: lines})
	s.ended(r, mulligan.Finished)
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

// environment: the built-in list, what the user named, the marks of the turn, and nothing else.
func environment(t *testing.T, h Harness) {
	s := newStage(t, h)
	s.deps.Environ = append(s.deps.Environ, "NAMED_ONE=given", "UNNAMED_ONE=kept", "SOME_API_TOKEN=secret", "MULLIGAN_TURN=99")
	s.spec.Env = []string{"NAMED_ONE"}
	s.ended(s.take(Behaviour{Env: "env"}), mulligan.Finished)
	got := s.variables()
	for _, want := range []string{
		"PATH=" + os.Getenv("PATH"), "NAMED_ONE=given", "MULLIGAN_SESSION=s1", "MULLIGAN_STEP=implement",
		"MULLIGAN_ATTEMPT=2", "MULLIGAN_ITERATION=3", "MULLIGAN_TURN=4",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("the environment lacks %s", want)
		}
	}
	if s.holds("UNNAMED_ONE=") || s.holds("SOME_API_TOKEN=") {
		t.Errorf("the environment has what nobody named: %q", got)
	}
	if !s.holds("MULLIGAN_CONVERSATION=") || slices.Contains(got, "MULLIGAN_CONVERSATION=") {
		t.Errorf("the environment has no conversation: %q", got)
	}

	s.spec.InheritEnv = true
	s.ended(s.take(Behaviour{Env: "env"}), mulligan.Finished)
	if !s.holds("UNNAMED_ONE=kept") {
		t.Errorf("env: inherit does not give all: %q", s.variables())
	}
}

func (s *stage) variables() []string {
	s.t.Helper()
	env, err := os.ReadFile(s.path("env"))
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(env)), "\n")
}

func (s *stage) holds(prefix string) bool {
	return slices.ContainsFunc(s.variables(), func(kv string) bool { return strings.HasPrefix(kv, prefix) })
}
