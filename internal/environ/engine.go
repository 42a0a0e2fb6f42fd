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
	"strings"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/durable"
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
	opt.Warn = func(text string) { fmt.Fprintf(e.Stderr, "mulligan: %s\n", text) }
	if opt.Mode = mode; mode == jetstream.Session {
		opt.Notice = opt.Warn
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

// JournalEngine returns the engine that the journal is kept by: the one that ChooseEngine has set, that of
// the flag or the environment, that of this repository's newest session, or that of the config files. What a
// repository's own file says counts only if a person has trusted it: to look on connects to nothing else.
func (e *Env) JournalEngine() (string, error) {
	if e.engine != "" {
		return e.engine, nil
	}
	if e.Engine != "" || e.Getenv(EngineVariable) != "" {
		return e.loadEngine("", "")
	}
	root, err := e.Root()
	if err != nil {
		return e.loadEngine("", "") // there is no repository
	}
	if used := e.readEngine(root); used != "" {
		return used, nil
	}
	return e.loadEngine(root, e.Project)
}

// ChooseEngine sets the engine of the sessions that this command runs: that of the flag, the environment or
// the config files.
func (e *Env) ChooseEngine(root, file string) (err error) {
	e.engine, err = e.loadEngine(root, file)
	return err
}

// loadEngine returns the engine that the flag, the environment and the config files choose; root is "" if
// there is no repository. Mistakes in other keys are left to the commands that need those.
func (e *Env) loadEngine(root, file string) (string, error) {
	project, user := "", config.UserFile(e.Environ)
	if root != "" {
		project = e.ConfigPath(root, file)
	}
	if e.Engine == "" && e.Getenv(EngineVariable) == "" && !mentionsEngine(project) && !mentionsEngine(user) {
		return jetstream.Embedded, nil
	}
	load := func(project string) *config.Config {
		return builtin.Schema().Load(config.Sources{Flags: e.EngineSettings(), Environ: e.Environ, Project: project, User: user, Dir: e.Dir})
	}
	c := load("")
	if mentionsEngine(project) {
		all := load(project)
		waiting, err := e.ListUntrusted(root, file, all)
		if err == nil && all.Get("engine").OK() && !slices.ContainsFunc(waiting, isEngine) {
			c = all
		}
	}
	wrong := slices.DeleteFunc(slices.Clone(c.Mistakes), func(m config.Mistake) bool { return m.Path != "engine" })
	return c.Get("engine").String(), wrong.Err()
}

func isEngine(c config.Claim) bool { return c.Key == "engine" }

// engineFile returns the file that has the engine of the newest session of the repository in root. All its
// checkouts share it.
func (f Folders) engineFile(root string) string {
	return filepath.Join(f.State, "workspaces", repositoryKey(root), "engine")
}

// readEngine returns the engine that the newest session of the repository in root uses, or "" if that is not
// known.
func (e *Env) readEngine(root string) string {
	folders, err := e.Folders()
	if err != nil {
		return ""
	}
	data, err := regular.ReadFile(folders.engineFile(root), config.MaxBytes)
	used := strings.TrimSpace(string(data))
	if err != nil || config.CheckEngine(used) != nil {
		return ""
	}
	return used
}

// RecordEngine keeps which engine the sessions of the repository in root use, so that they are found whatever
// a config says later. A password that was given with a flag or a variable is not kept: then nothing is.
func (e *Env) RecordEngine(root string) error {
	used, err := e.JournalEngine()
	if err != nil {
		return err
	}
	given := e.Engine != "" || e.Getenv(EngineVariable) != ""
	if given && strings.Contains(used, "@") {
		return e.ForgetEngine(root)
	}
	folders, err := e.Folders()
	if err != nil || e.readEngine(root) == used {
		return err
	}
	return durable.WriteFile(folders.engineFile(root), []byte(used+"\n"))
}

// ForgetEngine makes the config decide again where the sessions of the repository in root are looked for.
func (e *Env) ForgetEngine(root string) error {
	folders, err := e.Folders()
	if err != nil {
		return err
	}
	if err := os.Remove(folders.engineFile(root)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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
