package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/builtin"
	"mulligan/internal/lockfile"
	"mulligan/internal/text"
	"mulligan/journal/jetstream"
	"mulligan/plan"
	"mulligan/state"
	"mulligan/view"
	"mulligan/workspace"
)

// completionTime is how long a completion may take: the person waits with the key still pressed.
const completionTime = time.Second

// A completer returns the names that an argument may have. args are those before it. Each reads only what is
// there: it starts no host of the journal and makes no folder, and returns nothing where it cannot tell.
type completer func(ctx context.Context, cmd *cobra.Command, args []string) []string

// addCompletions teaches the commands below root what their arguments and flags are completed with.
func (a *App) addCompletions(root *cobra.Command) {
	arguments := map[string][]completer{
		"answer": {a.completeQuestion}, "attach": {a.completeSession}, "check": {a.completeStep}, "diff": {a.completeSession},
		"explain": {a.completeSession, a.completeStep}, "export": {a.completeSession}, "journal check": {a.completeSession}, "log": {a.completeSession},
		"pause": {a.completeSession}, "report": {a.completeSession}, "take": {a.completeKept, a.completeKept}, "path": {a.completeSession}, "verify": {a.completeSession}, "resume": {a.completeSession}, "status": {a.completeSession},
		"stop": {a.completeSession}, "tell": {a.completeSession}, "guard release": {a.completeTask}, "guard approve": {a.completeTask},
		"retry-config set": {a.completeRetryKey, a.completeRetryValue},
	}
	flags := map[string]completer{
		"agent": a.completeAgent, "from": a.completeStep, "pause-after": a.completeStep, "pipeline": a.completePipeline, "session": a.completeSession, "step": a.completeStep,
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		if list := arguments[path]; list != nil {
			cmd.ValidArgsFunction = completeArgument(list)
		} else if strings.HasPrefix(path, "task ") && strings.HasSuffix(cmd.Use, " ID") {
			cmd.ValidArgsFunction = completeArgument([]completer{a.completeTask})
		}
		for name, complete := range flags {
			if cmd.Flag(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, completeFlag(complete)) // it fails only for a flag that is not there
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

// completeArgument completes the arguments of a command, each by the completer of its place.
func completeArgument(list []completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(list) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeFlag(list[len(args)])(cmd, args, begun)
	}
}

// completeFlag completes the value of a flag, or one argument.
func completeFlag(complete completer) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		names := complete(ctx, cmd, args)
		return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) }), cobra.ShellCompDirectiveNoFileComp
	}
}

// listKeptNames returns what this repository's sessions keep, the newest session first. Every session that has begun a
// turn keeps something.
func (a *App) listKeptNames(ctx context.Context) []workspace.Kept {
	root, err := a.Root()
	if err != nil {
		return nil
	}
	store, err := a.OpenStore(root)
	if err != nil {
		return nil
	}
	list, _ := store.List(ctx, "")
	slices.Reverse(list) // ids begin with their time
	return list
}

