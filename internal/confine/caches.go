package confine

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan/internal/process"
)

// A cache is a folder in which a tool keeps what it can make or fetch again, and the variable that names it. A tool that
// takes a compiled test or a program out of its cache would run what an agent put there.
type cache struct{ variable, name string }

// caches are those that agents have of their own. A tool that is not among them has what XDG_CACHE_HOME says, or cannot
// write its cache.
var caches = []cache{
	{"XDG_CACHE_HOME", "xdg"},
	{"GOCACHE", "go-build"},
	{"GOMODCACHE", "go-mod"},
	{"npm_config_cache", "npm"},
	{"PNPM_HOME", "pnpm"},
	{"YARN_CACHE_FOLDER", "yarn"},
	{"YARN_GLOBAL_FOLDER", "yarn-berry"},
	{"BUN_INSTALL_CACHE_DIR", "bun"},
	{"DENO_DIR", "deno"},
	{"COREPACK_HOME", "corepack"},
	{"PIP_CACHE_DIR", "pip"},
	{"UV_CACHE_DIR", "uv"},
	{"POETRY_CACHE_DIR", "poetry"},
	{"CARGO_HOME", "cargo"},
	{"GRADLE_USER_HOME", "gradle"},
	{"NUGET_PACKAGES", "nuget"},
	{"COMPOSER_CACHE_DIR", "composer"},
	{"BUNDLE_USER_CACHE", "bundle"},
	{"CCACHE_DIR", "ccache"},
}

// installed are folders of the person's caches in which tools look for programs that are too large to be fetched again.
// Agents read them where they are.
var installed = []cache{
	{"PLAYWRIGHT_BROWSERS_PATH", "ms-playwright"},
	{"PUPPETEER_CACHE_DIR", "puppeteer"},
	{"CYPRESS_CACHE_FOLDER", "Cypress"},
}

// settings are the files of folders that have both a cache and settings: the agents' own folders get a copy of them.
var settings = []struct{ variable, usual, file string }{
	{"CARGO_HOME", ".cargo", "config.toml"},
	{"CARGO_HOME", ".cargo", "config"},
	{"GRADLE_USER_HOME", ".gradle", "gradle.properties"},
}

// MakeCaches makes the caches that the agents of a repository have of their own in a folder, and returns the variables by
// which tools find them. environ is the person's. Go's module cache is filled from theirs, as from a proxy.
func MakeCaches(dir string, environ []string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir) // an agent may have put links in it
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := Request{Environ: environ}
	home := r.getenv("HOME")
	var env []string
	for _, c := range caches {
		if err := makeFolder(root, c.name); err != nil {
			return nil, err
		}
		env = append(env, c.variable+"="+filepath.Join(dir, c.name))
	}
	for _, c := range installed {
		path := filepath.Join(home, ".cache", c.name)
		if cacheHome := r.getenv("XDG_CACHE_HOME"); filepath.IsAbs(cacheHome) {
			path = filepath.Join(cacheHome, c.name)
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() && r.getenv(c.variable) == "" {
			env = append(env, c.variable+"="+path)
		}
	}
	for _, s := range settings {
		from := r.getenv(s.variable)
		if from == "" {
			from = filepath.Join(home, s.usual)
		}
		name := caches[slices.IndexFunc(caches, func(c cache) bool { return c.variable == s.variable })].name
		if err := copySettings(root, filepath.Join(name, s.file), filepath.Join(from, s.file)); err != nil {
			return nil, err
		}
	}
	if modules := r.findGoModules(home); modules != "" {
		local := "GOPROXY=file://" + filepath.ToSlash(filepath.Join(modules, "cache", "download"))
		env = append(env, local+","+cmp.Or(r.getGo("GOPROXY", home), "direct"))
	}
	return env, nil
}

// maxSettings is the size of the largest file of settings that is copied.
const maxSettings = 1 << 20

// makeFolder makes a folder in the place of whatever else is there.
func makeFolder(root *os.Root, name string) error {
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		return nil
	}
	if err := root.RemoveAll(name); err != nil {
		return err
	}
	return root.Mkdir(name, 0o700)
}

// copySettings makes a file what the person's is, if they have one.
func copySettings(root *os.Root, to, from string) error {
	if err := root.RemoveAll(to); err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return nil // a tool without its settings says what it lacks
	}
	return root.WriteFile(to, data, 0o600)
}

// findGoModules returns the person's cache of Go modules, or "" if there is none.
func (r Request) findGoModules(home string) string {
	path := r.getGo("GOMODCACHE", home)
	if path == "" {
		first := filepath.Join(home, "go")
		if list := filepath.SplitList(r.getGo("GOPATH", home)); len(list) > 0 {
			first = list[0]
		}
		path = filepath.Join(first, "pkg", "mod")
	}
	if info, err := os.Stat(filepath.Join(path, "cache", "download")); err != nil || !info.IsDir() {
		return ""
	}
	return path
}

// getGo returns a variable of Go, which reads its variables from a file of the person's and one of its own too.
func (r Request) getGo(name, home string) string {
	if value := r.getenv(name); value != "" {
		return value
	}
	file, config := r.getenv("GOENV"), r.getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	if file == "" {
		file = filepath.Join(config, "go", "env")
	}
	files := []string{file}
	if program, err := process.Find("go", "", r.Environ); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			files = append(files, filepath.Join(filepath.Dir(program), "..", "go.env"))
		}
	}
	for _, file := range files {
		if value := readVariable(file, name); value != "" {
			return value
		}
	}
	return ""
}

// readVariable returns a variable of a file of lines such as NAME=value, or "" if the file does not have it.
func readVariable(file, name string) string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return value
		}
	}
	return ""
}

// WithoutNamed returns variables without those that a list of names has: what a person gives an agent by name stays theirs.
func WithoutNamed(vars, names []string) []string {
	return slices.DeleteFunc(slices.Clone(vars), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(names, name)
	})
}
