package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/internal/client"
	"mulligan/internal/sessions"
	"mulligan/journal/jetstream"
	"mulligan/state"
	"mulligan/view"
	"mulligan/view/plain"
)

func newStatus(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status [SESSION]",
		Short: "Say how a session stands",
		Long: `Status says where a session is: its steps and their checks, what runs now or is waited for, and
until when, what is asked of you, how the agent's claims stand with the guard, the last evidence,
what a killed turn had begun and the command that makes a branch of it, and what was spent. It looks
once; attach stays.

` + sessionWords,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.printStatus(cmd.Context(), firstArg(args), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// statusJSON is what `status --json` prints.
type statusJSON struct {
	Version int `json:"v"`
	mulligan.Summary
	Running   bool                `json:"running"`
	Waiting   *waitJSON           `json:"waiting,omitempty"`
	Spent     spentJSON           `json:"spent"`
	Loop      *loopJSON           `json:"loop,omitempty"`
	Tasks     *mulligan.TaskCount `json:"tasks,omitempty"`
	Guard     *sessionGuardJSON   `json:"guard,omitempty"`
	Pending   int                 `json:"pending"` // texts that wait for the agent's next turn
	Questions []mulligan.Question `json:"questions,omitempty"`
	Paused    bool                `json:"paused,omitempty"`
	Pausing   string              `json:"pausing,omitempty"`
	Stopping  bool                `json:"stopping,omitempty"`
	Notes     []string            `json:"notes,omitempty"`
	Aside     []asideJSON         `json:"aside,omitempty"`
	Touched   *mulligan.Touched   `json:"touched,omitempty"` // so far; an outcome has its own
	Outcome   *mulligan.Outcome   `json:"outcome,omitempty"`
}

// waitJSON is what a session waits for that a clock ends: a rate limit, or the time after a failure.
type waitJSON struct {
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
}

// spentJSON is what a session has spent so far.
type spentJSON struct {
	Turns  int            `json:"turns"`
	Judged int            `json:"judged,omitempty"` // turns of judges besides
	Worked time.Duration  `json:"worked"`           // nanoseconds, of turns, checks and waits after failures
	Usage  mulligan.Usage `json:"usage"`
	Steps  []stepSpent    `json:"steps,omitempty"` // those that have begun
}

// stepSpent is what a step has spent since the task was run, and what it may spend.
type stepSpent struct {
	Step   string           `json:"step"`
	Turns  int              `json:"turns"`
	Judged int              `json:"judged,omitempty"`
	Worked time.Duration    `json:"worked"`
	Usage  mulligan.Usage   `json:"usage"`
	Limits *mulligan.Budget `json:"limits,omitempty"`
}

// newSpent returns what a session has spent, in all and by step. What a newer mulligan wrote may be
// missing.
func newSpent(snap view.Snapshot, state *state.State) spentJSON {
	out := spentJSON{Turns: snap.Turn, Judged: snap.Judged, Worked: state.Worked, Usage: snap.Usage}
	for i, step := range state.Steps {
		if step.Status == mulligan.StatusOpen {
			continue
		}
		spent := step.Spending()
		s := stepSpent{Step: step.Name, Turns: spent.Turns, Judged: spent.Judged, Worked: step.Worked, Usage: spent.Usage}
		if limits := state.Plan.Steps[i].Limits; limits != (mulligan.Budget{}) {
			s.Limits = &limits
		}
		out.Steps = append(out.Steps, s)
	}
	return out
}

// loopJSON is what a loop has that a pipeline has not.
type loopJSON struct {
	Name       string `json:"name"`
	Iteration  int    `json:"iteration"`
	Iterations int    `json:"iterations"` // at most so many; 0: no such limit
	Claimed    bool   `json:"claimed,omitempty"`
	Summary    string `json:"summary,omitempty"`
}

// newStatusJSON returns what `status --json` prints of a session whose events the model has had.
func newStatusJSON(s mulligan.Summary, running bool, snap view.Snapshot, model *view.Model) statusJSON {
	out := statusJSON{
		Version: 1, Summary: s, Running: running, Spent: newSpent(snap, model.State()), Pending: snap.Pending, Paused: snap.Paused(), Pausing: snap.Pausing, Stopping: snap.Stopping,
		Guard: newSessionGuard(snap, model.State()), Notes: snap.Notes, Outcome: snap.Outcome,
	}
	if a := snap.Running; running && snap.Waits() {
		out.Waiting = &waitJSON{Until: a.Until.UTC(), Reason: a.Name}
	}
	if l := snap.Loop; l != nil {
		out.Loop = &loopJSON{Name: snap.Name(), Iteration: snap.Iteration, Iterations: l.Iterations, Claimed: snap.Claimed, Summary: snap.Summary}
	}
	if t := snap.Tasks; t.All > 0 {
		out.Tasks = &mulligan.TaskCount{All: t.All, Open: t.Open}
	}
	for _, q := range snap.Questions {
		out.Questions = append(out.Questions, q.Question)
	}
	return out
}

// printStatus prints how a session stands now.
func (a *App) printStatus(ctx context.Context, given string, asJSON bool) error {
	if a.readsOwnSession() {
		s, events, err := a.readOwnSession(ctx, given)
		if err != nil {
			return err
		}
		return a.showStatus(ctx, s, liveStatus{Running: true}, eachEvent(events), asJSON)
	}
	store, s, err := a.client().Open(ctx, given, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	live := client.NewLiveness(a.Env, store)
	s, running, err := live.CurrentStatus(ctx, s)
	if err != nil {
		return err
	}
	now := liveStatus{Running: running, Stopping: running && live.IsStopping(ctx, s.ID)}
	return a.showStatus(ctx, s, now, store.Read(ctx, s.ID, 1), asJSON)
}

// liveStatus is what the journal cannot tell of a session.
type liveStatus struct {
	Running  bool // a process runs it
	Stopping bool // a person has stopped it, and that process ends what runs
}

// showStatus prints how a session with these events stands now.
func (a *App) showStatus(ctx context.Context, s mulligan.Summary, is liveStatus, events iter.Seq2[mulligan.Event, error], asJSON bool) error {
	model := view.NewModel() // which shows what a newer mulligan wrote as far as it knows it
	for e, err := range events {
		if err != nil {
			return err
		}
		model.Apply(e)
	}
	now := time.Now()
	gone := !is.Running && s.Ended == ""
	if gone {
		now = s.Updated // no work was done after the last event
	}
	snap := model.Snapshot(now)
	snap.Gone, snap.Stopping = gone && !snap.Over(), is.Stopping
	aside := a.listAside(ctx, s)
	if snap.Outcome == nil {
		if change, known := model.Change(); known {
			snap.Touched = a.listTouched(ctx, change)
		}
	}
	if asJSON {
		out := newStatusJSON(s, is.Running, snap, model)
		out.Touched = snap.Touched
		out.Aside = newAsideJSON(s.ID, aside)
		return a.printJSON(out)
	}
	snap.Aside = describeAside(s.ID, aside)
	plain.Status(a.Stdout, snap, plain.Options{Color: a.Color(), Width: a.Width()})
	return nil
}

// listTouched returns what a session that is not over has touched so far, or nil if that is not known.
func (a *App) listTouched(ctx context.Context, c view.Change) *mulligan.Touched {
	t, err := a.compareTrees(ctx, c)
	if err != nil {
		fmt.Fprintf(a.Stderr, "mulligan: what was touched is left out: %v\n", err)
		return nil
	}
	return t
}

// compareTrees returns what a change touches, or nil if the store is gone.
func (a *App) compareTrees(ctx context.Context, c view.Change) (*mulligan.Touched, error) {
	store, err := a.OpenStore(c.Place.Root)
	if err != nil || !store.Exists() {
		return nil, err
	}
	t, err := store.Touched(ctx, c.From, c.To)
	return &t, err
}

// printJSON prints a value as indented JSON.
func (a *App) printJSON(value any) error {
	enc := json.NewEncoder(a.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func newSessions(a *App) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List the sessions of this repository",
		Long: `Sessions lists this repository's sessions, the newest last: id, age, how each stands or ended,
step and task. The id, or its end, is what other commands take.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.printSessions(cmd.Context(), all, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "of every repository")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON lines")
	return cmd
}

// printSessions lists sessions. If some are damaged it lists the others, and returns the damage.
func (a *App) printSessions(ctx context.Context, everywhere, asJSON bool) error {
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return err
	}
	defer store.Close()
	list, damage := store.Sessions(ctx)
	if damage != nil && !jetstream.Damaged(damage) {
		return damage
	}
	if err := a.printList(ctx, client.NewLiveness(a.Env, store), list, everywhere, asJSON); err != nil || damage == nil {
		return err
	}
	return sessions.DamageError(damage)
}

// printList prints sessions, of this repository or of all, with whether each runs.
func (a *App) printList(ctx context.Context, live client.Liveness, list []mulligan.Summary, everywhere, asJSON bool) error {
	if !everywhere {
		if _, err := a.Root(); err != nil {
			return err
		}
		list = a.client().OfRepository(list)
	}
	if asJSON {
		enc := json.NewEncoder(a.Stdout)
		for _, s := range list {
			if err := enc.Encode(s); err != nil {
				return err
			}
		}
		return nil
	}
	running := map[string]bool{}
	for i := range list {
		var err error
		if list[i], running[list[i].ID], err = live.CurrentStatus(ctx, list[i]); err != nil {
			return err
		}
	}
	plain.Sessions(a.Stdout, list, plain.ListOptions{
		Color: a.Color(), Now: time.Now(), Alive: func(s mulligan.Summary) bool { return running[s.ID] },
		Stopping: func(s mulligan.Summary) bool { return live.IsStopping(ctx, s.ID) },
	})
	return nil
}
