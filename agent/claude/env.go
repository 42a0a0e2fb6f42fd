package claude

import (
	"os"
	"slices"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// environmentNames are the variables that the program reads besides those that every agent gets:
// where its model is, how it authenticates there, and how it behaves.
var environmentNames = []string{
	"ANTHROPIC_*", "CLAUDE_CODE_*", "CLAUDE_CONFIG_DIR", "CLAUDE_ENV_FILE", "API_TIMEOUT_MS", "IS_SANDBOX",
	"BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH",
	"MCP_TIMEOUT", "MCP_TOOL_TIMEOUT", "MAX_MCP_OUTPUT_TOKENS", "MAX_THINKING_TOKENS", "ENABLE_TOOL_SEARCH",
	"USE_BUILTIN_RIPGREP", "SLASH_COMMAND_TOOL_CHAR_BUDGET", "OTEL_*", "DO_NOT_TRACK",
	"DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING", "DISABLE_PROMPT_CACHING*", "DISABLE_COST_WARNINGS",
	"DISABLE_AUTO_COMPACT", "DISABLE_COMPACT", "DISABLE_NON_ESSENTIAL_MODEL_CALLS", "DISABLE_INTERLEAVED_THINKING",
}

// cloudProviders are the providers that a switch of the program turns on, and the variables that it
// needs for them: without the switch, credentials for them stay out.
var cloudProviders = []struct {
	switches []string
	names    []string
}{
	{[]string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_ANTHROPIC_AWS", "CLAUDE_CODE_USE_MANTLE"}, []string{"AWS_*"}},
	{
		[]string{"CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD"},
		[]string{"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_*", "GCLOUD_PROJECT", "CLOUD_ML_REGION", "VERTEX_REGION_*", "CLOUDSDK_*"},
	},
	{[]string{"CLAUDE_CODE_USE_FOUNDRY"}, []string{"AZURE_*"}},
}

// foreignMarks are the marks of another Claude Code that mulligan may have been started by: with
// them the program would take itself for a part of that one.
var foreignMarks = []string{
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_MESSAGING_*", "CLAUDE_CODE_SSE_PORT",
	"CLAUDE_CODE_TOOL_USE_ID", "CLAUDE_CODE_EXECPATH", "CLAUDE_PROJECT_DIR", "AI_AGENT",
}

// Names returns the variables of an environment that the program gets besides those that every
// agent's program does; PREFIX_* is a pattern.
func Names(environ []string) []string {
	list := slices.Clone(environmentNames)
	for _, cloud := range cloudProviders {
		if slices.ContainsFunc(cloud.switches, func(name string) bool { return isOn(environ, name) }) {
			list = append(list, cloud.names...)
		}
	}
	return list
}

// environment returns the environment of the program.
func (a *Agent) environment(t mulligan.Turn, conversation string) []string {
	env := a.deps.Env(a.spec, t, conversation, agent.Variables{Names: Names(a.deps.Environ), Marks: foreignMarks})
	if t.ReadOnly {
		// The program would read every file that the prompt mentions as @PATH, with tools or without, and
		// the files of instructions (CLAUDE.md) that an agent may have written above the folder.
		env = process.Set(env, "CLAUDE_CODE_DISABLE_ATTACHMENTS=1", "CLAUDE_CODE_DISABLE_CLAUDE_MDS=1", "CLAUDE_CODE_DISABLE_AUTO_MEMORY=1")
	} else if a.spec.Permissions == "full" && os.Geteuid() == 0 {
		// The program refuses root to go without permissions anywhere else.
		env = process.Set(env, "IS_SANDBOX=1")
	}
	return env
}

// isOn reports whether a switch of the program is on.
func isOn(env []string, name string) bool {
	value, _ := process.Lookup(env, name)
	return value != "" && value != "0" && value != "false"
}

// isBilled reports whether tokens are paid for one by one. With a subscription they are not: the
// cost that the program then reports is what it would have been.
func isBilled(keySource string, env []string) bool {
	pays := func(name string) bool { return isOn(env, name) }
	if !slices.Contains([]string{"", "none", "oauth"}, keySource) || pays("ANTHROPIC_AUTH_TOKEN") {
		return true
	}
	return slices.ContainsFunc(cloudProviders, func(c struct{ switches, names []string }) bool { return slices.ContainsFunc(c.switches, pays) })
}
