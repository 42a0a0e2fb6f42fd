package aider

import (
	"cmp"
	"path/filepath"
	"slices"

	"mulligan"
	"mulligan/agent"
)

// promptFile is the name of the file with the prompt.
const promptFile = "prompt.md"

// commandLine returns the command line of a turn whose files are in the folder. The program makes no commits,
// changes no .gitignore, asks nothing and looks for no newer version of itself.
func (a *Agent) commandLine(t mulligan.Turn, files string) []string {
	args := []string{
		"--message-file", filepath.Join(files, promptFile),
		"--chat-history-file", filepath.Join(files, "chat.md"), "--input-history-file", filepath.Join(files, "input"),
		"--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-pretty", "--no-fancy-input", "--stream",
		"--no-suggest-shell-commands", "--no-detect-urls", "--no-check-update", "--no-show-release-notes", "--no-analytics",
	}
	if model := cmp.Or(t.Model, a.spec.Model); model != "" {
		args = append(args, "--model", model)
	}
	if t.ReadOnly {
		return slices.Concat(a.opt.Exec, args, readOnlyArgs) // the config's own arguments may add files
	}
	return slices.Concat(a.opt.Exec, args, a.spec.Args)
}

// readOnlyArgs are those of a turn that only answers: a question, without a map of the repository.
var readOnlyArgs = []string{"--chat-mode", "ask", "--map-tokens", "0", "--no-git"}

// reservedFlags are the flags that are not for a config's args, and what to use instead. A flag with nothing
// to use instead makes no sense in a turn.
var reservedFlags = map[string]string{
	"-m": "", "--message": "", "--msg": "", "-f": "", "--message-file": "", "--chat-history-file": "", "--input-history-file": "", "--restore-chat-history": "",
	"--yes": "", "--yes-always": "", "--auto-commits": "", "--no-auto-commits": "", "--dirty-commits": "", "--no-dirty-commits": "", "--commit": "",
	"--gitignore": "", "--no-gitignore": "", "--pretty": "", "--no-pretty": "", "--stream": "", "--no-stream": "",
	"--analytics": "", "--no-analytics": "", "--check-update": "", "--just-check-update": "", "--upgrade": "", "--update": "", "--install-main-branch": "",
	"--gui": "", "--no-gui": "", "--browser": "", "--no-browser": "", "--watch-files": "", "--apply": "", "--exit": "", "--lint": "", "--test": "", "--dry-run": "",
	"--model": "model", "-h": "", "--help": "", "--version": "",
}

// Taken returns why an argument is not for a config's args, or "" if it is.
func Taken(arg string) string { return agent.ReservedArg(arg, reservedFlags) }

// Env returns the variables that the program gets of the environment besides those that every agent's program
// does. The key of another provider belongs into `env:`.
func Env() []string {
	return []string{
		"AIDER_*", "OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_API_TYPE", "OPENAI_API_VERSION", "OPENAI_ORGANIZATION", "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
		"OPENROUTER_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY", "OLLAMA_API_BASE",
	}
}
