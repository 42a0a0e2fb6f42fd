package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/journal/jetstream"
)

// engineEnv is how a process of its own is told of --engine: an argument would show a
// password to everyone on the machine.
const engineEnv = "MULLIGAN_ENGINE"

// open opens the journal.
func (a *App) open(ctx context.Context, mode jetstream.Mode) (*jetstream.Store, error) {
	opt, err := a.journalOptions()
	if err != nil {
		return nil, err
	}
	if opt.Mode = mode; mode == jetstream.Session {
		opt.Notice = func(text string) { fmt.Fprintf(a.Stderr, "mulligan: %s\n", text) }
	}
	return jetstream.Open(ctx, opt)
}

// journalOptions say where the journal is.
func (a *App) journalOptions() (jetstream.Options, error) {
	dir, err := a.stateDir()
	if err != nil {
		return jetstream.Options{}, err
	}
	engine, err := a.journalEngine()
	return jetstream.Options{Dir: dir, Engine: engine, Version: Version}, err
}

// journalEngine is what the flag, the environment and the config files say. Mistakes in other
// keys are not the business of a command that only looks.
func (a *App) journalEngine() (string, error) {
	project := a.project
	if project == "" {
		if root, err := a.root(); err == nil {
			project = filepath.Join(root, "mulligan.yaml")
		}
	}
	user := config.UserFile(a.Environ)
	if a.engine == "" && a.env(engineEnv) == "" && !mentionsEngine(project) && !mentionsEngine(user) {
		return jetstream.Embedded, nil
	}
	if _, err := os.Stat(project); errors.Is(err, fs.ErrNotExist) {
		project = ""
	}
	c := builtin.Schema().Load(config.Sources{Flags: a.engineFlag(), Environ: a.Environ, Project: project, User: user, Dir: a.Dir})
	wrong := slices.DeleteFunc(slices.Clone(c.Mistakes), func(m config.Mistake) bool { return m.Path != "engine" })
	return c.Get("engine").String(), wrong.Err()
}

// mentionsEngine spares most commands the reading of the config.
func mentionsEngine(path string) bool {
	if path == "" {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && bytes.Contains(text, []byte("engine"))
}

func (a *App) engineFlag() []config.Setting {
	if a.engine == "" {
		return nil
	}
	return []config.Setting{config.FlagSetting("engine", a.engine, "engine")}
}
