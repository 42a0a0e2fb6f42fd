package plan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// foreignHooks adds the hooks of other programs' files. They are read tolerantly: what is not
// known in them is a note.
func (b *builder) foreignHooks(a *mulligan.AgentHooks) {
	from := b.Config.Get("agent_hooks_from")
	names := []config.Value{from}
	if from.IsList() {
		names = from.List()
	}
	var read []string
	for _, v := range names {
		if !v.OK() || slices.Contains(read, v.String()) {
			continue
		}
		read = append(read, v.String())
		var hooks []mulligan.AgentHook
		switch v.String() {
		case "claude":
			hooks = b.claudeHooks(v)
		case "codemie":
			hooks = b.codemieHooks(v, a)
		}
		for _, h := range hooks {
			a.Hooks = append(a.Hooks, b.foreignHook(v, settled(h)))
		}
	}
}

// claudeHooks are those of the project's settings and of the person's own for the project, which
// may turn off all.
func (b *builder) claudeHooks(v config.Value) []mulligan.AgentHook {
	shared, found := b.foreignFile(v, claudeFile)
	local, foundLocal := b.foreignFile(v, claudeLocalFile)
	if !found && !foundLocal {
		b.note("there is no %s: no hooks are read from it", claudeFile)
	}
	if claudecode.DisablesAll(local) {
		b.note("%s: disableAllHooks is true: no hooks of Claude Code's files are run", claudeLocalFile)
		return nil
	}
	return append(b.settings(v, claudeFile, shared), b.settings(v, claudeLocalFile, local)...)
}

func (b *builder) settings(v config.Value, path string, data []byte) []mulligan.AgentHook {
	hooks, notes, err := claudecode.ReadSettings(path, data)
	b.heard(v, notes, err)
	return hooks
}

// codemieHooks are those of codemie's file, whose limit counts where nobody gave ours.
func (b *builder) codemieHooks(v config.Value, a *mulligan.AgentHooks) []mulligan.AgentHook {
	data, found := b.foreignFile(v, codemieFile)
	if !found {
		b.note("there is no %s: no hooks are read from it", codemieFile)
	}
	hooks, most, notes, err := claudecode.ReadCodemie(codemieFile, data)
	b.heard(v, notes, err)
	if most != nil && !b.Config.Get("max_hook_retries").Given() {
		a.MaxRetries = *most
	}
	return hooks
}

func (b *builder) heard(v config.Value, notes []string, err error) {
	for _, n := range notes {
		b.note("%s", n)
	}
	if err != nil {
		b.wrong(v.Wrong("%v", err))
	}
}

// foreignFile gives a file's content. One that is there and cannot be read is a mistake: its
// hooks would be missing, and nobody would know.
func (b *builder) foreignFile(v config.Value, name string) (data []byte, found bool) {
	path := filepath.Join(b.Root, filepath.FromSlash(name))
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	data, err := config.ReadFile(path)
	if err != nil {
		b.wrong(v.Wrong("the file %s %v", name, err))
	}
	return data, true
}

// foreignHook looks at a hook of another program's file as the config's own are looked at. What
// is wrong with it is found when it runs; here the person is told.
func (b *builder) foreignHook(v config.Value, h mulligan.AgentHook) mulligan.AgentHook {
	if h.Unhandled != "" {
		return b.concealed(h)
	}
	b.refuseForeignSecrets(v, h)
	h.Name = b.shown(h.Name)
	if h.Type == claudecode.TypePrompt && h.Agent == "" {
		if h.Agent = b.Config.Get("agent").String(); h.Agent == "" {
			h.Unhandled = "no agent is named to answer it"
			b.note("%s hook %q of %s is not run: %s", h.Event, h.Name, h.From, h.Unhandled)
		}
	}
	if err := shellword.Check(h.Command); err != nil {
		b.note("%s hook %q of %s: the shell cannot read the command: %v", h.Event, h.Name, h.From, err)
	}
	if h.Type == claudecode.TypeHTTP && !isAddress(h.URL) {
		b.note("%s hook %q of %s has no address that a request can be sent to", h.Event, h.Name, h.From)
	}
	return h
}

// refuseForeignSecrets refuses a secret in what is run, as refuseSecrets does.
func (b *builder) refuseForeignSecrets(v config.Value, h mulligan.AgentHook) {
	said := []string{h.Matcher, h.Command, h.URL}
	for name, value := range h.Headers {
		said = append(said, name+": "+value)
	}
	var names []string
	if b.Secrets != nil {
		_, names = b.Secrets(strings.Join(said, "\n"))
	}
	if hasUser(h.URL) {
		names = append(names, "the address's user")
	}
	if len(names) > 0 {
		m := v.Wrong("a %s hook of %s holds a secret (%s), and a plan is stored", h.Event, h.From, strings.Join(names, ", "))
		m.Hint = "put it into an environment variable, and write $NAME in its place"
		b.wrong(m)
	}
}

// concealed is a hook that is not run, without its secrets.
func (b *builder) concealed(h mulligan.AgentHook) mulligan.AgentHook {
	headers := map[string]string{}
	for name, value := range h.Headers {
		headers[name] = b.shown(value)
	}
	if h.Headers = headers; len(headers) == 0 {
		h.Headers = nil
	}
	h.URL = withoutUser(h.URL)
	for _, text := range []*string{&h.Matcher, &h.Name, &h.Command, &h.URL, &h.Prompt} {
		*text = b.shown(*text)
	}
	return h
}
