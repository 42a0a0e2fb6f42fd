package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Sources are the layers of a config, the strongest first.
type Sources struct {
	Flags   []Setting
	Environ []string // "NAME=value"; MULLIGAN_ ones count
	Retry   string   // path of the retry file, which has adaptive_retry alone; it need not exist
	Project string   // path of mulligan.yaml; "" where there is none
	User    string   // path of the user's own file; it need not exist
	Line    []byte   // a config that was made of the command line; it is stronger than the files
	Dir     string   // messages name files in it relative to it; "": as they are given

	// Texts are contents that stand for those of files, by their paths: what a file would come to.
	Texts map[string][]byte
}

// commandLine is what messages call Sources.Line.
const commandLine = "command line"

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
	l := &loader{root: s.root, texts: from.Texts}
	if from.User != "" {
		if _, err := os.Stat(from.User); !errors.Is(err, fs.ErrNotExist) {
			l.mergeFile(from.User, from.Dir)
		}
	}
	if from.Project != "" {
		l.mergeFile(from.Project, from.Dir)
	}
	if from.Line != nil {
		l.mergeText(newSource(commandLine, "", from.Line), from.Line)
	}
	wrongRetry := l.mergeRetryFile(from.Retry)
	settings, notes := s.readEnviron(from.Environ)
	for _, setting := range append(settings, from.Flags...) {
		l.mergeSetting(setting)
	}
	c := l.makeConfig()
	if c.Notes = notes; wrongRetry != nil {
		c.Notes = append(c.Notes, wrongRetry.Error())
	}
	return c
}

// Decode reads one text as if it were a whole config.
func (s *Schema) Decode(name string, data []byte) *Config {
	l := &loader{root: s.root}
	if text, err := CheckText(data); err != nil {
		l.mistakes = Mistakes{{File: name, Message: err.Error()}}
	} else {
		l.mergeText(newSource(name, name, data), text)
	}
	return l.makeConfig()
}

// DecodePart reads a text that stands inside a file, such as a task's front matter,
// whose first line is the file's line `first`. Messages call the file name.
func DecodePart(t *Type, path, name string, first int, data []byte) (Value, Mistakes) {
	src := newSource(name, path, data)
	src.first = first - 1
	r, mistakes := parse(src, data)
	if r == nil {
		return Value{}, mistakes
	}
	d := &decoder{mistakes: t.dropForeign(mistakes)}
	n := d.decodeValue(r, t, "", nil)
	return Value{n: n, at: n.at}, d.mistakes.sortByPlace()
}

// dropForeign returns the mistakes without those in values of an open object that are skipped: another
// program may read more of YAML than mulligan does.
func (t *Type) dropForeign(mistakes Mistakes) Mistakes {
	if !t.Open {
		return mistakes
	}
	return slices.DeleteFunc(mistakes, func(m Mistake) bool {
		key := m.Path[:len(m.Path)-len(strings.TrimLeftFunc(m.Path, func(r rune) bool { return r != '.' && r != '[' }))]
		return key != "" && t.findField(key) == nil && !t.isMisspelt(key)
	})
}

// A loader merges layers, the weakest first.
type loader struct {
	decoder
	root   *Type
	merged *node             // nil before the first layer
	texts  map[string][]byte // as Sources has it
}

// mergeFile merges a file over the layers below.
func (l *loader) mergeFile(path, dir string) {
	name := shortenPath(path, dir)
	data, err := l.readFile(path)
	if err != nil {
		m := Mistake{File: name, Message: err.Error()}
		if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
			m.Hint = "mulligan init writes one"
		}
		l.mistakes = append(l.mistakes, m)
		return
	}
	full, err := filepath.Abs(path)
	if err != nil {
		full = path
	}
	l.mergeText(newSource(name, full, data), data)
}

// readFile returns the content of a file, or the text that stands for it.
func (l *loader) readFile(path string) ([]byte, error) {
	if text, ok := l.texts[path]; ok {
		return CheckText(text)
	}
	return ReadFile(path)
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

// mergeText merges the text of a file over the layers below.
func (l *loader) mergeText(src *source, data []byte) {
	r, mistakes := parse(src, data)
	l.mistakes = append(l.mistakes, mistakes...)
	switch {
	case r != nil:
		l.mergeRaw(r)
		if r.shape == isMap && r.findEntry("version") == nil {
			l.addMistake(r.at, "version", "add the line: version: 1", "the key is missing")
		}
	case mistakes == nil:
		l.addMistake(place{src: src, line: 1, col: 1}, "", "add the line: version: 1", "the file is empty")
	}
}

// mergeSetting merges one scalar over the layers below.
func (l *loader) mergeSetting(setting Setting) {
	t := l.root
	for _, key := range setting.Path {
		t = t.findField(key).Type
	}
	at := setting.place()
	r := newRawScalar(t, setting.Text, at)
	for _, key := range slices.Backward(setting.Path) {
		r = &raw{shape: isMap, at: at, entries: []entry{{key: key, at: at, value: r}}}
	}
	l.mergeRaw(r)
}

func (l *loader) mergeRaw(r *raw) {
	l.merged = mergeNodes(l.merged, l.decodeValue(r, l.root, "", l.merged))
}

// makeConfig fills in the defaults, and reports what is missing in all layers.
func (l *loader) makeConfig() *Config {
	if l.merged == nil || l.merged.fields == nil {
		l.merged = &node{typ: l.root, fields: map[string]*node{}}
	}
	l.fillDefaults(l.merged, true)
	dropStepRetries(l.merged)
	return &Config{Value: Value{n: l.merged, at: l.merged.at}, Mistakes: l.mistakes.sortByPlace()}
}
