package codex

import (
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/process"
)

// argv is the command line of a turn. All that is of the turn itself goes through the pipe.
func (a *Agent) argv() []string {
	return slices.Concat(a.opt.Exec, []string{"app-server"}, hookArgs(a.opt.Hooks), a.spec.Args)
}

// taken are the arguments that are not for a config's args, and what to use instead.
var taken = map[string]string{
	"app-server": "", "daemon": "", "proxy": "", "generate-ts": "", "generate-json-schema": "", "help": "",
	"--listen": "", "--stdio": "", "--remote-control": "", "--startup-client-info": "", "--startup-sign-out": "", "--print-startup-config": "",
	"-m": "model", "--model": "model", "-s": "permissions", "--sandbox": "permissions", "-a": "permissions", "--ask-for-approval": "permissions",
	"--full-auto": "permissions", "--dangerously-bypass-approvals-and-sandbox": "permissions", "--yolo": "permissions",
	"-h": "", "--help": "", "-V": "", "--version": "",
}

// Taken says why an argument is not for a config's args, or nothing.
func Taken(arg string) string {
	flag, _, _ := strings.Cut(arg, "=")
	instead, ours := taken[flag]
	switch {
	case arg == "--":
		return "-- would end the flags, and mulligan's own with them"
	case ours && instead != "":
		return fmt.Sprintf("%s is mulligan's to give: use %s", flag, instead)
	case ours, strings.HasPrefix(flag, "--ws-"):
		return fmt.Sprintf("%s is mulligan's to give", flag)
	}
	return ""
}

// Env names what Codex gets of the environment besides what every agent's program does. The
// key of a provider that the user has configured has a name of the user's: that is for `env:`.
func Env() []string {
	return []string{
		"CODEX_HOME", "CODEX_SQLITE_HOME", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "CODEX_CA_CERTIFICATE",
		"OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORGANIZATION", "OPENAI_PROJECT",
	}
}

// others are marks of another Codex that mulligan may have been started by.
var others = []string{"CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI", "CODEX_TOOL_CALL_ID"}

func (a *Agent) env(t mulligan.Turn, conversation string) []string {
	spec := a.spec
	spec.Env = slices.Concat(Env(), a.spec.Env)
	env := a.deps.Env(spec, t, conversation)
	return slices.DeleteFunc(env, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(others, name) && !slices.Contains(a.spec.Env, name)
	})
}

// tools is the program that serves the session's tools, where the turn has any.
func tools(t mulligan.Turn) (program string, ok bool) {
	program, found := process.Lookup(t.Env, "MULLIGAN")
	_, door := process.Lookup(t.Env, "MULLIGAN_DOOR")
	return program, found && door
}

// marks are the variables by which mulligan knows itself. Codex hands its tool servers hardly
// anything of its environment.
func marks(env []string) map[string]string {
	all := map[string]string{}
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); name == "MULLIGAN" || strings.HasPrefix(name, "MULLIGAN_") {
			all[name] = value
		}
	}
	return all
}
