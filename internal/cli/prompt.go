package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/feedback"
	"mulligan/internal/usererror"
	"mulligan/journal"
	"mulligan/state"
	"mulligan/view"
)

// promptFields is the part of the help that lists what a template has.
const promptFields = `The template is Go's text/template. It is given:
  .Session .Name .Spec .Path     the session's id and name, the spec and its file
  .Iteration .Limit              this iteration's number, the last there may be (0: no limit)
  .Counts                        .All .Open .Remaining .InProgress .Completed .Blocked .Cancelled
  .Next                          the task to take: .ID .Content .Cut .Status .Priority .Waits .Reason .Iteration
  .Open .Blocked                 the other open tasks, and those that are blocked or wait for others
  .Notes                         by type: .Type .Title .More, and .Notes with .ID .Text .Iteration
  .Summaries                     of earlier iterations: .Iteration .Text
  .Changed                       "A path", "M path", "D path", since the iteration before began
  .Checks .FinalChecks           names of the checks
  .Passed .Feedback .Refused     whether the last iteration passed them, what they said where not,
                                 and whether they refused a claim of completion
  .Told .Answers                 what people said; .Question .Answer .Assumed .By
  .OpenMore .BlockedMore .SummariesMore .ChangedMore .ToldMore .AnswersMore
                                 how many were left out of each list
and may call: indent N TEXT, limit N TEXT, join SEPARATOR LIST, code TEXT, fence TEXT.`

// promptOptions are the flags and the argument of `prompt`.
type promptOptions struct {
	runOptions
	Print   bool
	Session string
}

func newPrompt(a *App) *cobra.Command {
	var opt promptOptions
	cmd := &cobra.Command{
		Use:   "prompt [SPEC.md]",
		Short: "Print the prompt of a loop's iteration, or the template that it is made of",
		Long: `Prompt prints what the agent would be given: by the first iteration of a loop on SPEC.md, or,
with --session, by the next iteration of a session as it stands. It runs nothing.

With --print it prints the built-in template. To have prompts of your own, put it in a file,
change it, and name the file in mulligan.yaml:

  mulligan prompt --print > prompts/iteration.md
  loop:
    prompt_file: prompts/iteration.md

` + promptFields,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Path = firstArg(args)
			return a.printPrompt(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opt.Print, "print", false, "print the built-in template")
	f.StringVar(&opt.Session, "session", "", "the session whose next prompt is meant; - is this repository's newest")
	f.StringVarP(&opt.Config, "config", "c", "", "the config file (default mulligan.yaml in the repository's root)")
	f.StringVar(&opt.Name, "name", "", "the session's name, as of loop (default: the spec's file name)")
	cmd.MarkFlagsMutuallyExclusive("print", "session")
	return cmd
}

// printPrompt prints the prompt or the template that the options choose.
func (a *App) printPrompt(ctx context.Context, opt promptOptions) error {
	given := 0
	for _, is := range []bool{opt.Print, opt.Session != "", opt.Path != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		return usererror.Usage("which prompt is not clear", "give a spec, or --session, or --print for the template: one of them")
	}
	var text string
	var err error
	switch {
	case opt.Print:
		_, err := fmt.Fprint(a.Stdout, feedback.LoopTemplate())
		return err
	case opt.Path != "":
		text, err = a.makeFirstPrompt(opt.runOptions)
	default:
		text, err = a.makeNextPrompt(ctx, opt.Session)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, view.Document(text))
	return err
}

// makeFirstPrompt returns the prompt that a loop would begin with. Hooks are not run for it.
func (a *App) makeFirstPrompt(opt runOptions) (string, error) {
	root, err := a.Root()
	if err != nil {
		return "", err
	}
	if err := a.checkSpec(opt.Path); err != nil {
		return "", err
	}
	c, err := a.LoadConfig(root, opt.configFlags())
	if err != nil {
		return "", err
	}
	p, err := a.makeLoopPlan(root, c, opt)
	if err != nil {
		return "", err
	}
	var st state.State
	begun := mulligan.SessionStarted{Version: Version, Plan: p, Place: mulligan.Place{Dir: root, Root: root}}
	if err := st.Apply(mulligan.Event{Session: "SESSION", Number: 1, Time: a.SessionClock().Now(), Body: begun}); err != nil {
		return "", err
	}
	return feedback.Prompter{}.LoopPrompt(&st, nil)
}

// makeNextPrompt returns the prompt of a session's next iteration, as its journal stands.
func (a *App) makeNextPrompt(ctx context.Context, given string) (string, error) {
	store, s, err := a.client().Open(ctx, parseSessionArg(given), nil)
	if err != nil {
		return "", err
	}
	defer store.Close()
	st, err := journal.Fold(store.Read(ctx, s.ID, 1))
	if err != nil {
		return "", err
	}
	if st.Plan.Loop == nil {
		return "", usererror.Usage(fmt.Sprintf("session %s is no loop", s.ID), "the prompts that a pipeline's agent was given are in `mulligan log --json`")
	}
	if turn := st.AttemptProgress().InFlight; turn != nil {
		fmt.Fprintf(a.Stderr, "mulligan: turn %d has not ended; this is the prompt of the iteration after it, as things stand\n", turn.Turn)
	}
	p := feedback.Prompter{}
	text, err := p.LoopPrompt(st, a.listChanges(ctx, st))
	if before := p.Piped(st.Waiting()); before != "" && err == nil {
		text = before + "\n\n" + text
	}
	return text, err
}

// maxShownChanges is how many paths are looked up; the prompt has its own bound.
const maxShownChanges = 40

// listChanges returns what the last iteration did to the files. If that cannot be looked up it warns
// and returns nil: the rest of the prompt is true without it.
func (a *App) listChanges(ctx context.Context, st *state.State) []string {
	attempts := st.Steps[st.Step].Attempts
	left := st.AttemptProgress().Tree
	if len(attempts) == 0 || left.ID == "" {
		return nil
	}
	paths, all, err := a.diffTrees(ctx, st.Place, attempts[len(attempts)-1].Snapshot, left)
	if err != nil {
		fmt.Fprintf(a.Stderr, "mulligan: what changed is left out: %v\n", err)
		return nil
	}
	if more := all - len(paths); more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return paths
}

func (a *App) diffTrees(ctx context.Context, place mulligan.Place, from, to mulligan.Tree) ([]string, int, error) {
	store, err := a.OpenStore(place.Root)
	if err != nil {
		return nil, 0, err
	}
	return store.Changed(ctx, from, to, maxShownChanges)
}
