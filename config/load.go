package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Sources are the layers of a config, the strongest first.
type Sources struct {
	Flags   []Setting
	Environ []string // "NAME=value"; MULLIGAN_ ones count
	Project string   // path of mulligan.yaml; "" where there is none
	User    string   // path of the user's own file; it need not exist
	Dir     string   // messages name files in it relative to it; "": as they are given
}

// A Config is the merged layers. One with mistakes still has all that is right in it, so that
// its caller can find more mistakes.
type Config struct {
	Value
	Mistakes Mistakes
	Notes    []string // hints for a person that are no mistakes
}

// Err returns the mistakes, or nil if there are none.
func (c *Config) Err() error { return c.Mistakes.Err() }

// UserFile returns the path of the user's own file, or "" if the environment names no folder.
func UserFile(environ []string) string {
	env := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	switch {
	case filepath.IsAbs(env["XDG_CONFIG_HOME"]):
		return filepath.Join(env["XDG_CONFIG_HOME"], "mulligan", "mulligan.yaml")
	case filepath.IsAbs(env["HOME"]):
		return filepath.Join(env["HOME"], ".config", "mulligan", "mulligan.yaml")
	}
	return ""
}

// Load reads and merges the layers.
func (s *Schema) Load(from Sources) *Config {
	c := &Config{}
	var merged *node
	if from.User != "" {
		if _, err := os.Stat(from.User); !errors.Is(err, fs.ErrNotExist) {
			merged = s.loadFile(c, from.User, from.Dir, merged)
		}
	}
	if from.Project != "" {
		merged = s.loadFile(c, from.Project, from.Dir, merged)
	}
	settings, notes := s.readEnviron(from.Environ)
	c.Notes = append(c.Notes, notes...)
	for _, setting := range append(settings, from.Flags...) {
		merged = s.applySetting(c, setting, merged)
	}
	return s.finishConfig(c, merged)
}

// Decode reads one text as if it were a whole config.
func (s *Schema) Decode(name string, data []byte) *Config {
	c := &Config{}
	src := newSource(name, name, data)
	text, err := CheckText(data)
	if err != nil {
		c.Mistakes = Mistakes{{File: name, Message: err.Error()}}
		return s.finishConfig(c, nil)
	}
	return s.finishConfig(c, s.loadText(c, src, text, nil))
}

// DecodePart reads a text that stands inside a file, such as a task's front matter,
// whose first line is the file's line `first`.
func DecodePart(t *Type, path string, first int, data []byte) (Value, Mistakes) {
	src := newSource(path, path, data)
	src.first = first - 1
	r, mistakes := parse(src, data)
	if r == nil {
		return Value{}, mistakes
	}
	d := &decoder{mistakes: mistakes}
	n := d.decodeValue(r, t, "", nil)
	return Value{n: n, at: n.at}, d.mistakes.sortByPlace()
}

// loadFile merges a file over the layers below.
func (s *Schema) loadFile(c *Config, path, dir string, below *node) *node {
	name := shortenPath(path, dir)
	data, err := ReadFile(path)
	if err != nil {
		m := Mistake{File: name, Message: err.Error()}
		if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
			m.Hint = "mulligan init writes one"
		}
		c.Mistakes = append(c.Mistakes, m)
		return below
	}
	full, err := filepath.Abs(path)
	if err != nil {
		full = path
	}
	return s.loadText(c, newSource(name, full, data), data, below)
}

// shortenPath returns a path as a person in dir would write it.
func shortenPath(path, dir string) string {
	if dir == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// loadText merges the text of a file over the layers below.
func (s *Schema) loadText(c *Config, src *source, data []byte, below *node) *node {
	r, mistakes := parse(src, data)
	if r == nil && mistakes == nil {
		mistakes = Mistakes{place{src: src, line: 1, col: 1}.newMistake("", "the file is empty", "add the line: version: 1")}
	}
	c.Mistakes = append(c.Mistakes, mistakes...)
	if r == nil {
		return below
	}
	d := &decoder{}
	n := d.decodeValue(r, s.root, "", below)
	if r.shape == isMap && r.findEntry("version") == nil {
		d.addMistake(r.at, "version", "add the line: version: 1", "the key is missing")
	}
	c.Mistakes = append(c.Mistakes, d.mistakes...)
	return mergeNodes(below, n)
}

// applySetting merges one scalar over the layers below.
func (s *Schema) applySetting(c *Config, setting Setting, below *node) *node {
	t := s.root
	for _, key := range setting.Path {
		t = t.findField(key).Type
	}
	at := setting.place()
	r := newRawScalar(t, setting.Text, at)
	for i := len(setting.Path) - 1; i >= 0; i-- {
		r = &raw{shape: isMap, at: at, entries: []entry{{key: setting.Path[i], at: at, value: r}}}
	}
	d := &decoder{}
	n := d.decodeValue(r, s.root, "", below)
	c.Mistakes = append(c.Mistakes, d.mistakes...)
	return mergeNodes(below, n)
}

// finishConfig fills in the defaults, and reports what is missing in all layers.
func (s *Schema) finishConfig(c *Config, merged *node) *Config {
	if merged == nil || merged.fields == nil {
		merged = &node{typ: s.root, fields: map[string]*node{}}
	}
	d := &decoder{}
	d.fillDefaults(merged, true)
	c.Mistakes = append(c.Mistakes, d.mistakes...).sortByPlace()
	c.Value = Value{n: merged, at: merged.at}
	return c
}
