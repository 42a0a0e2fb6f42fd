package config

import (
	"fmt"
	"slices"
	"strings"
)

// A Setting is one value from outside a file.
type Setting struct {
	Name string   // "env MULLIGAN_AGENT", "flag --agent"
	Path []string // "limits", "turns"
	Text string
}

// FlagSetting returns the value of a flag: --name.
func FlagSetting(name, text string, path ...string) Setting {
	return Setting{Name: "flag --" + name, Path: path, Text: text}
}

// place returns the place of the setting, in a line as a person would write it.
func (s Setting) place() place {
	_, name, _ := strings.Cut(s.Name, " ")
	line, _, _ := strings.Cut(name+"="+s.Text, "\n")
	return place{src: &source{name: s.Name, lines: []string{line}}, line: 1, col: len(name) + 2}
}

const envPrefix = "MULLIGAN_"

// runtimeNames are variables that mulligan sets for its own children and processes; they are no
// settings. A name that ends in * is the beginning of names.
var runtimeNames = []string{
	"SESSION", "STEP", "ATTEMPT", "ITERATION", "TURN", "CONVERSATION", "TASK_*", "ERROR", "HOOK",
	"EVENT*", "STATE*", "READY*", "KEEPER*", "RUNTIME*", "TEST*", "TOKEN*", "DOOR*", "TRUST",
}

// A Variable is an environment variable that stands for a key.
type Variable struct {
	Name string
	Path []string
	Doc  string
}

// Variables returns all variables that stand for keys: the scalars whose path has no name or
// index of the user's choice in it.
func (s *Schema) Variables() []Variable { return s.root.variablesBelow(nil) }

func (t *Type) variablesBelow(path []string) []Variable {
	var list []Variable
	for _, f := range t.Fields {
		at := slices.Concat(path, []string{f.Name})
		switch f.Type.Kind {
		case Object:
			list = append(list, f.Type.variablesBelow(at)...)
		case List, Map, Union, OneOf:
		default:
			if !f.FileOnly {
				list = append(list, Variable{Name: envPrefix + strings.ToUpper(strings.Join(at, "_")), Path: at, Doc: f.Doc})
			}
		}
	}
	return list
}

// readEnviron returns the settings of the environment, and notes about variables that look like
// one and are not. It ignores variables that are empty.
func (s *Schema) readEnviron(environ []string) (settings []Setting, notes []string) {
	known := map[string][]string{}
	var names []string
	for _, v := range s.Variables() {
		known[v.Name] = v.Path
		names = append(names, v.Name)
	}
	for _, kv := range environ {
		name, text, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, envPrefix) || text == "" || isRuntimeName(strings.TrimPrefix(name, envPrefix)) {
			continue
		}
		if path, ok := known[name]; ok {
			settings = append(settings, Setting{Name: "env " + name, Path: path, Text: text})
			continue
		}
		note := fmt.Sprintf("the environment variable %s is not a setting, and is not used", name)
		if hint := didYouMean(name, names); hint != "" {
			note += "; " + hint
		}
		notes = append(notes, note)
	}
	return settings, notes
}

func isRuntimeName(name string) bool {
	return slices.ContainsFunc(runtimeNames, func(r string) bool {
		begin, ok := strings.CutSuffix(r, "*")
		return name == r || ok && strings.HasPrefix(name, begin)
	})
}
