package confine

import (
	"os"
	"path/filepath"
	"strings"
)

// A cache is a folder in which tools keep what they can make or fetch again.
type cache struct {
	path string
	why  string
	tool string // the program that makes it; "": nobody makes it here
}

// homeCaches are the caches that are not in ~/.cache: below a folder that a variable moves, or below the
// home. Folders with programs that the user runs (~/go/bin, ~/.cargo/bin), with settings and with scripts
// that a tool runs by itself (~/.gradle/init.d) are not among them.
var homeCaches = []struct {
	variable, usual string // the folder; usual is in the home
	below           string // what of it is a cache; "": all
	tool            string
}{
	{"", ".cache", "", "sh"},
	{"npm_config_cache", ".npm", "", "npm"},
	{"", ".pnpm-store", "", ""},
	{"", ".local/share/pnpm/store", "", "pnpm"},
	{"", ".local/state/pnpm", "", "pnpm"},
	{"", ".yarn/berry", "", "yarn"},
	{"BUN_INSTALL", ".bun", "install/cache", "bun"},
	{"DENO_DIR", ".cache/deno", "", ""},
	{"COREPACK_HOME", ".cache/node/corepack", "", ""},
	{"PIP_CACHE_DIR", ".cache/pip", "", ""},
	{"UV_CACHE_DIR", ".cache/uv", "", ""},
	{"POETRY_CACHE_DIR", ".cache/pypoetry", "", ""},
	{"CARGO_HOME", ".cargo", "registry", "cargo"},
	{"CARGO_HOME", ".cargo", "git", "cargo"},
	{"CARGO_HOME", ".cargo", ".package-cache", ""},
	{"CARGO_HOME", ".cargo", ".package-cache-mutate", ""},
	{"CARGO_HOME", ".cargo", ".global-cache", ""},
	{"CARGO_TARGET_DIR", "", "", ""},
	{"", ".m2/repository", "", "mvn"},
	{"", ".m2/wrapper", "", ""},
	{"GRADLE_USER_HOME", ".gradle", "caches", "gradle"},
	{"GRADLE_USER_HOME", ".gradle", "daemon", "gradle"},
	{"GRADLE_USER_HOME", ".gradle", "native", "gradle"},
	{"GRADLE_USER_HOME", ".gradle", "notifications", "gradle"},
	{"GRADLE_USER_HOME", ".gradle", "workers", "gradle"},
	{"GRADLE_USER_HOME", ".gradle", "wrapper", "gradle"},
	{"GRADLE_USER_HOME", ".gradle", ".tmp", "gradle"},
	{"", ".ivy2/cache", "", ""},
	{"", ".ivy2/local", "", ""},
	{"", ".sbt/boot", "", "sbt"},
	{"NUGET_PACKAGES", ".nuget/packages", "", "dotnet"},
	{"", ".local/share/NuGet", "", "dotnet"},
	{"COMPOSER_HOME", ".composer", "cache", ""},
	{"", ".bundle/cache", "", ""},
	{"HEX_HOME", ".hex", "packages", ""},
	{"", ".cabal/packages", "", ""},
	{"", ".cabal/store", "", ""},
	{"", ".stack", "", ""},
	{"", ".ccache", "", ""},
	{"", ".conan2/p", "", ""},
	{"", ".terraform.d/plugin-cache", "", ""},
}

// listCaches returns the caches of an environment.
func (r Request) listCaches() []cache {
	home := r.getenv("HOME")
	var list []cache
	add := func(path, below, tool string) {
		if filepath.IsAbs(path) {
			list = append(list, cache{filepath.Join(path, below), "a cache", tool})
		}
	}
	add(r.getenv("XDG_CACHE_HOME"), "", "sh")
	for _, c := range homeCaches {
		path := r.getenv(c.variable)
		if path == "" && c.usual != "" && filepath.IsAbs(home) {
			path = filepath.Join(home, c.usual)
		}
		add(path, c.below, c.tool)
	}
	for _, path := range r.listGoCaches(home) {
		add(path, "", "go")
	}
	return list
}

// listGoCaches returns the caches of Go, which reads variables from a file too.
func (r Request) listGoCaches(home string) []string {
	file := r.getenv("GOENV")
	config := r.getenv("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	if file == "" && config != "" {
		file = filepath.Join(config, "go", "env")
	}
	kept := map[string]string{}
	if data, err := os.ReadFile(file); err == nil && len(data) < 64<<10 {
		for line := range strings.Lines(string(data)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			kept[name] = value
		}
	}
	get := func(name string) string {
		if value := r.getenv(name); value != "" {
			return value
		}
		return kept[name]
	}
	list := []string{get("GOCACHE"), get("GOMODCACHE")}
	folders := filepath.SplitList(get("GOPATH"))
	if len(folders) == 0 && home != "" {
		folders = []string{filepath.Join(home, "go")}
	}
	for _, folder := range folders {
		list = append(list, filepath.Join(folder, "pkg"))
	}
	return list
}
