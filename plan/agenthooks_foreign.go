package plan

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"mulligan"
	"mulligan/config"
	"mulligan/hook/claudecode"
	"mulligan/internal/shellword"
)

// The files of other programs, relative to the repository's root.
const (
	claudeFile      = ".claude/settings.json"
	claudeLocalFile = ".claude/settings.local.json"
	codemieFile     = ".codemie/codemie-cli.config.json"
)

// addForeignHooks adds the hooks of other programs' files. They are read tolerantly: what is not known
// in them is a note. What makes hooks go missing is a mistake.
func (b *builder) addForeignHooks(a *mulligan.AgentHooks) {
	from := b.Config.Get("agent_hooks_from")
	names := []config.Value{from}
	if from.IsList() {
		names = from.List()
	}
	failOpen := map[string]bool{} // of the programs read so far
	for _, v := range names {
		if !v.OK() {
			continue
		}
		name, allows := v, false
		if v.IsMap() {
			name, allows = v.Get("from"), v.Get("on_failure").String() == "allow"
		}
		if before, read := failOpen[name.String()]; read || !name.OK() {
			if read && before != allows {
				b.addMistake(v.Wrong("%s is named twice, with and without on_failure: allow", name.String()).WithHint("name it once"))
			}
			continue
		}
		failOpen[name.String()] = allows
		var hooks []mulligan.AgentHook
		switch name.String() {
		case "claude":
			hooks = b.readClaudeHooks(v)
		case "codemie":
			hooks = b.readCodemieHooks(v, a)
		}
		for _, h := range hooks {
			h.FailOpen = allows
			a.Hooks = append(a.Hooks, b.checkForeignHook(v, settleHook(h)))
		}
	}
}

// readClaudeHooks returns the hooks of the project's settings and of the person's own for the project,
// which may turn off all.
func (b *builder) readClaudeHooks(v config.Value) []mulligan.AgentHook {
	shared, found := b.readForeignFile(v, claudeFile)
	local, foundLocal := b.readForeignFile(v, claudeLocalFile)
	if !found && !foundLocal {
		b.addNote("there is no %s: no hooks are read from it", claudeFile)
	}
	if claudecode.DisablesAll(local) {
		b.addNote("%s: disableAllHooks is true: no hooks of Claude Code's files are run", claudeLocalFile)
		return nil
	}
	return append(b.readSettings(v, claudeFile, shared), b.readSettings(v, claudeLocalFile, local)...)
}

func (b *builder) readSettings(v config.Value, path string, data []byte) []mulligan.AgentHook {
	if data == nil {
		return nil
	}
	hooks, notes, err := claudecode.ReadSettings(path, data)
	b.addReadingNotes(v, notes, err)
	return hooks
}

// readCodemieHooks returns the hooks of codemie's file. Its limit counts if the config has none.
func (b *builder) readCodemieHooks(v config.Value, a *mulligan.AgentHooks) []mulligan.AgentHook {
	data, found := b.readForeignFile(v, codemieFile)
	switch {
	case !found:
		b.addNote("there is no %s: no hooks are read from it", codemieFile)
		return nil
	case data == nil:
		return nil
	}
	hooks, most, notes, err := claudecode.ReadCodemie(codemieFile, data)
	b.addReadingNotes(v, notes, err)
	if most != nil && !b.Config.Get("max_hook_retries").Given() {
		a.MaxRetries = *most
	}
	return hooks
}

// addReadingNotes adds what the reading of another program's file brought up.
func (b *builder) addReadingNotes(v config.Value, notes []string, err error) {
	for _, n := range notes {
		b.addNote("%s", n)
	}
	var mistakes config.Mistakes
	switch {
	case errors.As(err, &mistakes):
		for _, m := range mistakes {
			m.Message, m.Source = b.removeSecrets(m.Message), b.removeSecrets(m.Source)
			b.addMistake(m)
		}
	case err != nil:
		b.addMistake(v.Wrong("%v", err))
	}
}

// readForeignFile returns a file's content, and reports whether there is such a file. One that cannot be
// read is a mistake, and nil: its hooks would be missing unnoticed.
func (b *builder) readForeignFile(v config.Value, name string) (data []byte, found bool) {
	path := filepath.Join(b.Root, filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	data, err := config.ReadFile(path)
	if err != nil {
		b.addMistake(v.Wrong("the file %s %v", name, err))
		return nil, true
	}
	return data, true
}

// checkForeignHook checks a hook of another program's file as the config's own are checked. What is wrong
// with it is only noted for the person: the hook fails when it runs. One whose program cannot be found
// is left out.
func (b *builder) checkForeignHook(v config.Value, h mulligan.AgentHook) mulligan.AgentHook {
	if h.Unhandled != "" {
		return b.concealHook(h)
	}
	b.refuseForeignSecrets(v, h)
	h.Name = b.removeSecrets(h.Name)
	if h.Type == claudecode.TypePrompt && h.Agent == "" {
		if h.Agent = b.Config.Get("agent").String(); h.Agent == "" {
			h.Unhandled = "no agent is named to answer it"
			b.addNote("%s hook %q of %s is not run: %s", h.Event, h.Name, h.From, h.Unhandled)
		}
	}
	if err := shellword.Check(h.Command); err != nil {
		b.addNote("%s hook %q of %s: the shell cannot read the command: %v", h.Event, h.Name, h.From, err)
	}
	if h.Type == claudecode.TypeHTTP && !isAddress(h.URL) {
		b.addNote("%s hook %q of %s has no address that a request can be sent to", h.Event, h.Name, h.From)
	}
	if why := b.explainUnfound(h); why != "" && h.Unhandled == "" {
		h.Unhandled = "it is left out: " + why
		b.addNote("%s hook %q of %s is left out: %s", h.Event, h.Name, h.From, why)
	}
	return h
}

// explainUnfound returns why the program of a hook cannot be found, or "" if it can or nobody is to look
// for it.
func (b *builder) explainUnfound(h mulligan.AgentHook) string {
	if h.Type != claudecode.TypeCommand || b.Environ == nil {
		return ""
	}
	if shellword.IsBlank(h.Command) {
		return "its command has only comments"
	}
	word, err := findProgram(h.Command, b.Root, b.Environ)
	if err == nil {
		return ""
	}
	return b.removeSecrets(word + " " + err.Error())
}

// refuseForeignSecrets refuses a secret in what is run, as refuseSecrets does.
func (b *builder) refuseForeignSecrets(v config.Value, h mulligan.AgentHook) {
	said := []string{h.Matcher, h.Command, h.URL}
	for name, value := range h.Headers {
		said = append(said, name+": "+value)
	}
	_, names := b.Secrets(strings.Join(said, "\n"))
	if hasUser(h.URL) {
		names = append(names, "the address's user")
	}
	if len(names) > 0 {
		b.addMistake(v.Wrong("a %s hook of %s holds a secret (%s), and a plan is stored", h.Event, h.From, strings.Join(names, ", ")).
			WithHint("put it into an environment variable, and write $NAME in its place"))
	}
}

// concealHook returns a hook that is not run, without its secrets.
func (b *builder) concealHook(h mulligan.AgentHook) mulligan.AgentHook {
	h.Headers = maps.Clone(h.Headers)
	for name, value := range h.Headers {
		h.Headers[name] = b.removeSecrets(value)
	}
	h.URL = stripUser(h.URL)
	for _, text := range []*string{&h.Matcher, &h.Name, &h.Command, &h.URL, &h.Prompt} {
		*text = b.removeSecrets(*text)
	}
	return h
}
