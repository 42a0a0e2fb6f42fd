package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/tailscale/hujson"
)

// A Change is what Install or Uninstall did to a settings file.
type Change struct {
	Path    string // the file itself, where a link leads to it
	Hooks   []Hook // that are there now, or were taken back
	Written bool   // false if there was nothing to do
	Made    bool   // the file was made
	Removed bool   // the file, which was made for the hooks, was removed
	// Replaced are commands of an earlier installation that were taken out, without those that stayed.
	Replaced []string
	// Unreadable is set if the program ignores the whole file: it has a comment or a trailing comma.
	Unreadable *Mistake
	Disabled   bool // the file switches all hooks off
}

// Install adds the hooks by which the agent's program calls mulligan, at the given path or by a name on
// PATH, to a settings file. Hooks of an earlier installation are replaced. A file that is not as the
// program wants it is a Mistake, and stays as it is.
func Install(a Agent, path, program string) (Change, error) {
	hooks, err := a.hooks(program)
	if err != nil {
		return Change{}, err
	}
	f, err := openFile(path)
	if err != nil {
		return Change{}, err
	}
	change := Change{Path: f.path, Hooks: hooks}
	if !f.exists {
		change.Written, change.Made = true, true
		return change, f.create(func(mark string) []byte { return a.newFile(hooks, mark) })
	}
	var after []byte
	if isBlank(f.text) {
		after = append(a.newFile(hooks, wasEmptyFile), f.text...)
	} else if after, err = a.install(path, f.text, hooks, &change); err != nil {
		return Change{}, err
	}
	change.Written = !bytes.Equal(after, f.text)
	a.inspect(path, after, &change)
	if !change.Written {
		return change, nil
	}
	return change, f.replace(after)
}

// install returns the text with the hooks instead of those of an earlier installation.
func (a Agent) install(path string, text []byte, hooks []Hook, change *Change) ([]byte, error) {
	d, err := a.parse(path, text)
	if err != nil {
		return nil, err
	}
	earlier := a.findOurs(d)
	if a.isComplete(earlier, hooks) {
		return text, nil
	}
	for _, f := range earlier {
		change.Replaced = append(change.Replaced, f.hook.Command)
	}
	rest, nothing, err := a.remove(path, text)
	if err != nil {
		return nil, err
	}
	if nothing {
		mark, _ := readMark(itemsOf(&d.root)[0].before)
		return a.newFile(hooks, mark), nil
	}
	if isBlank(rest) {
		return append(a.newFile(hooks, wasEmptyFile), rest...), nil
	}
	return a.add(path, rest, hooks)
}

// newFile returns the text of a settings file that has nothing but the hooks.
func (a Agent) newFile(hooks []Hook, mark string) []byte {
	l := layout{newline: "\n", unit: "  "}
	return []byte("{" + mark + "\n" + l.unit + a.formatHooks(hooks, l, l.unit) + "\n}\n")
}

// inspect records in the change what keeps the program from running the hooks of a file.
func (a Agent) inspect(path string, text []byte, change *Change) {
	syntax := new(json.SyntaxError)
	if err := json.Unmarshal(text, new(any)); a.strict && errors.As(err, &syntax) {
		line, col := position(text, int(syntax.Offset)-1)
		change.Unreadable = &Mistake{Path: path, Line: line, Col: col, Message: "a comment or a trailing comma"}
	}
	var said struct {
		Off bool `json:"disableAllHooks"`
	}
	if plain, err := hujson.Standardize(bytes.Clone(text)); err == nil && json.Unmarshal(plain, &said) == nil {
		change.Disabled = said.Off
	}
}

// Uninstall takes the hooks that Install has added out of a settings file, and nothing else. It removes
// the file, and then the folder, if Install has made it and nothing else is in it.
func Uninstall(a Agent, path string) (Change, error) {
	f, err := openFile(path)
	if err != nil {
		return Change{}, err
	}
	change := Change{Path: f.path}
	if !f.exists || isBlank(f.text) {
		return change, nil
	}
	d, err := a.parse(path, f.text)
	if err != nil {
		return Change{}, err
	}
	for _, one := range a.findOurs(d) {
		change.Hooks = append(change.Hooks, one.hook)
	}
	if len(change.Hooks) == 0 {
		return change, nil
	}
	rest, nothing, err := a.remove(path, f.text)
	if err != nil {
		return Change{}, err
	}
	change.Written = true
	if !nothing || f.linked {
		if nothing {
			rest = []byte("{}\n")
		}
		return change, f.replace(rest)
	}
	change.Removed = true
	if err := f.remove(); err != nil {
		return change, err
	}
	if mark, _ := readMark(itemsOf(&d.root)[0].before); mark == madeFolder {
		os.Remove(filepath.Dir(f.path)) // fails if anything else is in it, and then it stays
	}
	return change, nil
}

// Installed reports whether a settings file has all the hooks by which the agent's program calls
// mulligan, whatever path of mulligan they name. A missing file has none. The error is a Mistake if the
// program could not read the file either.
func Installed(a Agent, path string) (bool, error) {
	f, err := openFile(path)
	if err != nil || !f.exists || isBlank(f.text) {
		return false, err
	}
	d, err := a.parse(path, f.text)
	if err != nil {
		return false, err
	}
	seen := map[entry]bool{}
	for _, one := range a.findOurs(d) {
		seen[entry{one.hook.Event, one.hook.Matcher}] = true
	}
	for _, e := range a.entries {
		if !seen[e] {
			return false, nil
		}
	}
	return true, nil
}
