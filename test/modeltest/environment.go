package modeltest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Environment returns the whole environment for an agent program whose home is the given empty
// folder. It holds nothing of this process's own. Without a stand-in on 127.0.0.1 it is an error:
// the program would ask a real model.
func Environment(home string, s *Server, name string) ([]string, error) {
	p, ok := programs[name]
	if !ok {
		return nil, fmt.Errorf("no agent program %q is known", name)
	}
	if err := checkLocal(s); err != nil {
		return nil, fmt.Errorf("%s is not run: %w", name, err)
	}
	temp, bin := filepath.Join(home, "tmp"), filepath.Join(home, "bin")
	for _, dir := range []string{temp, bin} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	if p.node {
		if err := provideNode(bin); err != nil {
			return nil, err
		}
	}
	own, err := p.prepare(home, s)
	if err != nil {
		return nil, err
	}
	if p.runs != "" {
		root, err := findCheckout()
		if err != nil {
			return nil, err
		}
		path, err := Installed(root, p.runs)
		if err != nil {
			return nil, err
		}
		own = append(own, programVariables[p.runs]+"="+path)
	}
	usual := []string{
		"HOME=" + home, "TMPDIR=" + temp, "PATH=" + bin + ":/usr/bin:/bin",
		"USER=tester", "LOGNAME=tester", "SHELL=/bin/sh", "LANG=C.UTF-8", "TERM=dumb",
		// Whatever is not for this machine ends at the stand-in, which refuses it and keeps it
		// in its log.
		"HTTP_PROXY=" + s.URL, "HTTPS_PROXY=" + s.URL, "http_proxy=" + s.URL, "https_proxy=" + s.URL,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
		"DO_NOT_TRACK=1", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=tester", "GIT_AUTHOR_EMAIL=tester@example.invalid",
		"GIT_COMMITTER_NAME=tester", "GIT_COMMITTER_EMAIL=tester@example.invalid",
	}
	return slices.Concat(usual, own), nil
}

// checkLocal returns an error unless the stand-in is at a port of 127.0.0.1.
func checkLocal(s *Server) error {
	if s == nil || s.URL == "" {
		return errors.New("there is no stand-in for its model")
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return err
	}
	if u.Hostname() != "127.0.0.1" || u.Port() == "" {
		return fmt.Errorf("the stand-in for its model is at %s, not on a port of 127.0.0.1", s.URL)
	}
	return nil
}

func prepareClaude(_ string, s *Server) ([]string, error) {
	return []string{
		"ANTHROPIC_BASE_URL=" + s.URL, "ANTHROPIC_API_KEY=" + Key,
		"IS_SANDBOX=1", // root may not go without permissions otherwise
		"CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=false", // it would ask what a person may say next
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
	}, nil
}

// prepareCodex names a model that Codex knows: with one that it does not know it has no
// apply_patch.
func prepareCodex(home string, s *Server) ([]string, error) {
	folder := filepath.Join(home, ".codex")
	config := `model = "gpt-5.5"
model_provider = "standin"
check_for_update_on_startup = false

[model_providers.standin]
name = "standin"
base_url = ` + strconv.Quote(s.URL+"/v1") + `
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1

[analytics]
enabled = false

[features]
plugins = false
`
	err := writeConfig(filepath.Join(folder, "config.toml"), config)
	return []string{"CODEX_HOME=" + folder, "OPENAI_API_KEY=" + Key}, err
}

// prepareOpencode names the one model that there is, and no list of those of other providers.
func prepareOpencode(home string, s *Server) ([]string, error) {
	config := `{
  "autoupdate": false, "share": "disabled", "model": "standin/model", "small_model": "standin/model",
  "enabled_providers": ["standin"],
  "provider": {"standin": {
    "npm": "@ai-sdk/openai-compatible", "name": "standin",
    "options": {"baseURL": ` + strconv.Quote(s.URL+"/v1") + `, "apiKey": ` + strconv.Quote(Key) + `},
    "models": {"model": {"name": "model", "tool_call": true, "limit": {"context": 200000, "output": 8000}}}
  }}
}
`
	folder := filepath.Join(home, ".config", "opencode")
	models := filepath.Join(folder, "models.json")
	err := errors.Join(
		writeConfig(filepath.Join(folder, "opencode.json"), config),
		writeConfig(models, "{}\n"),
	)
	return []string{
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_PURE=1",
		"OPENCODE_MODELS_PATH=" + models, // half of its start is the reading of its own list
		"npm_config_offline=true",        // it would install packages at its first start, and wait for them
	}, err
}

// prepareGemini has the program try once. It would retry for minutes without printing anything.
func prepareGemini(home string, s *Server) ([]string, error) {
	settings := `{
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "general": {"maxAttempts": 1, "disableAutoUpdate": true, "disableUpdateNag": true, "enableAutoUpdate": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false}
}
`
	err := writeConfig(filepath.Join(home, ".gemini", "settings.json"), settings)
	return []string{
		"GEMINI_API_KEY=" + Key, "GOOGLE_GEMINI_BASE_URL=" + s.URL,
		"GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_MODEL=gemini-2.5-pro",
	}, err
}

func writeConfig(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// Subscribed returns Claude Code's environment as a subscriber has it, with a token instead of a
// key. Only then does the program tell when a limit ends (see Limited).
func Subscribed(env []string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, "ANTHROPIC_API_KEY=") })
	return append(out, "CLAUDE_CODE_OAUTH_TOKEN="+Key)
}
