package builtin

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/agent/claude"
	"mulligan/agent/codex"
	"mulligan/internal/confine"
	"mulligan/internal/process"
)

// programFolders are what the programs of agents keep of their own, by the name of the program's file. A
// folder has a / at its end.
var programFolders = map[string]func(env []string) []string{
	"claude":           claude.Folders,
	"claude-agent-acp": claude.Folders,
	"codex":            codex.Folders,
	"codex-acp":        codex.Folders,
	"gemini":           inHome(".gemini"),
	"opencode":         inXDG("opencode"),
	"qwen":             inHome(".qwen"),
	"copilot":          inHome(".copilot"),
	"cursor-agent":     inHome(".cursor"),
	"aider":            inHome(".aider"),
	"goose":            inXDG("goose"),
	"crush":            inXDG("crush"),
	"amp":              inXDG("amp"),
}

// inHome returns the folders of a program that keeps one in the home.
func inHome(name string) func([]string) []string {
	return func([]string) []string { return []string{"~/" + name + "/"} }
}

// inXDG returns the folders of a program that keeps to the places for data, state and settings.
func inXDG(name string) func([]string) []string {
	return func(env []string) []string {
		var list []string
		for _, place := range []struct{ variable, usual string }{
			{"XDG_DATA_HOME", "~/.local/share"}, {"XDG_STATE_HOME", "~/.local/state"}, {"XDG_CONFIG_HOME", "~/.config"},
		} {
			dir, _ := process.Lookup(env, place.variable)
			if !filepath.IsAbs(dir) {
				dir = place.usual
			}
			list = append(list, dir+"/"+name+"/")
		}
		return list
	}
}

// An Outfit is what the agents of a session have of their own: a folder for temporary files, and caches.
type Outfit struct {
	Vars     []string // by which programs find them, as NAME=value pairs
	Caches   string   // the folder of the caches; "" for none
	Keep     []string // what they never may write: see confine.Request
	Checkout string   // the person's
}

// dress returns what a spec's program gets of an environment and an outfit. What the person gives it by name stays theirs.
func (o Outfit) dress(spec mulligan.AgentSpec, environ []string) (mulligan.AgentSpec, []string) {
	vars := confine.WithoutNamed(o.Vars, spec.Env)
	spec.Env = slices.Clone(spec.Env)
	for _, kv := range vars {
		name, _, _ := strings.Cut(kv, "=")
		spec.Env = append(spec.Env, name)
	}
	return spec, process.Set(environ, vars...)
}

// Writes returns the request for what an agent may write in a turn whose folder is dir, where it is
// confined. environ is what mulligan was started with.
func Writes(spec mulligan.AgentSpec, dir string, environ []string, o Outfit) confine.Request {
	spec, environ = o.dress(spec, environ)
	env, _ := Env(spec, environ)
	r := confine.Request{Dir: dir, Caches: o.Caches, Keep: o.Keep, Checkout: o.Checkout, Writable: spec.Writable, Environ: env, Root: os.Geteuid() == 0}
	if argv := Exec(spec); len(argv) > 0 {
		if folders := programFolders[filepath.Base(argv[0])]; folders != nil {
			r.Own = folders(env)
		} else if folders := programFolders[spec.Type]; folders != nil {
			r.Own = folders(env) // the program has another name
		}
	}
	return r
}

// Confinement tells how the agents of a session are confined.
type Confinement struct {
	Bwrap string // the path of bubblewrap, if it is installed
	// Hide is the state folder, and Show what an agent may read in it; for bubblewrap.
	Hide, Show []string
}

// confineAgent returns a function that tells what the program of a turn in a folder may write; nil if
// nothing confines the agent.
func (c *Confinement) confineAgent(spec mulligan.AgentSpec, environ []string, o Outfit) func(dir string) *process.Confinement {
	if c == nil || spec.Confined == "" {
		return nil
	}
	return func(dir string) *process.Confinement {
		made := Writes(spec, dir, environ, o).Confinement(spec.Confined)
		if spec.Confined == process.Bwrap {
			made.Program, made.Hide, made.Show = c.Bwrap, c.Hide, c.Show
		}
		return made
	}
}
