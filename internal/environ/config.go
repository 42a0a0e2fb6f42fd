package environ

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/usererror"
)

// ConfigPath returns the project's config file: the one that file names, or that of the repository in
// root if file is "".
func (e *Env) ConfigPath(root, file string) string {
	if file != "" {
		return e.Abs(file)
	}
	return filepath.Join(root, "mulligan.yaml")
}

// ConfigFlags are the flags of a command that choose or change the config.
type ConfigFlags struct {
	File  string // the value of --config, or ""
	Agent string // the value of --agent, or ""
	// Checks make a pipeline of one step, with so many retries. With them no project file is needed.
	Checks []string
	Retry  int
}

// LinePipeline is the pipeline that the flags --check make.
const LinePipeline = "task"

// formatLine returns the flags as a config, or nil if they make no pipeline.
func (f ConfigFlags) formatLine() []byte {
	if len(f.Checks) == 0 {
		return nil
	}
	checks, _ := json.Marshal(f.Checks) // strings can be; JSON is YAML
	return fmt.Appendf(nil, "version: 1\ndefault_pipeline: %s\npipelines:\n  %[1]s:\n    - name: work\n      check: %s\n      retry: %d\n", LinePipeline, checks, f.Retry)
}

// LoadConfig reads the layers of the config. That there is no project file is an error of usage, unless the
// flags make a pipeline.
func (e *Env) LoadConfig(root string, flags ConfigFlags) (*config.Config, error) {
	return e.LoadEditedConfig(root, flags, nil)
}

// HasConfig reports whether the repository in root has a config file.
func (e *Env) HasConfig(root string) bool {
	_, err := os.Lstat(e.ConfigPath(root, ""))
	return !errors.Is(err, fs.ErrNotExist)
}

// CheckConfigName returns an error of usage if the repository in root has no config, but a file that was
// probably meant to be it. To go on without would ignore the limits in it.
func (e *Env) CheckConfigName(root string) error {
	path := e.FindMisnamedConfig(root)
	if path == "" {
		return nil
	}
	name, want := usererror.QuotePath(RelativeTo(e.Dir, path)), usererror.QuotePath(RelativeTo(e.Dir, e.ConfigPath(root, "")))
	hint := fmt.Sprintf("rename it: mv %s %s", name, want)
	if !IsYAML(path) {
		hint = "write it as YAML: `mulligan init` begins one"
	}
	return usererror.Usage(fmt.Sprintf("there is no %s, and %s is not read: the config is YAML, in a file named mulligan.yaml", want, name), hint)
}

// FindMisnamedConfig returns the file in root that was probably meant to be the config, or "" if there is
// none, or a config.
func (e *Env) FindMisnamedConfig(root string) string {
	if e.HasConfig(root) {
		return ""
	}
	for _, base := range []string{"mulligan", ".mulligan"} {
		for _, ext := range []string{".yaml", ".yml", ".json", ".toml"} {
			path := filepath.Join(root, base+ext)
			if info, err := os.Lstat(path); err == nil && !info.IsDir() {
				return path
			}
		}
	}
	return ""
}

// IsYAML reports whether a misnamed config would be one under another name. JSON is YAML.
func IsYAML(path string) bool { return filepath.Ext(path) != ".toml" }

// LoadEditedConfig is LoadConfig for files that have other texts, by their paths.
func (e *Env) LoadEditedConfig(root string, flags ConfigFlags, texts map[string][]byte) (*config.Config, error) {
	path, line := e.ConfigPath(root, flags.File), flags.formatLine()
	if flags.File != "" {
		e.Project = path
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		switch {
		case flags.File != "":
			return nil, usererror.Usage(fmt.Sprintf("there is no %s", RelativeTo(e.Dir, path)), "--config names a file that is there")
		case line == nil:
			if err := e.CheckConfigName(root); err != nil {
				return nil, err
			}
			return nil, usererror.Usage(fmt.Sprintf("there is no %s", RelativeTo(e.Dir, path)), "`mulligan init` writes one that fits this repository")
		}
		path = ""
	}
	settings := e.EngineSettings()
	if flags.Agent != "" {
		settings = append(settings, config.FlagSetting("agent", flags.Agent, "agent"))
	}
	guard, err := e.guardSettings(root)
	if err != nil {
		return nil, err
	}
	settings = append(settings, guard...)
	retry, err := e.RetryFile(root)
	if err != nil {
		return nil, err
	}
	return builtin.Schema().Load(config.Sources{
		Flags: settings, Environ: e.Environ, Line: line, Retry: retry, Project: path, User: config.UserFile(e.Environ), Dir: e.Dir, Texts: texts,
	}), nil
}

// RelativeTo returns path relative to root if it lies inside, else the path itself.
func RelativeTo(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return filepath.ToSlash(rel)
}
