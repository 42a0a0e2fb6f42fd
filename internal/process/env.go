package process

import (
	"slices"
	"strings"
)

// agentNames lists the variables that every agent's program gets of the environment that mulligan was
// started with: those that programs need to find themselves, their tools and the network. It has no
// keys and tokens: an agent's adapter or the user's config names the ones that the agent needs.
// SSH_AUTH_SOCK is missing too, because a program that has it can sign as the user.
var agentNames = []string{
	// who and where
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "TMP", "TEMP", "XDG_*",
	// language, time and terminal
	"LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "COLORTERM", "TERMINFO", "TERMINFO_DIRS",
	"NO_COLOR", "CI", "DEBIAN_FRONTEND",
	// the network
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO",
	// tool chains: where they are and how they build
	"GOROOT", "GOPATH", "GOBIN", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY", "GONOPROXY", "GOSUMDB", "GONOSUMDB",
	"GOPRIVATE", "GOTOOLCHAIN", "GOWORK", "GOOS", "GOARCH", "GOEXPERIMENT", "CGO_*",
	"NODE_ENV", "NODE_PATH", "NODE_OPTIONS", "NVM_DIR", "NVM_BIN", "FNM_*", "VOLTA_HOME", "N_PREFIX", "PNPM_HOME",
	"COREPACK_HOME", "BUN_INSTALL", "DENO_DIR", "DENO_INSTALL", "npm_config_cache", "npm_config_registry", "npm_config_prefix",
	"VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYTHONPATH", "PYTHONHOME", "PIP_CACHE_DIR", "UV_CACHE_DIR",
	"POETRY_HOME", "POETRY_CACHE_DIR",
	"CARGO_HOME", "CARGO_TARGET_DIR", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "RUSTFLAGS",
	"JAVA_HOME", "JAVA_OPTS", "MAVEN_HOME", "MAVEN_OPTS", "M2_HOME", "GRADLE_HOME", "GRADLE_USER_HOME", "KOTLIN_HOME", "SDKMAN_DIR",
	"ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT", "NUGET_PACKAGES",
	"GEM_HOME", "GEM_PATH", "RBENV_ROOT", "RBENV_VERSION", "BUNDLE_PATH", "RUBYLIB", "COMPOSER_HOME", "MIX_HOME", "HEX_HOME",
	"ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "MISE_CONFIG_DIR", "HOMEBREW_PREFIX", "HOMEBREW_CELLAR", "HOMEBREW_REPOSITORY",
	"NIX_PATH", "NIX_PROFILES", "NIX_SSL_CERT_FILE", "LOCALE_ARCHIVE", "DIRENV_DIR",
	"CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CMAKE_PREFIX_PATH", "PKG_CONFIG_PATH",
	"LD_LIBRARY_PATH", "LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SDKROOT", "DEVELOPER_DIR",
	"EDITOR", "VISUAL", "PAGER", "GIT_PAGER", "GIT_AUTHOR_*", "GIT_COMMITTER_*",
	// inside Windows' Linux
	"WSL_DISTRO_NAME", "WSL_INTEROP", "WSLENV",
}

// AgentEnv returns the environment of an agent's program: of environ the variables of the built-in list
// and those that extra names (PREFIX_* is a pattern), or all of it if inherit is set.
func AgentEnv(environ, extra []string, inherit bool) []string {
	if inherit {
		return Set(environ)
	}
	return Base(environ, slices.Concat(agentNames, extra))
}

// Base returns the variables of environ that names lists; a name that ends in * stands for every
// variable that begins so. The order is environ's. If a variable occurs twice, the last value counts.
func Base(environ, names []string) []string {
	return slices.DeleteFunc(Set(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !slices.ContainsFunc(names, func(wanted string) bool {
			prefix, isPattern := strings.CutSuffix(wanted, "*")
			return name == wanted || isPattern && strings.HasPrefix(name, prefix)
		})
	})
}

// Set returns env with the NAME=value pairs of kv put over it. A variable keeps the position of its
// first occurrence and has its last value. env itself is not changed.
func Set(env []string, kv ...string) []string {
	out := make([]string, 0, len(env)+len(kv))
	positions := make(map[string]int, len(env)+len(kv))
	for _, pair := range slices.Concat(env, kv) {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			continue
		}
		if i, seen := positions[name]; seen {
			out[i] = pair
			continue
		}
		positions[name] = len(out)
		out = append(out, pair)
	}
	return out
}

// Lookup returns the value of a variable in env, the last one if the variable occurs twice.
func Lookup(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}
