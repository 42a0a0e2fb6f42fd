package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/detect"
	"mulligan/internal/environ"
	"mulligan/internal/shellword"
	"mulligan/journal/jetstream"
	"mulligan/plan"
	"mulligan/view"
)

// chooseStart chooses what a new config starts with, and prints it: what the newest session without a config
// used, else what is found in the repository and on the machine. notes are what the person has to do.
func (a *App) chooseStart(ctx context.Context, root string) (choice plan.Choice, notes []string, err error) {
	used, id := a.findUsed(ctx)
	if used.Checks, notes = a.keepStarting(root, used.Checks); len(used.Checks) > 0 {
		fmt.Fprintf(a.Stdout, "as session %s was run\n", id)
		choice.Checks, choice.Retry = used.Checks, used.Retry
		for _, command := range used.Checks {
			fmt.Fprintf(a.Stdout, "  check  %s\n", view.Line(command))
		}
	} else {
		found, err := detect.Find(ctx, root, a.Environ)
		if err != nil {
			return choice, nil, err
		}
		notes = append(notes, a.printFound(found)...)
		choice.Checks, choice.Maybe, choice.Retry = found.Lines(), found.Maybe, usualRetry
	}
	more, err := a.chooseStartAgent(root, used.Agent, &choice)
	return choice, append(notes, more...), err
}

// printFound prints what a repository looks like and what checks it, and returns what the person has to do.
func (a *App) printFound(found detect.Found) (notes []string) {
	if found.Kind != "" {
		fmt.Fprintf(a.Stdout, "this looks like %s\n", view.Line(found.Kind))
	}
	for _, c := range found.Checks {
		fmt.Fprintf(a.Stdout, "  check  %s\n", view.Line(c.Line+" ("+c.Describe()+")"))
	}
	notes = found.Notes
	for _, c := range found.Failed {
		notes = append(notes, fmt.Sprintf("`%s` is not written: %s", c.Line, c.Describe()))
	}
	if len(found.Checks) == 0 {
		notes = append(notes, "no command was found that tests this repository: put yours under check: in mulligan.yaml; until then work is accepted, not verified")
	}
	return notes
}

// chooseStartAgent chooses the agent of a new config: the one that was used, none if the user's own config names
// one, else the first that is installed.
func (a *App) chooseStartAgent(root, used string, choice *plan.Choice) (notes []string, err error) {
	installed := detect.Agents(root, a.Environ)
	c, err := a.LoadConfig(root, environ.ConfigFlags{Checks: []string{"true"}})
	if err != nil {
		return nil, err
	}
	switch {
	case used != "":
		choice.Agent = used
	case c.Get("agent").IsSet():
		choice.OwnAgent = true
		fmt.Fprintf(a.Stdout, "  agent  %s, of your own config\n", view.Line(c.Get("agent").String()))
		return nil, nil
	case len(installed) == 0:
		return []string{"no agent was found: install " + strings.Join(detect.AgentNames(), ", or ") + ", or name your own program, under agent: in mulligan.yaml"}, nil
	default:
		choice.Agent = installed[0]
	}
	choice.Others = slices.DeleteFunc(installed, func(name string) bool { return name == choice.Agent })
	line := "  agent  " + view.Line(choice.Agent)
	if len(choice.Others) > 0 {
		line += " (installed too: " + strings.Join(choice.Others, ", ") + ")"
	}
	fmt.Fprintln(a.Stdout, line)
	return nil, nil
}

// keepStarting returns those of a session's checks that start here, and a note for each other.
func (a *App) keepStarting(root string, checks []string) (kept, notes []string) {
	for _, command := range checks {
		if word, err := shellword.Find(command, root, a.Environ, nil); err != nil {
			notes = append(notes, fmt.Sprintf("`%s` is not written: %s %v", command, word, err))
			continue
		}
		kept = append(kept, command)
	}
	return kept, notes
}

// findUsed returns what the newest session of this repository used that had no config, and its id. It returns
// zero values if there is none, or if the journal cannot be read: init works without.
func (a *App) findUsed(ctx context.Context) (used mulligan.Given, id string) {
	store, err := a.OpenJournal(ctx, jetstream.Short)
	if err != nil {
		return used, ""
	}
	defer store.Close()
	all, _ := store.Sessions(ctx) // those that can be read
	list := a.client().OfRepository(all)
	slices.SortFunc(list, func(x, y mulligan.Summary) int { return y.Started.Compare(x.Started) })
	for _, s := range list {
		if s.Pipeline != environ.LinePipeline {
			continue
		}
		if given := readGiven(ctx, store, s.ID); len(given.Checks) > 0 {
			return given, s.ID
		}
	}
	return used, ""
}

// readGiven returns what the flags of a session said, by its first event.
func readGiven(ctx context.Context, store *jetstream.Store, session string) mulligan.Given {
	for e, err := range store.Read(ctx, session, 1) {
		if started, ok := e.Body.(mulligan.SessionStarted); ok && err == nil && started.Plan != nil {
			return started.Plan.Given
		}
		break
	}
	return mulligan.Given{}
}
