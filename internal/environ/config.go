package environ

import (
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

// LoadConfig reads the layers of the config. file is the value of --config and agent that of --agent,
// or "". That there is no project file is an error of usage.
func (e *Env) LoadConfig(root, file, agent string) (*config.Config, error) {
	return e.LoadEditedConfig(root, file, agent, nil)
}

// LoadEditedConfig is LoadConfig for files that have other texts, by their paths.
func (e *Env) LoadEditedConfig(root, file, agent string, texts map[string][]byte) (*config.Config, error) {
	path := e.ConfigPath(root, file)
	if file != "" {
		e.Project = path
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		hint := "`mulligan init` writes one that fits this repository"
		if file != "" {
			hint = "--config names a file that is there"
		}
		return nil, usererror.Usage(fmt.Sprintf("there is no %s", RelativeTo(e.Dir, path)), hint)
	}
	flags := e.EngineSettings()
	if agent != "" {
		flags = append(flags, config.FlagSetting("agent", agent, "agent"))
	}
	guard, err := e.guardSettings(root)
	if err != nil {
		return nil, err
	}
	flags = append(flags, guard...)
	retry, err := e.RetryFile(root)
	if err != nil {
		return nil, err
	}
	return builtin.Schema().Load(config.Sources{
		Flags: flags, Environ: e.Environ, Retry: retry, Project: path, User: config.UserFile(e.Environ), Dir: e.Dir, Texts: texts,
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
