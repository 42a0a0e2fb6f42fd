package plan

import (
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/gate/writerules"
	"mulligan/internal/shellword"
)

// resolveWriteRules returns what the agent may write in a step. A glob that names a folder by a link also holds
// for what the link leads to.
func (b *builder) resolveWriteRules(v config.Value) mulligan.WriteRules {
	allow, protect := v.Get("allow_write"), v.Get("protect")
	return mulligan.WriteRules{Limited: allow.Given(), AllowWrite: b.resolveGlobs(allow), Protect: b.resolveGlobs(protect)}
}

func (b *builder) resolveGlobs(v config.Value) []string {
	var globs []string
	for _, one := range v.List() {
		if !one.OK() {
			continue
		}
		glob := filepath.ToSlash(one.String())
		if wrong := writerules.Check(glob); wrong != "" {
			b.addMistake(one.Wrong("%q %s", glob, wrong))
			continue
		}
		b.refuseSecrets(one, glob)
		globs = append(globs, glob)
		if led := b.followLinks(glob); led != "" {
			globs = append(globs, led)
		}
	}
	return globs
}

// followLinks returns a glob whose part before the first wildcard has links in it with that part as the
// links lead, or "" if it has none or they lead out of the repository.
func (b *builder) followLinks(glob string) string {
	prefix := writerules.Prefix(glob)
	if prefix == "" {
		return ""
	}
	led := b.followPath(prefix)
	if led == "" {
		return ""
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(path.Clean(glob), prefix), "/")
	return path.Join(led, rest)
}

// followPath returns the path that a path of the repository leads to by links, or "" if it is the same, or
// lies outside of the repository.
func (b *builder) followPath(name string) string {
	root, err := filepath.EvalSymlinks(b.Root)
	if err != nil {
		return ""
	}
	full, err := filepath.EvalSymlinks(filepath.Join(b.Root, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(root, full)
	if err != nil || !filepath.IsLocal(rel) || filepath.ToSlash(rel) == name {
		return ""
	}
	return filepath.ToSlash(rel)
}

// checkGolden refuses a golden check in a step that protects nothing: it would run as any other.
func (b *builder) checkGolden(v config.Value, step mulligan.Step) {
	list := []config.Value{v}
	if v.IsList() {
		list = v.List()
	}
	for _, check := range list {
		if !check.IsMap() || !check.Get("golden").Bool() || len(step.WriteRules.Protect) > 0 {
			continue
		}
		if len(shellword.Scripts(check.Get("command").String(), b.Root)) == 0 {
			b.addMistake(check.Get("golden").Wrong("nothing is protected that the check could run with as it was").
				WithHint(`list it: file_access: {protect: ["test/**"]}`))
		}
	}
}

// recordPrompt remembers a file whose text the plan has.
func (b *builder) recordPrompt(file string) {
	b.recordFile(file)
	b.prompts = append(b.prompts, file)
}

// listProtected returns the files that no agent may change, sorted by path: the config, what it names, the
// task, and the scripts of checks and hooks.
func (b *builder) listProtected(p *mulligan.Plan) []mulligan.ProtectedFile {
	if b.Root == "" {
		return nil
	}
	found := map[string]mulligan.FileRole{}
	add := func(role mulligan.FileRole, files ...string) {
		for _, file := range files {
			b.protect(found, file, role)
		}
	}
	// What comes later wins.
	for _, command := range listCommands(p) {
		add(mulligan.RoleScript, shellword.Scripts(command, b.Root)...)
	}
	add(mulligan.RoleTask, p.Task.Path)
	add(mulligan.RolePrompt, b.prompts...)
	for _, h := range p.AgentHooks.Hooks {
		add(mulligan.RoleHooks, h.From)
	}
	add(mulligan.RoleConfig, b.ConfigFile, "mulligan.yaml")
	var all []mulligan.ProtectedFile
	for _, file := range slices.Sorted(maps.Keys(found)) {
		all = append(all, mulligan.ProtectedFile{Path: file, Role: found[file]})
	}
	return all
}

// protect adds a file to those that are protected, if it exists in the repository, and what it leads to if
// it is a link or a folder above it is one.
func (b *builder) protect(found map[string]mulligan.FileRole, file string, role mulligan.FileRole) {
	if file == "" {
		return
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(b.Root, filepath.FromSlash(file))
	}
	rel, err := filepath.Rel(b.Root, file)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return
	}
	if info, err := os.Stat(file); err != nil || info.IsDir() {
		return
	}
	rel = filepath.ToSlash(rel)
	found[rel] = role
	if led := b.followPath(rel); led != "" {
		found[led] = role
	}
}

// listCommands returns the commands that a plan will run: of its checks, its hooks and the setup.
func listCommands(p *mulligan.Plan) []string {
	var commands []string
	if p.HasSetupCommand() {
		commands = append(commands, p.Ready.Setup)
	}
	for _, step := range p.Steps {
		for _, check := range step.Checks {
			var options struct {
				Command string `json:"command"`
			}
			if json.Unmarshal(check.Options, &options) == nil {
				commands = append(commands, options.Command)
			}
		}
	}
	for _, hooks := range p.Hooks {
		for _, h := range hooks {
			commands = append(commands, h.Command)
		}
	}
	for _, h := range p.AgentHooks.Hooks {
		commands = append(commands, h.Command)
	}
	if p.Retry != nil {
		for _, spec := range p.Retry.Define {
			commands = append(commands, spec.Run)
		}
	}
	return commands
}
