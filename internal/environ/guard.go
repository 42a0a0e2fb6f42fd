package environ

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/durable"
	"mulligan/internal/regular"
)

// A Switch is what a person said of the guard in a repository: on, off, or nothing.
type Switch string

const (
	SwitchedOn  Switch = "on"
	SwitchedOff Switch = "off"
	Unswitched  Switch = ""
)

// guardSwitch returns the file of the switch of the repository in root. All its checkouts share it.
func (f Folders) guardSwitch(root string) string {
	return filepath.Join(f.State, "guard", repositoryKey(root), "switch")
}

// GuardConversation returns the file that has the id of the guard-session of an agent's conversation.
func (f Folders) GuardConversation(name string) string {
	return filepath.Join(f.State, "guard", "conversations", name)
}

// GuardCall returns the lock of a call of an agent's that is being validated.
func (f Folders) GuardCall(name string) string { return filepath.Join(f.State, "guard", "calls", name) }

// GuardLog returns the log of the guard's answers to agents that no session runs.
func (f Folders) GuardLog() string { return filepath.Join(f.Logs(), "guard.log") }

// GuardSwitch returns what `mulligan guard on` or `off` said in the repository in root.
func (e *Env) GuardSwitch(root string) (Switch, error) {
	folders, err := e.Folders()
	if err != nil {
		return Unswitched, err
	}
	return readSwitch(folders.guardSwitch(root))
}

// readSwitch returns the switch that a file keeps; without the file there is none.
func readSwitch(path string) (Switch, error) {
	data, err := regular.ReadFile(path, config.MaxBytes)
	// A file in a folder's place is a fault of the state folder, which whoever writes there reports.
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Unswitched, nil
	}
	if err != nil {
		return Unswitched, err
	}
	if s := Switch(strings.TrimSpace(string(data))); s == SwitchedOn || s == SwitchedOff {
		return s, nil
	}
	return Unswitched, fmt.Errorf("%s is damaged: `mulligan guard on` or `off` writes it anew", path)
}

// SetGuardSwitch keeps what a person said of the guard in the repository in root.
func (e *Env) SetGuardSwitch(root string, to Switch) error {
	folders, err := e.Folders()
	if err != nil {
		return err
	}
	path := folders.guardSwitch(root)
	return durable.WriteFile(path, []byte(to+"\n"))
}

// guardSettings returns the switch as a layer of the config that goes before all others, or nil.
func (e *Env) guardSettings(root string) ([]config.Setting, error) {
	s, err := e.GuardSwitch(root)
	if err != nil || s == Unswitched {
		return nil, err
	}
	enabled := fmt.Sprint(s == SwitchedOn)
	return []config.Setting{{Name: "mulligan guard " + string(s), Path: []string{"guard", "enabled"}, Text: enabled}}, nil
}

// MentionsGuard reports whether the environment or a config file may set the guard in the repository in
// root. It spares the reading of the config where the guard is off.
func (e *Env) MentionsGuard(root string) bool {
	for _, kv := range e.Environ {
		if strings.HasPrefix(kv, "MULLIGAN_GUARD") {
			return true
		}
	}
	for _, path := range []string{e.ConfigPath(root, e.Project), config.UserFile(e.Environ)} {
		text, err := regular.ReadFile(path, config.MaxBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && path != "" || bytes.Contains(text, []byte("guard")) {
			return true
		}
	}
	return false
}

// LoadGuardConfig reads the layers of the config for the guard of an agent in the repository in root.
// There need be no project file.
func (e *Env) LoadGuardConfig(root string) (*config.Config, error) {
	settings, err := e.guardSettings(root)
	if err != nil {
		return nil, err
	}
	project := e.ConfigPath(root, e.Project)
	if _, err := os.Stat(project); errors.Is(err, fs.ErrNotExist) {
		project = ""
	}
	return builtin.Schema().Load(config.Sources{Flags: settings, Environ: e.Environ, Project: project, User: config.UserFile(e.Environ), Dir: e.Dir}), nil
}
