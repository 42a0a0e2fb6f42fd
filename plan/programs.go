package plan

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/hook/claudecode"
	"mulligan/internal/process"
	"mulligan/internal/shellword"
)

// A NotReadyError lists the commands of a plan whose programs cannot be found: nothing that they are to
// examine would be verified.
type NotReadyError struct {
	Missing config.Mistakes
}

func (e *NotReadyError) Error() string { return e.Missing.Error() }

// CheckPrograms returns a *NotReadyError if a plan must not begin, because a program of its checks and
// hooks cannot be found and nothing in the session could make it. root is the folder that they will run
// in, and environ what they will have.
func CheckPrograms(c *config.Config, root string, environ []string, plans ...*mulligan.Plan) error {
	var missing config.Mistakes
	for _, p := range plans {
		f := programFinder{plan: p, root: root, environ: environ}
		f.findAll(c)
		missing = append(missing, f.missing...)
	}
	if len(missing) == 0 {
		return nil
	}
	return &NotReadyError{Missing: missing}
}

// noteMissingPrograms adds notes on the programs that cannot be found yet, and that something in the
// session may make.
func (b *builder) noteMissingPrograms(p *mulligan.Plan) {
	if b.Environ == nil {
		return
	}
	f := programFinder{plan: p, root: b.Root, environ: b.Environ}
	f.findAll(b.Config)
	for _, note := range f.notes {
		p.Notes = appendOnce(p.Notes, b.removeSecrets(note))
	}
}

// A programFinder looks for the programs of a plan's own commands, as its config has them.
type programFinder struct {
	plan    *mulligan.Plan
	root    string
	environ []string
	missing config.Mistakes // those that keep the plan from beginning
	notes   []string        // on those that may be there when they are to run
}

// A plannedCommand is a command that a plan will run.
type plannedCommand struct {
	value  config.Value // where it stands
	script string       // as the shell gets it
	what   string       // for people: check "make test" of step implement
	dir    string
	env    map[string]string
	// first is true of the first check of a plan: nobody could make its program before it runs, but an
	// agent that is to be checked by it.
	first    bool
	failOpen bool // it may fail to run
}

func (f *programFinder) findAll(c *config.Config) {
	if f.plan.Loop != nil {
		f.findChecks(c.Get("loop", "check"), "of the loop", true)
		f.findChecks(c.Get("loop", "final_check"), "of the loop", false)
	} else {
		for i, step := range c.Get("pipelines").Get(f.plan.Pipeline).List() {
			f.findChecks(step.Get("check"), "of step "+step.Get("name").String(), i == 0)
		}
	}
	for _, moment := range mulligan.Moments() {
		for i, v := range c.Get("hooks", string(moment)).List() {
			if i >= len(f.plan.Hooks[moment]) {
				break // the config is not the plan's: a person edits it
			}
			h := f.plan.Hooks[moment][i]
			f.find(plannedCommand{value: v.Get("command"), script: h.Script, what: fmt.Sprintf("%s hook %q", moment, h.Name), dir: h.Dir, env: h.Env})
		}
	}
	f.findAgentHooks(c.Get("agent_hooks"))
	f.findWholeLines(c.Get("agents"))
	define := c.Get("adaptive_retry", "define")
	for _, name := range define.Keys() {
		if run := define.Get(name).Get("run"); run.OK() {
			f.find(plannedCommand{value: run, script: run.String(), what: fmt.Sprintf("the command of strategy %q", name)})
		}
	}
}

// findChecks looks for the programs of a list of checks. first is true of the list that runs first.
func (f *programFinder) findChecks(v config.Value, where string, first bool) {
	list := []config.Value{v}
	if v.IsList() {
		list = v.List()
	}
	for i, check := range list {
		command := check
		if check.IsMap() {
			command = check.Get("command") // only a shell's check has one
		}
		if command.OK() {
			name := shortenName(command.String())
			f.find(plannedCommand{value: command, script: command.String(), what: fmt.Sprintf("check %q %s", name, where), first: first && i == 0})
		}
	}
}

// findWholeLines notes the agents whose program is named by several words in one item of exec, if there is
// no such file: it was meant as a command line.
func (f *programFinder) findWholeLines(agents config.Value) {
	for _, name := range agents.Keys() {
		argv := agents.Get(name).Get("exec").Strings()
		if len(argv) == 0 || len(strings.Fields(argv[0])) < 2 {
			continue
		}
		if _, err := process.Find(argv[0], f.root, f.environ); err != nil {
			f.notes = append(f.notes, fmt.Sprintf("agent %s cannot be run: there is no program whose name is %q; the words of exec: are items of a list each: %s",
				name, argv[0], shellword.ListWords(argv[0])))
		}
	}
}

// findAgentHooks looks for the programs of the config's own hooks at moments of the agent. They come
// first in the plan, in the config's order.
func (f *programFinder) findAgentHooks(all config.Value) {
	hooks := f.plan.AgentHooks.Hooks
	for _, event := range all.Keys() {
		for _, group := range all.Get(event).List() {
			for _, v := range group.Get("hooks").List() {
				if len(hooks) == 0 {
					return // the config is not the plan's: a person edits it
				}
				h := hooks[0]
				hooks = hooks[1:]
				if h.Type == claudecode.TypeCommand && h.Unhandled == "" {
					f.find(plannedCommand{value: v.Get("command"), script: h.Command, what: fmt.Sprintf("%s hook %q of %s", h.Event, h.Name, h.From), failOpen: h.FailOpen})
				}
			}
		}
	}
}

// find looks for the program of one command. One that is not on PATH keeps the plan from beginning. A
// file that is missing may be made before the command runs, so it does so only for the first check.
func (f *programFinder) find(c plannedCommand) {
	dir := filepath.Join(f.root, c.dir)
	if filepath.IsAbs(c.dir) {
		dir = c.dir
	}
	environ := f.environ
	for _, name := range slices.Sorted(maps.Keys(c.env)) {
		environ = process.Set(environ, name+"="+c.env[name])
	}
	word, err := findProgram(c.script, dir, environ)
	if err == nil {
		return
	}
	bare := errors.Is(err, shellword.ErrNotOnPath)
	switch {
	case bare && !c.failOpen:
		f.missing = append(f.missing, c.value.Wrong("%s %v", word, err).WithHint("install it, or correct the command"))
	case !bare && c.first && !f.mayMakeFiles():
		f.missing = append(f.missing, c.value.Wrong("%s %v", word, err).
			WithHint("it would fail every attempt: correct it; if the agent is to make it, write: test -e FILE && COMMAND"))
	default:
		f.notes = append(f.notes, fmt.Sprintf("%s cannot be run: %s %v", c.what, word, err))
	}
}

// mayMakeFiles reports whether a command of the user's runs before the first check, and may make its
// program.
func (f *programFinder) mayMakeFiles() bool {
	p := f.plan
	return len(p.Hooks[mulligan.SessionStart]) > 0 || len(p.Hooks[mulligan.PreIteration]) > 0 || p.HasSetupCommand()
}

// findProgram returns the program or the script of a command that is to be run in dir, and why it cannot
// be run, or nil if it can or only a shell could tell.
func findProgram(command, dir string, environ []string) (word string, err error) {
	word, err = shellword.Find(command, dir, environ, map[string]string{"CLAUDE_PROJECT_DIR": dir})
	if filepath.IsAbs(word) {
		word = relativeTo(dir, word)
	}
	return word, err
}
