package environ

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
	"mulligan/internal/regular"
	"mulligan/journal/jetstream"
)

// EngineVariable is how --engine is passed to a session's own process: an argument would show a
// password to everyone on the machine.
const EngineVariable = "MULLIGAN_ENGINE"

// OpenJournal opens the journal. The caller closes it. It is the only place in the program that
// knows which journal there is: everything else asks for the methods that it needs.
func (e *Env) OpenJournal(ctx context.Context, mode jetstream.Mode) (*jetstream.Store, error) {
	opt, err := e.JournalOptions()
	if err != nil {
		return nil, err
	}
	if opt.Mode = mode; mode == jetstream.Session {
		opt.Notice = func(text string) { fmt.Fprintf(e.Stderr, "mulligan: %s\n", text) }
	}
	return jetstream.Open(ctx, opt)
}

// JournalOptions returns where the journal is.
func (e *Env) JournalOptions() (jetstream.Options, error) {
	dir, err := e.StateDir()
	if err != nil {
		return jetstream.Options{}, err
	}
	engine, err := e.JournalEngine()
	return jetstream.Options{Dir: dir, Engine: engine, Version: Version}, err
}

// JournalEngine returns the engine that the flag, the environment and the config files choose.
// Mistakes in other keys are left to the commands that need those.
func (e *Env) JournalEngine() (string, error) {
	project := e.Project
	if project == "" {
		if root, err := e.Root(); err == nil {
			project = filepath.Join(root, "mulligan.yaml")
		}
	}
	user := config.UserFile(e.Environ)
	if e.Engine == "" && e.Getenv(EngineVariable) == "" && !mentionsEngine(project) && !mentionsEngine(user) {
		return jetstream.Embedded, nil
	}
	if _, err := os.Stat(project); errors.Is(err, fs.ErrNotExist) {
		project = ""
	}
	c := builtin.Schema().Load(config.Sources{Flags: e.EngineSettings(), Environ: e.Environ, Project: project, User: user, Dir: e.Dir})
	wrong := slices.DeleteFunc(slices.Clone(c.Mistakes), func(m config.Mistake) bool { return m.Path != "engine" })
	return c.Get("engine").String(), wrong.Err()
}

// EngineSettings returns --engine as a layer of the config, or nil if it was not given.
func (e *Env) EngineSettings() []config.Setting {
	if e.Engine == "" {
		return nil
	}
	return []config.Setting{config.FlagSetting("engine", e.Engine, "engine")}
}

// mentionsEngine reports whether a config file may choose an engine. It spares most commands the
// reading of the config.
func mentionsEngine(path string) bool {
	text, err := regular.ReadFile(path, config.MaxBytes)
	return err == nil && bytes.Contains(text, []byte("engine"))
}
