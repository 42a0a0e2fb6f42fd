package sessionreport

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mulligan"
	"mulligan/view"
	"mulligan/view/timeline"
)

// listCommands returns the commands that verify the work again, in the repository.
func listCommands(s view.Snapshot, plan *mulligan.Plan) []string {
	var list []string
	commit := ""
	if s.Outcome != nil {
		commit = s.Outcome.Commit
	}
	if commit != "" {
		list = append(list, "git switch --detach "+view.QuoteForShell(view.Line(commit)))
	}
	for _, step := range plan.Steps {
		for _, check := range step.Checks {
			command := checkCommand(check)
			if command != "" && !slices.Contains(list, command) {
				list = append(list, command)
			}
		}
	}
	if commit != "" && s.Place.Base != "" {
		list = append(list, "git diff --stat "+view.QuoteForShell(view.Commit(view.Line(s.Place.Base)))+" "+view.QuoteForShell(view.Commit(view.Line(commit))))
	}
	return list
}

// checkCommand returns what a person types to run a check, "" for one that is no command.
func checkCommand(c mulligan.CheckSpec) string {
	var options struct {
		Command string `json:"command"`
		Expect  string `json:"expect"`
	}
	switch {
	case c.Type != "shell":
		return ""
	case json.Unmarshal(c.Options, &options) != nil || options.Command == "":
		return view.Line(c.Name)
	}
	command := strings.TrimSpace(view.Document(options.Command))
	switch {
	case options.Expect != "fail":
		return command
	case strings.ContainsAny(command, ";&|\n"):
		return "! { " + command + "\n}"
	}
	return "! " + command
}

// listVersions returns what the session was run with.
func listVersions(plan *mulligan.Plan, versions []string) []Fact {
	list := []Fact{{"mulligan", view.Line(strings.Join(versions, ", then "))}, {"pipeline", view.Line(plan.Pipeline)}}
	for _, name := range slices.Sorted(maps.Keys(plan.Agents)) {
		a := plan.Agents[name]
		list = append(list, Fact{"agent " + view.Line(name), view.Line(view.Join(", ", a.Type, a.Model, a.Permissions, confinedWords(a)))})
	}
	return slices.DeleteFunc(list, func(f Fact) bool { return f.Text == "" })
}

func confinedWords(a mulligan.AgentSpec) string {
	if a.Confined == "" {
		return "not confined"
	}
	return "confined by " + a.Confined
}

// addAttempts adds the rows of the timeline, with what was said and found.
func (c *Collector) addAttempts(r *Report, a Around, clean func(string) string) {
	detailed := map[int]*attempt{}
	for _, known := range c.attempts {
		detailed[known.iteration] = known
	}
	for _, row := range c.line.Rows() {
		if row.Iteration == 0 && len(row.Said) == 0 {
			continue
		}
		if row.Iteration > 0 && detailed[row.Iteration] == nil {
			r.Earlier++
			continue
		}
		shown := Attempt{Row: row, Name: nameRow(row), Duration: view.Duration(row.Took(r.now)), Patch: clean(a.Patches[row.Iteration])}
		if known := detailed[row.Iteration]; known != nil {
			shown.Evidence = listEvidence(known.gates, clean)
			shown.Turns = listTurns(known.turns, clean)
		}
		r.Attempts = append(r.Attempts, shown)
	}
	r.Earlier += c.line.Earlier()
}

// nameRow returns how a row of the timeline is called.
func nameRow(row timeline.Row) string {
	switch {
	case row.Title == "start":
		return "Before the first attempt"
	case row.Title != "":
		return "At the end"
	}
	return fmt.Sprintf("%s, attempt %d", row.Step, row.Attempt)
}

func listEvidence(gates []mulligan.Verdict, clean func(string) string) []Evidence {
	var list []Evidence
	for _, v := range gates {
		e := Evidence{Gate: view.Line(v.Gate), Summary: view.Summary(v), Verdict: timeline.VerdictOf(v.Status)}
		if v.Finding != nil {
			e.Text, e.Cut = clean(v.Finding.Text), v.Finding.Cut
		}
		list = append(list, e)
	}
	return list
}

func listTurns(turns []*words, clean func(string) string) []TurnWords {
	var list []TurnWords
	for _, w := range turns {
		list = append(list, TurnWords{Number: w.number, Why: view.PurposeWords(w.purpose), Prompt: clean(w.prompt), Message: clean(w.message), Cut: w.cut})
	}
	return list
}
