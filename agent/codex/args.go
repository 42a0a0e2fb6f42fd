package codex

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// commandLine returns the command line of a turn. All that belongs to the turn itself goes through
// the pipe.
func (a *Agent) commandLine(t mulligan.Turn) []string {
	if t.ReadOnly {
		return slices.Concat(a.opt.Exec, []string{"app-server"}, a.spec.Args, readOnlyArgs)
	}
	return slices.Concat(a.opt.Exec, []string{"app-server"}, hookArgs(a.opt.Hooks), a.spec.Args)
}

// readOnlyArgs are the settings of a turn that only answers, over those of the user's config: without
// the tools that Codex can do without. What it still has (apply_patch …) can write nothing in its
// read-only sandbox.
var readOnlyArgs = []string{
	"-c", "features.shell_tool=false", "-c", "features.unified_exec=false", "-c", "features.apps=false", "-c", "features.plugins=false",
	"-c", "features.multi_agent=false", "-c", "features.hooks=false", "-c", "project_doc_max_bytes=0", "-c", `web_search="disabled"`,
}

// reservedArgs are the arguments that are not for a config's args, and what to use instead.
var reservedArgs = map[string]string{
	"app-server": "", "daemon": "", "proxy": "", "generate-ts": "", "generate-json-schema": "", "help": "",
	"--listen": "", "--stdio": "", "--remote-control": "", "--startup-client-info": "", "--startup-sign-out": "", "--print-startup-config": "",
	"-m": "model", "--model": "model", "-s": "permissions", "--sandbox": "permissions", "-a": "permissions", "--ask-for-approval": "permissions",
	"--full-auto": "permissions", "--dangerously-bypass-approvals-and-sandbox": "permissions", "--yolo": "permissions",
	"-h": "", "--help": "", "-V": "", "--version": "",
}

// Taken returns why an argument is not for a config's args, or "" if it is.
func Taken(arg string) string {
	if flag, _, _ := strings.Cut(arg, "="); strings.HasPrefix(flag, "--ws-") {
		return fmt.Sprintf("%s is mulligan's to give", flag)
	}
	return agent.ReservedArg(arg, reservedArgs)
}

// Env returns the variables that Codex gets of the environment besides those that every agent's
// program does. The key of a provider that the user has configured has a name of the user's choice,
// which belongs into `env:`.
func Env() []string {
	return []string{
		"CODEX_HOME", "CODEX_SQLITE_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CA_CERTIFICATE",
		"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT",
	}
}

// Folders returns what the program keeps of its own, by its environment.
func Folders(env []string) []string {
	if dir, _ := process.Lookup(env, "CODEX_HOME"); dir != "" {
		return []string{dir + "/"}
	}
	return []string{"~/.codex/"}
}

// foreignMarks are the marks of another Codex that mulligan may have been started by.
var foreignMarks = []string{"CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI", "CODEX_TOOL_CALL_ID"}

// environment returns the environment of the program.
func (a *Agent) environment(t mulligan.Turn) []string {
	return a.deps.Env(a.spec, t, agent.ConversationOf(t), agent.Variables{Names: Env(), Marks: foreignMarks})
}
