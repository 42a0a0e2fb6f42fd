package program

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mulligan"
	"mulligan/agent"
	"mulligan/agent/agenttest"
)

func TestMain(m *testing.M) { agenttest.Main(m) }

func build(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, opt Options) *Agent {
	t.Helper()
	return agenttest.Build(t, New, spec, deps, opt)
}

func harness(continues bool) agenttest.Harness {
	return agenttest.Harness{
		Continues: continues, ExitEnds: true,
		New: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, b agenttest.Behaviour) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: agenttest.FakeCommand(t, b), Continues: continues})
		},
		Missing: func(t *testing.T, spec mulligan.AgentSpec, deps agent.Deps, name string) mulligan.Agent {
			return build(t, spec, deps, Options{Exec: []string{name, "--quiet"}})
		},
	}
}

func TestConformance(t *testing.T) {
	t.Run("continues", func(t *testing.T) { agenttest.Run(t, harness(true)) })
	t.Run("starts afresh", func(t *testing.T) { agenttest.Run(t, harness(false)) })
}

// take runs a shell script as the agent.
func take(t *testing.T, opt Options, turn mulligan.Turn) (mulligan.Result, string) {
	t.Helper()
	var log strings.Builder
	turn.Log = &log
	if turn.Dir == "" {
		turn.Dir = t.TempDir()
	}
	a := build(t, mulligan.AgentSpec{Name: "local"}, agent.Deps{Pool: agenttest.Pool(t), Environ: os.Environ()}, opt)
	r, err := a.Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return r, log.String()
}

func sh(script string) Options { return Options{Exec: []string{"sh", "-c", script}} }

func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		name, script    string
		want            mulligan.Ending
		reason, message string
	}{
		{"reply", "cat", mulligan.Finished, "", "the prompt"},
		{"prompt not read", "exec 0<&-; echo done", mulligan.Finished, "", "done"},
		{"no reply", ":", mulligan.Finished, "", ""},
		{"exit code", "exit 3", mulligan.Crashed, "exit status 3", ""},
		{"last line of stderr", "echo one >&2; printf 'no key\\n\\n' >&2; exit 1", mulligan.Crashed, "exit status 1: no key", ""},
		{"signal", "kill -9 $$", mulligan.Crashed, "signal: killed", ""},
		{"stderr of a good turn", "echo warning >&2; echo ok", mulligan.Finished, "", "ok"},
		{"escapes", `printf '\033[31mred\033[0m \033]0;title\007plain\r\n\000'`, mulligan.Finished, "", "red plain"},
		{"not text", `printf 'a\377b'`, mulligan.Finished, "", "a\ufffdb"},
		{"a daemon left behind", "sleep 600 & echo done", mulligan.Finished, "", "done"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, log := take(t, sh(tt.script), mulligan.Turn{Session: "s", Number: 1, Prompt: "the prompt"})
			if r.Ending != tt.want || r.Reason != tt.reason || r.Message != tt.message {
				t.Errorf("got %s, reason %q, message %q; want %s, %q, %q; log %q",
					r.Ending, r.Reason, r.Message, tt.want, tt.reason, tt.message, log)
			}
		})
	}
}

// marking is a log that makes a file of the name of each line, so that the program can
// wait until a line has arrived.
type marking struct {
	strings.Builder
	dir string
}

func (m *marking) Write(p []byte) (int, error) {
	m.Builder.Write(p)
	return len(p), os.WriteFile(filepath.Join(m.dir, strings.TrimSpace(string(p))), nil, 0o600)
}

func TestLogHasBothStreamsAsTheyCome(t *testing.T) {
	const script = "arrived() { until [ -e $1 ]; do sleep 0.01; done; }; echo a; arrived a; echo b >&2; arrived b; echo c"
	log := &marking{dir: t.TempDir()}
	a := build(t, mulligan.AgentSpec{}, agent.Deps{Pool: agenttest.Pool(t), Environ: os.Environ()}, sh(script))
	if _, err := a.Turn(t.Context(), mulligan.Turn{Number: 1, Dir: log.dir, Log: log}); err != nil {
		t.Fatal(err)
	}
	if log.String() != "a\nb\nc\n" {
		t.Errorf("log = %q", log.String())
	}
}