// completeSession returns this repository's sessions, the newest first.
func (a *App) completeSession(ctx context.Context, _ *cobra.Command, _ []string) []string {
	var ids []string
	for _, k := range a.listKeptNames(ctx) {
		if id, _, ok := strings.Cut(k.Label, "/"); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// completeKept returns what the session that args name keeps, else the newest one, and the sessions too.
func (a *App) completeKept(ctx context.Context, cmd *cobra.Command, args []string) []string {
	ids := a.completeSession(ctx, cmd, args)
	if len(ids) == 0 {
		return nil
	}
	session, names := ids[0], []string{}
	if len(args) > 0 {
		session = args[0]
	}
	for _, k := range a.listKeptNames(ctx) {
		if id, name, _ := strings.Cut(k.Label, "/"); id == session || strings.HasSuffix(id, "-"+session) {
			names = append(names, name)
		}
	}
	slices.Reverse(names)
	if len(args) > 0 {
		return names
	}
	return append(names, ids...)
}

// loadCompletionConfig returns the config in force, with all that is right in it, or nil if there is none.
func (a *App) loadCompletionConfig(cmd *cobra.Command) *config.Config {
	root, err := a.Root()
	if err != nil {
		return nil
	}
	var opt runOptions
	if f := cmd.Flag("config"); f != nil {
		opt.Config = f.Value.String()
	}
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil {
		return nil
	}
	return c
}

func (a *App) completePipeline(_ context.Context, cmd *cobra.Command, _ []string) []string {
	if c := a.loadCompletionConfig(cmd); c != nil {
		return c.Get("pipelines").Keys()
	}
	return nil
}

// completeStep returns the steps of the pipeline that the flags name, else of all.
func (a *App) completeStep(_ context.Context, cmd *cobra.Command, _ []string) []string {
	c := a.loadCompletionConfig(cmd)
	if c == nil {
		return nil
	}
	pipelines := c.Get("pipelines").Keys()
	if f := cmd.Flag("pipeline"); f != nil && f.Changed {
		pipelines = []string{f.Value.String()}
	}
	var names []string
	for _, pipeline := range pipelines {
		for _, step := range c.Get("pipelines").Get(pipeline).List() {
			if name := step.Get("name").String(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// completeAgent returns the agents of the config, and those that need no entry in it.
func (a *App) completeAgent(_ context.Context, cmd *cobra.Command, _ []string) []string {
	var names []string
	if c := a.loadCompletionConfig(cmd); c != nil {
		names = c.Get("agents").Keys()
	}
	for _, named := range builtin.Catalog().Named {
		if !slices.Contains(names, named.Name) && named.Type != "" {
			names = append(names, named.Name)
		}
	}
	return names
}

// completeRetryKey returns the keys that `retry-config set` can set.
func (a *App) completeRetryKey(ctx context.Context, cmd *cobra.Command, args []string) []string {
	return builtin.Schema().RetryKeys(a.completeStep(ctx, cmd, args))
}

// completeRetryValue returns the strategies, for a key that takes them.
func (a *App) completeRetryValue(_ context.Context, cmd *cobra.Command, args []string) []string {
	if !strings.Contains(args[0], "strateg") {
		return nil
	}
	names := plan.BuiltinStrategies()
	if c := a.loadCompletionConfig(cmd); c != nil {
		names = append(names, c.Get("adaptive_retry", "define").Keys()...)
	}
	return names
}

// readRunningState returns the state of the session that the flags name, else of the newest that is not over.
// It is nil unless another process hosts the journal: to read one without a host is to be it.
func (a *App) readRunningState(ctx context.Context, cmd *cobra.Command) *state.State {
	folders, err := a.Folders()
	if err != nil {
		return nil
	}
	if _, held := lockfile.Holder(filepath.Join(folders.State, "host.lock")); !held {
		return nil
	}
	session := ""
	if f := cmd.Flag("session"); f != nil {
		session = f.Value.String()
	}
	store, s, err := a.client().Open(ctx, session, func(s mulligan.Summary) bool { return s.Ended == "" })
	if err != nil {
		return nil
	}
	defer store.Close()
	return foldSession(ctx, store, s.ID)
}

// foldSession returns the state that a session's events come to, or nil if they cannot be read.
func foldSession(ctx context.Context, store *jetstream.Store, id string) *state.State {
	state := &state.State{}
	for e, err := range store.Read(ctx, id, 1) {
		if err != nil || state.Apply(e) != nil {
			return nil
		}
	}
	return state
}

// completeQuestion returns the numbers of the questions that wait for an answer, each with its text.
func (a *App) completeQuestion(ctx context.Context, cmd *cobra.Command, _ []string) []string {
	state := a.readRunningState(ctx, cmd)
	if state == nil {
		return nil
	}
	var list []string
	for _, q := range state.OpenQuestions() {
		list = append(list, describeChoice(q.ID, q.Text))
	}
	return list
}

// completeTask returns the ids of the tasks that are open, each with its text.
func (a *App) completeTask(ctx context.Context, cmd *cobra.Command, _ []string) []string {
	state := a.readRunningState(ctx, cmd)
	if state == nil {
		return nil
	}
	var list []string
	for _, t := range state.Board.Tasks {
		if t.Status.Open() {
			list = append(list, describeChoice(t.ID, t.Content))
		}
	}
	return list
}

// describeChoice returns a number with what it stands for, as shells show it.
func describeChoice(id int, words string) string {
	return cobra.CompletionWithDesc(strconv.Itoa(id), text.Clip(view.Line(words), 60))
}
