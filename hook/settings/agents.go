// Package settings edits the settings files of agents' programs: it adds the hooks by which a program
// calls mulligan when its agent claims that a task is done, and takes back those alone. Everything else
// in such a file survives byte for byte.
package settings

import (
	"errors"
	"path/filepath"
)

// An Agent is a program whose hooks tell of a claim that a task is done.
type Agent struct {
	Name  string // as --agent has it
	Title string // as people call it
	// Notes are what a person has to know besides, a sentence each.
	Notes []string

	folder  string // of its settings, below a project and below HOME
	file    string
	home    string // the variable that names that folder for the user
	within  string // the folder below the one that the variable names
	strict  bool   // it reads no file with comments or trailing commas
	timeout int    // of a hook, in the program's own unit
	entries []entry
}

// An entry is one of the moments at which the program calls mulligan.
type entry struct {
	event   string
	matcher string // of tools; "" where the event has none
}

// Agents returns the programs that the hooks can be installed for.
func Agents() []Agent {
	return []Agent{
		{
			Name: "claude", Title: "Claude Code",
			folder: ".claude", file: "settings.json", home: "CLAUDE_CONFIG_DIR", strict: true,
			timeout: 600, // seconds
			entries: []entry{{"PreToolUse", "TodoWrite|TaskUpdate"}, {"TaskCompleted", ""}, {"TaskCreated", ""}},
		},
		{
			Name: "codex", Title: "Codex",
			Notes: []string{
				"Codex runs only hooks that you have trusted: give /hooks in it, once",
				"Codex has the tool update_plan only with `[tools.update_plan]` and `enabled = true` in its config.toml",
			},
			folder: ".codex", file: "hooks.json", home: "CODEX_HOME", strict: true,
			timeout: 600, // seconds
			entries: []entry{{"PreToolUse", "update_plan"}},
		},
		{
			Name: "gemini", Title: "Gemini CLI",
			Notes:  []string{"Gemini CLI has the tool write_todos only with models of Gemini 2"},
			folder: ".gemini", file: "settings.json", home: "GEMINI_CLI_HOME", within: ".gemini",
			timeout: 600_000, // milliseconds
			entries: []entry{{"BeforeTool", "write_todos"}},
		},
	}
}

// FindAgent returns the program of that name, and whether there is one.
func FindAgent(name string) (Agent, bool) {
	for _, a := range Agents() {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// ProjectPath returns the program's settings file of the project in a folder.
func (a Agent) ProjectPath(dir string) string { return filepath.Join(dir, a.folder, a.file) }

// UserPath returns the program's settings file of the user whose environment it is.
func (a Agent) UserPath(getenv func(string) string) (string, error) {
	dir := getenv(a.home)
	if dir != "" {
		dir = filepath.Join(dir, a.within)
	} else if home := getenv("HOME"); home != "" {
		dir = filepath.Join(home, a.folder)
	}
	if !filepath.IsAbs(dir) {
		return "", errors.New("neither HOME nor " + a.home + " names a folder by an absolute path")
	}
	return filepath.Join(dir, a.file), nil
}

// A Hook is an entry as it is written.
type Hook struct {
	Event   string
	Matcher string // "" where the event has none
	Command string
}

// hooks returns the entries by which the program calls mulligan at the given path or name.
func (a Agent) hooks(program string) ([]Hook, error) {
	var all []Hook
	for _, e := range a.entries {
		command, err := formatCommand(program, e.event)
		if err != nil {
			return nil, err
		}
		all = append(all, Hook{Event: e.event, Matcher: e.matcher, Command: command})
	}
	return all, nil
}
