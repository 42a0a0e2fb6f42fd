package process

import (
	"slices"
	"strings"
)

// agentNames is what every agent's program gets of the environment that mulligan was
// started with: what programs need to find themselves, their tools and the network. Keys
// and tokens are not in it: those that an agent needs are named by its backend or by the
// user. SSH_AUTH_SOCK is left out with them, because whoever has it can sign as the user.
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

// AgentEnv is the environment of an agent's program: of environ the built-in list and what
// extra names (PREFIX_* is a pattern), or with inherit all of it.
func AgentEnv(environ, extra []string, inherit bool) []string {
	if inherit {
		return Set(environ)
	}
	return Base(environ, slices.Concat(agentNames, extra))
}

// Base picks from environ the variables that names has; a name that ends in * is every
// variable that begins so. The order is environ's; of a variable that is there twice the
// last counts.
func Base(environ, names []string) []string {
	exact := make(map[string]bool, len(names))
	var prefixes []string
	for _, n := range names {
		if p, ok := strings.CutSuffix(n, "*"); ok {
			prefixes = append(prefixes, p)
		} else {
			exact[n] = true
		}
	}
	wanted := func(name string) bool {
		return exact[name] || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	return slices.DeleteFunc(Set(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !wanted(name)
	})
}

// Set gives env with the NAME=value pairs of kv put over it. A variable keeps the place
// where it first stood and has the last value that was given; env itself is not changed.
func Set(env []string, kv ...string) []string {
	out := make([]string, 0, len(env)+len(kv))
	place := make(map[string]int, len(env)+len(kv))
	for _, pair := range slices.Concat(env, kv) {
		name, _, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			continue
		}
		if i, seen := place[name]; seen {
			out[i] = pair
			continue
		}
		place[name] = len(out)
		out = append(out, pair)
	}
	return out
}

// Lookup gives a variable's value of env, the last where it is there twice.
func Lookup(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}
