package acp

import (
	"path/filepath"

	"mulligan"
	"mulligan/agent"
	"mulligan/internal/process"
)

// programVariables are the variables that each known program reads besides those that every agent's
// program gets. The user names the keys of another program.
var programVariables = map[string][]string{
	"gemini": {
		"GEMINI_*", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_GENAI_*", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_APPLICATION_CREDENTIALS",
	},
	"opencode": {
		"OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "OPENROUTER_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "XAI_API_KEY", "DEEPSEEK_API_KEY",
	},
	"claude-agent-acp": {
		"ANTHROPIC_*", "CLAUDE_CODE_*", "CLAUDE_CONFIG_DIR", "MAX_THINKING_TOKENS", "IS_SANDBOX", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING",
	},
	"codex-acp": {
		"CODEX_HOME", "CODEX_PATH", "CODEX_CONFIG", "CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "MODEL_PROVIDER", codexMode,
	},
}

// Env returns the variables that a program gets besides those that every agent's does.
func Env(exec []string) []string {
	if len(exec) == 0 {
		return nil
	}
	return programVariables[filepath.Base(exec[0])]
}

// codexModes are the permissions in the terms of codex-acp. By itself it has a model review what
// Codex wants, and asks no person.
var codexModes = map[string]string{"full": "agent-full-access", "edits": "workspace-write", "ask": "read-only"}

const codexMode = "INITIAL_AGENT_MODE"

// environment returns the environment of the program.
func (a *Agent) environment(t mulligan.Turn) []string {
	env := a.deps.Env(a.spec, t, agent.ConversationOf(t), agent.Variables{Names: Env(a.opt.Exec)})
	if mode := codexModes[a.spec.Permissions]; mode != "" && filepath.Base(a.opt.Exec[0]) == "codex-acp" {
		if _, chosen := process.Lookup(env, codexMode); !chosen {
			env = process.Set(env, codexMode+"="+mode)
		}
	}
	return env
}
