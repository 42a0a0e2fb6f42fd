package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mulligan"
	"mulligan/config"
	"mulligan/internal/usererror"
	"mulligan/journal/jetstream"
	"mulligan/retry"
)

func newExplain(a *App) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain [SESSION] [STEP]",
		Short: "Show why attempts were retried as they were, with the figures",
		Long: `Explain prints, for each attempt of a session that failed, what was recommended for the next one and
why: how often the step failed in past sessions, how often in a row the same failure came, the
order of the strategies with how often each was tried and worked, and who chose what. With a
STEP it is of that step alone: ` + "`mulligan explain STEP`" + ` looks at the newest session.

` + sessionWords + ` So is "-".`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return a.explain(cmd.Context(), args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

// explain prints the decisions of a session.
func (a *App) explain(ctx context.Context, args []string, asJSON bool) error {
	store, s, step, err := a.openExplained(ctx, args)
	if err != nil {
		return err
	}
	defer store.Close()
	found := explanation{Decisions: []explainedDecision{}}
	if err := showEach(store.Read(ctx, s.ID, 1), found.apply); err != nil {
		return err
	}
	if step != "" {
		if err := found.keepStep(step); err != nil {
			return err
		}
	}
	found.Version, found.Session, found.Rule = 1, s.ID, retry.OrderRule
	if asJSON {
		return a.printJSON(found)
	}
	found.print(a.Stdout)
	return nil
}

// openExplained opens the journal and returns the session and the step that the arguments name. One
// argument that is no session's name is a step of the newest session.
func (a *App) openExplained(ctx context.Context, args []string) (store *jetstream.Store, s mulligan.Summary, step string, err error) {
	if len(args) == 2 {
		step = args[1]
	}
	name := firstArg(args)
	if name == "-" {
		name = ""
	}
	store, s, err = a.client().Open(ctx, name, nil)
	if len(args) == 1 && errors.Is(err, mulligan.ErrNoSession) {
		newest, latest, errNewest := a.client().Open(ctx, "", nil)
		if errNewest != nil {
			return nil, s, "", err
		}
		if !hasStep(ctx, newest, latest.ID, args[0]) {
			newest.Close()
			return nil, s, "", noSessionOrStep(args[0])
		}
		return newest, latest, args[0], nil
	}
	return store, s, step, err
}

// noSessionOrStep returns the error for an argument that names neither.
func noSessionOrStep(name string) error {
	return usererror.Usage(fmt.Sprintf("%q is no session, and no step of the newest session", name),
		"`mulligan sessions --all` lists the sessions there are, `mulligan status` the steps of the newest")
}

// hasStep reports whether a session has a step of that name.
func hasStep(ctx context.Context, store *jetstream.Store, session, step string) bool {
	var found explanation
	err := showEach(store.Read(ctx, session, 1), found.apply)
	return err == nil && slices.Contains(found.steps, step)
}

// An explanation is what `explain --json` prints: the decisions of a session, in their order.
type explanation struct {
	Version   int                 `json:"v"`
	Session   string              `json:"session"`
	Rule      string              `json:"rule"` // by which strategies are ordered, in words
	Decisions []explainedDecision `json:"decisions"`

	steps   []string // of all its plans
	reached bool     // rates are over the sessions that reached the step
	loop    bool
	failed  mulligan.AttemptEnded
}

// An explainedDecision is one attempt that failed, and what was decided about the next.
type explainedDecision struct {
	Time        time.Time `json:"time"`
	Step        string    `json:"step"`
	Attempt     int       `json:"attempt"`
	Failed      string    `json:"failed,omitempty"` // why the attempt did
	Fingerprint string    `json:"fingerprint,omitempty"`
	// Recommended are the recommendations, the last of which was decided about. There is none in sessions
	// of versions that kept no figures.
	Recommended []mulligan.Recommendation `json:"recommended"`
	// Reached is set where rates are taken over the sessions that reached the step.
	Reached bool `json:"reached,omitempty"`
	// Decided is what was chosen, nil where nobody has yet.
	Decided *chosenStrategy `json:"decided"`

	loop bool // an iteration of a loop, which has no budget
}

// A chosenStrategy is what follows a failed attempt.
type chosenStrategy struct {
	Retry    bool     `json:"retry"`
	Strategy string   `json:"strategy,omitempty"`
	Reason   string   `json:"reason"`
	By       string   `json:"by"` // policy, person, default, limit
	Ruled    []string `json:"ruled,omitempty"`
}

// apply takes an event into the explanation.
func (x *explanation) apply(e mulligan.Event) {
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		x.applyPlan(b.Plan)
	case mulligan.SessionResumed:
		x.applyPlan(b.Plan)
	case mulligan.AttemptEnded:
		x.failed = b
	case mulligan.RetryRecommended:
		d := x.openDecision(e.Time)
		d.Recommended = append(d.Recommended, b.Recommendation)
	case mulligan.Decided:
		d := x.openDecision(e.Time)
		d.Time, d.Decided = e.Time, &chosenStrategy{Retry: b.Retry, Strategy: b.Strategy, Reason: b.Reason, By: b.By, Ruled: b.Ruled}
		if n := len(d.Recommended); b.Recommended != nil && (n == 0 || d.Recommended[n-1].Strategy != b.Recommended.Strategy) {
			d.Recommended = append(d.Recommended, *b.Recommended)
		}
	}
}

func (x *explanation) applyPlan(p *mulligan.Plan) {
	if p == nil {
		return
	}
	for _, s := range p.Steps {
		if !slices.Contains(x.steps, s.Name) {
			x.steps = append(x.steps, s.Name)
		}
	}
	x.loop = p.Loop != nil
	x.reached = p.Retry != nil && p.Retry.Reached
}

// openDecision returns the decision about the attempt that failed last, and begins it if it is not there.
func (x *explanation) openDecision(at time.Time) *explainedDecision {
	if n := len(x.Decisions); n > 0 {
		last := &x.Decisions[n-1]
		if last.Decided == nil && last.Step == x.failed.Step && last.Attempt == x.failed.Attempt {
			return last
		}
	}
	x.Decisions = append(x.Decisions, explainedDecision{
		Time: at, Step: x.failed.Step, Attempt: x.failed.Attempt, Failed: x.failed.Reason, Fingerprint: x.failed.Fingerprint,
		Recommended: []mulligan.Recommendation{}, Reached: x.reached, loop: x.loop,
	})
	return &x.Decisions[len(x.Decisions)-1]
}

// keepStep leaves the decisions about one step.
func (x *explanation) keepStep(name string) error {
	if !slices.Contains(x.steps, name) {
		hint := "there is " + strings.Join(x.steps, ", ")
		if near := config.Nearest(name, x.steps); near != "" {
			hint = fmt.Sprintf("did you mean %q? %s", near, hint)
		}
		return usererror.Usage(fmt.Sprintf("the session has no step %q", name), hint)
	}
	x.Decisions = slices.DeleteFunc(x.Decisions, func(d explainedDecision) bool { return d.Step != name })
	return nil
}