func TestLongComplaintIsBounded(t *testing.T) {
	r, _ := take(t, sh("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1"), mulligan.Turn{Number: 1})
	if r.Ending != mulligan.Crashed || len(r.Reason) > 300 {
		t.Errorf("%s, a reason of %d bytes", r.Ending, len(r.Reason))
	}
}

func TestConversationIsToldToTheProgram(t *testing.T) {
	first := mulligan.Turn{Session: "s1", Number: 7}
	later := mulligan.Turn{Session: "s1", Number: 8, Conversation: "s1-turn-7"}
	for _, tt := range []struct {
		name      string
		continues bool
		turn      mulligan.Turn
		told      string
		given     string
	}{
		{"fresh", true, first, "s1-turn-7", "s1-turn-7"},
		{"continued", true, later, "s1-turn-7", "s1-turn-7"},
		{"never continues", false, first, "s1-turn-7", ""},
		{"never continues, asked to", false, later, "s1-turn-8", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := sh("echo $MULLIGAN_CONVERSATION")
			opt.Continues = tt.continues
			for range 2 { // a repeated turn has the same id
				r, _ := take(t, opt, tt.turn)
				if r.Message != tt.told || r.Conversation != tt.given {
					t.Errorf("told %q and given %q, want %q and %q", r.Message, r.Conversation, tt.told, tt.given)
				}
			}
		})
	}
}

func TestProgramOfTheWorkspace(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("bin/agent", "#!/bin/sh\npwd\n", 0o755)
	write("bin/plain", "#!/bin/sh\n", 0o644)
	write("bin/orphan", "#!/no/such/interpreter\n", 0o755)
	write("bin/text", "not a program", 0o755)

	r, _ := take(t, Options{Exec: []string{"./bin/agent"}}, mulligan.Turn{Number: 1, Dir: dir})
	if r.Ending != mulligan.Finished || r.Message != dir {
		t.Errorf("%s (%s) in %q, want finished in %q", r.Ending, r.Reason, r.Message, dir)
	}
	for name, want := range map[string]string{
		"bin/plain":   "the program bin/plain is not executable",
		"bin/orphan":  "does not exist, or its interpreter does not",
		"bin/text":    "neither a binary of this system nor a script",
		"bin/nothing": "the program bin/nothing does not exist",
		"nothing-so":  "the program nothing-so was not found on the agent's PATH",
	} {
		r, _ := take(t, Options{Exec: []string{name}}, mulligan.Turn{Number: 1, Dir: dir})
		if r.Ending != mulligan.Unavailable || r.Cause != mulligan.Missing || !strings.Contains(r.Reason, want) {
			t.Errorf("%s: %s (%s): %q, want %q", name, r.Ending, r.Cause, r.Reason, want)
		}
	}
}

func TestNoWorkspaceIsAnError(t *testing.T) {
	a := build(t, mulligan.AgentSpec{}, agent.Deps{Pool: agenttest.Pool(t), Environ: os.Environ()}, sh(":"))
	r, err := a.Turn(t.Context(), mulligan.Turn{Dir: filepath.Join(t.TempDir(), "gone")})
	if err == nil || !strings.Contains(err.Error(), "workspace") {
		t.Errorf("result %+v, error %v: want an error about the workspace", r, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, options := range []string{``, `{}`, `{"exec": []}`, `{"exec": [""]}`, `{"exec": "sh"}`} {
		if _, err := New(mulligan.AgentSpec{Name: "local", Options: json.RawMessage(options)}, agent.Deps{}); err == nil {
			t.Errorf("options %q were taken", options)
		}
	}
}
