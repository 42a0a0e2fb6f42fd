package claude

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/agent"
)

func TestCommandLine(t *testing.T) {
	const usual = "claude --print --output-format stream-json --verbose --include-partial-messages "
	tools := []string{"MULLIGAN=/bin/mulligan", "MULLIGAN_DOOR=/run/door", "MULLIGAN_TOKEN=hush-hush-hush"}
	for _, tt := range []struct {
		name string
		spec mulligan.AgentSpec
		opt  Options
		turn mulligan.Turn
		want string
	}{
		{"nothing said", mulligan.AgentSpec{}, Options{}, mulligan.Turn{Conversation: "c"}, usual + "--resume c --permission-mode acceptEdits"},
		{"full", mulligan.AgentSpec{Permissions: "full"}, Options{}, mulligan.Turn{Conversation: "c"}, usual + "--resume c --dangerously-skip-permissions"},
		{"ask", mulligan.AgentSpec{Permissions: "ask"}, Options{}, mulligan.Turn{Conversation: "c"}, usual + "--resume c --permission-mode default"},
		{
			"limits and a model",
			mulligan.AgentSpec{Model: "big", MaxTurns: 80, Args: []string{"--effort", "high"}},
			Options{},
			mulligan.Turn{Conversation: "c", BudgetUSD: 0.25},
			usual + "--resume c --permission-mode acceptEdits --model big --max-turns 80 --max-budget-usd 0.25 --effort high",
		},
		{"the step's model", mulligan.AgentSpec{Model: "big"}, Options{}, mulligan.Turn{Conversation: "c", Model: "small"}, usual + "--resume c --permission-mode acceptEdits --model small"},
		{
			"tools", mulligan.AgentSpec{}, Options{}, mulligan.Turn{Conversation: "c", Env: tools}, usual + "--resume c --permission-mode acceptEdits " +
				`--allowedTools=mcp__mulligan__* --mcp-config={"mcpServers":{"mulligan":{"args":["mcp"],"command":"${MULLIGAN}","env":{"MULLIGAN":"${MULLIGAN}","MULLIGAN_DOOR":"${MULLIGAN_DOOR}","MULLIGAN_TOKEN":"${MULLIGAN_TOKEN}"},"timeout":2147483647,"type":"stdio"}}}`,
		},
		{
			"ask, with somebody to ask", mulligan.AgentSpec{Permissions: "ask"}, Options{}, mulligan.Turn{Conversation: "c", Env: tools[1:2]}, usual + "--resume c --permission-mode default " +
				`--allowedTools=mcp__mulligan__* --permission-prompt-tool mcp__mulligan__permit --disallowedTools=AskUserQuestion,EnterPlanMode,ExitPlanMode ` +
				`--mcp-config={"mcpServers":{"mulligan":{"args":["mcp","--permit"],"command":"${MULLIGAN}","env":{"MULLIGAN_DOOR":"${MULLIGAN_DOOR}"},"timeout":2147483647,"type":"stdio"}}}`,
		},
		{
			"hooks inside",
			mulligan.AgentSpec{},
			Options{Hooks: []agent.Hook{{Event: "PreToolUse", Matcher: "Write|Edit", Timeout: 5 * time.Second}, {Event: "PostToolUse"}}},
			mulligan.Turn{Conversation: "c"},
			usual + `--resume c --permission-mode acceptEdits --settings {"hooks":{` +
				`"PostToolUse":[{"hooks":[{"type":"command","command":"\"$MULLIGAN\" hook PostToolUse || exit 2","timeout":660}]}],` +
				`"PreToolUse":[{"matcher":"Write|Edit","hooks":[{"type":"command","command":"\"$MULLIGAN\" hook PreToolUse || exit 2","timeout":65}]}]}}`,
		},
		{"own hooks off", mulligan.AgentSpec{}, Options{OwnHooksOff: true}, mulligan.Turn{Conversation: "c"}, usual + `--resume c --permission-mode acceptEdits --settings {"disableAllHooks":true}`},
		{
			"a judge",
			mulligan.AgentSpec{Permissions: "full", Model: "big", Args: []string{"--allowedTools=Bash"}},
			Options{Hooks: []agent.Hook{{Event: "PreToolUse"}}},
			mulligan.Turn{Conversation: "c", Env: tools, ReadOnly: true, BudgetUSD: 0.5},
			usual + "--resume c --permission-mode default --tools= --strict-mcp-config --disable-slash-commands --no-session-persistence " +
				`--settings {"disableAllHooks":true,"permissions":{"deny":["Read"]}} --model big --max-budget-usd 0.5`,
		},
		{"another program", mulligan.AgentSpec{}, Options{Exec: []string{"./run", "x"}}, mulligan.Turn{Conversation: "c"}, "./run x " + strings.TrimPrefix(usual, "claude ") + "--resume c --permission-mode acceptEdits"},
	} {
		a := build(t, tt.spec, agent.Deps{}, tt.opt)
		if got := strings.Join(a.commandLine(tt.turn, newConversation(tt.turn.Conversation)), " "); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A new conversation has a new id each time: the program takes one once.
func TestNewConversations(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		c := newConversation("")
		if args := c.flags(); len(c.id) != 36 || c.id[14] != '4' || !strings.ContainsRune("89ab", rune(c.id[19])) || seen[c.id] || args[0] != "--session-id" || args[1] != c.id {
			t.Fatalf("%q", args)
		}
		seen[c.id] = true
	}
}

func TestTakenArguments(t *testing.T) {
	for arg, want := range map[string]string{
		"--effort": "", "high": "", "--allowedTools": "", "--add-dir=x": "", "--mcp-config": "", "-d": "", "-": "",
		"--resume": "mulligan's to give", "--resume=x": "mulligan's to give", "-c": "mulligan's to give", "-p": "mulligan's to give",
		"--model=x": "use model", "--max-turns": "use max_turns", "--permission-mode": "use permissions",
		"--": "end the flags", "-pc": "by itself",
	} {
		why := Taken(arg)
		if (why == "") != (want == "") || !strings.Contains(why, want) {
			t.Errorf("%s: %q, want %q", arg, why, want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, spec := range map[string]mulligan.AgentSpec{
		"options":     {Options: []byte(`{"exec": "claude"}`)},
		"no name":     {Options: []byte(`{"exec": [""]}`)},
		"an argument": {Args: []string{"--continue"}},
		"both hooks":  {Options: []byte(`{"own_hooks_off": true, "hooks": [{"event": "PreToolUse"}]}`)},
	} {
		if _, err := New(spec, agent.Deps{}); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	if _, err := New(mulligan.AgentSpec{}, agent.Deps{}); err != nil {
		t.Errorf("no options: %v", err)
	}
}

func TestEnvironment(t *testing.T) {
	environ := []string{
		"PATH=/bin", "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_MAX_RETRIES=3", "CLAUDE_CONFIG_DIR=/c", "DISABLE_TELEMETRY=1",
		"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=outer", "CLAUDE_CODE_MESSAGING_TOKEN=outer", "AI_AGENT=outer",
		"AWS_SECRET_ACCESS_KEY=a", "GOOGLE_APPLICATION_CREDENTIALS=g", "OPENAI_API_KEY=o",
	}
	of := func(spec mulligan.AgentSpec, more ...string) []string {
		a := build(t, spec, agent.Deps{Environ: slices.Concat(environ, more)}, Options{})
		return a.environment(mulligan.Turn{Dir: "/w"}, "c")
	}
	has := func(name string, got []string, want bool, pairs ...string) {
		t.Helper()
		for _, kv := range pairs {
			if slices.Contains(got, kv) != want {
				t.Errorf("%s: %s is there: %v", name, kv, !want)
			}
		}
	}
	plain := of(mulligan.AgentSpec{})
	has("plain", plain, true, "PATH=/bin", "ANTHROPIC_API_KEY=k", "CLAUDE_CODE_MAX_RETRIES=3", "CLAUDE_CONFIG_DIR=/c", "DISABLE_TELEMETRY=1", "MULLIGAN_CONVERSATION=c")
	has("plain", plain, false, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=outer", "CLAUDE_CODE_MESSAGING_TOKEN=outer", "AI_AGENT=outer",
		"AWS_SECRET_ACCESS_KEY=a", "GOOGLE_APPLICATION_CREDENTIALS=g", "OPENAI_API_KEY=o", "IS_SANDBOX=1")
	has("inherited", of(mulligan.AgentSpec{InheritEnv: true}), true, "OPENAI_API_KEY=o")
	has("inherited", of(mulligan.AgentSpec{InheritEnv: true}), false, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=outer")
	has("bedrock", of(mulligan.AgentSpec{}, "CLAUDE_CODE_USE_BEDROCK=1"), true, "AWS_SECRET_ACCESS_KEY=a")
	has("bedrock off", of(mulligan.AgentSpec{}, "CLAUDE_CODE_USE_BEDROCK=0"), false, "AWS_SECRET_ACCESS_KEY=a")
	has("vertex", of(mulligan.AgentSpec{}, "CLAUDE_CODE_USE_VERTEX=1"), true, "GOOGLE_APPLICATION_CREDENTIALS=g")
	has("full", of(mulligan.AgentSpec{Permissions: "full"}), os.Geteuid() == 0, "IS_SANDBOX=1")
}

func TestBilled(t *testing.T) {
	for _, tt := range []struct {
		source string
		env    []string
		want   bool
	}{
		{"ANTHROPIC_API_KEY", nil, true},
		{"apiKeyHelper", nil, true},
		{"none", nil, false},
		{"none", []string{"ANTHROPIC_AUTH_TOKEN=x"}, true},
		{"none", []string{"CLAUDE_CODE_USE_VERTEX=1"}, true},
		{"", nil, false},
	} {
		if got := isBilled(tt.source, tt.env); got != tt.want {
			t.Errorf("%q with %q: %v", tt.source, tt.env, got)
		}
	}
}
