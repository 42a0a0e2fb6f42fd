package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/retry"
	"mulligan/view"
)

// print writes the explanation for people.
func (x *explanation) print(w io.Writer) {
	fmt.Fprintf(w, "session %s\n", view.Line(x.Session))
	if len(x.Decisions) == 0 {
		fmt.Fprintln(w, "no attempt has failed so that the next one had to be decided about")
		return
	}
	hasOrder := false
	for _, d := range x.Decisions {
		fmt.Fprintf(w, "\n%s\n", d.title())
		d.print(w)
		hasOrder = hasOrder || slices.ContainsFunc(d.Recommended, func(r mulligan.Recommendation) bool { return len(r.Order) > 0 })
	}
	if hasOrder {
		fmt.Fprintf(w, "\nthe order: %s\n", x.Rule)
	}
}

// title returns which attempt the decision is about: "step tests, attempt 2".
func (d explainedDecision) title() string {
	if d.loop {
		return fmt.Sprintf("loop %s, iteration %d", view.Line(d.Step), d.Attempt)
	}
	return fmt.Sprintf("step %s, attempt %d", view.Line(d.Step), d.Attempt)
}

// printField writes one line of a decision.
func printField(w io.Writer, name, value string) {
	fmt.Fprintf(w, "  %-12s %s\n", name, view.Line(value))
}

func (d explainedDecision) print(w io.Writer) {
	if d.Failed != "" {
		printField(w, "failed", d.Failed)
	}
	if len(d.Recommended) == 0 {
		printField(w, "figures", "none: the version of mulligan that decided this kept none")
	}
	for i, r := range d.Recommended {
		if i == 0 {
			printField(w, "the same", describeSame(r))
			if !d.loop {
				printField(w, "retries", describeBudget(r))
			}
			printField(w, "rate", d.describeRate(r))
		}
		if len(r.Order) > 0 {
			printOrder(w, r)
		}
		printField(w, "recommended", fmt.Sprintf("%s, by %s: %s", r.Strategy, describeRule(r.Rule), r.Reason))
		if r.Past.Problem != "" {
			printField(w, "history", r.Past.Problem)
		}
	}
	printField(w, "chosen", d.describeChoice())
}

func describeSame(r mulligan.Recommendation) string {
	switch {
	case r.Fingerprint == "":
		return "the failure has nothing that could be compared with another"
	case r.Same < 2:
		return fmt.Sprintf("no, it is the first such failure (%s)", r.Fingerprint)
	}
	tried := slices.Clone(r.Tried)
	if r.Same == r.Used && len(tried) > 0 {
		tried[0] = "the first try" // which had no strategy
	}
	return fmt.Sprintf("yes, %d in a row (%s): %s", r.Same, r.Fingerprint, strings.Join(tried, ", "))
}

func describeBudget(r mulligan.Recommendation) string {
	return fmt.Sprintf("%s used, of %s at most", text.Count(max(0, r.Used-1), "retry"), text.Count(r.Budget, "retry"))
}

// describeRate returns the failure rate of the step: "4 of 10 sessions = 40 %, threshold 20 %".
func (d explainedDecision) describeRate(r mulligan.Recommendation) string {
	of, which := r.Past.Sessions, ""
	if d.Reached {
		of, which = r.Past.Reached, " that reached it"
	}
	if of == 0 {
		return "no past session of this repository and pipeline" + which + " counts"
	}
	is := "not above it"
	if r.Rate > r.Threshold {
		is = "above it"
	}
	return fmt.Sprintf("%d of %s%s = %s, threshold %s: %s", r.Past.Failed, text.Count(of, "session"), which, retry.FormatPercent(r.Rate), retry.FormatPercent(r.Threshold), is)
}

// printOrder writes the strategies of an order with how often each was tried and worked at the step, in
// one line where none was.
func printOrder(w io.Writer, r mulligan.Recommendation) {
	if !slices.ContainsFunc(r.Past.Strategies, func(s mulligan.StrategyPast) bool { return s.Tried > 0 && slices.Contains(r.Order, s.Name) }) {
		names := slices.Clone(r.Order)
		if r.Entry < len(names) {
			names[r.Entry] = "→ " + names[r.Entry]
		}
		printField(w, "order", strings.Join(names, ", ")+"; none was tried here before")
		return
	}
	width := 0
	for _, name := range r.Order {
		width = max(width, len([]rune(view.Line(name))))
	}
	for i, name := range r.Order {
		title, mark := "", " "
		if i == 0 {
			title = "order"
		}
		if i == r.Entry {
			mark = "→"
		}
		fmt.Fprintf(w, "  %-12s %s %d %-*s  %s\n", title, mark, i+1, width, view.Line(name), describePast(r.Past, name))
	}
}

func describePast(past mulligan.Past, name string) string {
	for _, s := range past.Strategies {
		if s.Name == name && s.Tried > 0 {
			few := ""
			if s.Tried < retry.MinOutcomes {
				few = ", too few to count"
			}
			return fmt.Sprintf("tried %s here, worked %s%s", text.Times(s.Tried), timesOrNever(s.Worked), few)
		}
	}
	return "never tried here"
}

func timesOrNever(n int) string {
	if n == 0 {
		return "never"
	}
	return text.Times(n)
}

// describeRule returns a rule in words.
func describeRule(rule string) string {
	switch rule {
	case mulligan.RuleNever:
		return mulligan.RuleNever
	case mulligan.RuleBudget:
		return "the step's budget"
	case mulligan.RuleList:
		return "the step's list"
	case mulligan.RuleLadder:
		return "the ladder"
	case mulligan.RuleFault:
		return "default, after a fault in the decision"
	}
	return "default"
}

func (d explainedDecision) describeChoice() string {
	c := d.Decided
	if c == nil {
		return "nothing yet"
	}
	what := c.Strategy
	switch {
	case c.Strategy == mulligan.ChoiceSkip:
		what = "the step was skipped"
	case !c.Retry:
		what = "no other attempt"
	case what == "":
		what = mulligan.StrategyRetry
	}
	who := map[string]string{
		mulligan.ByPolicy: "as recommended", mulligan.ByPerson: "by a person",
		mulligan.ByDefault: "as recommended: nobody answered", mulligan.ByLimit: "by a limit of the plan",
	}[c.By]
	if who == "" {
		who = "by " + c.By
	}
	line := fmt.Sprintf("%s, %s", what, who)
	if n := len(d.Recommended); c.Reason != "" && (n == 0 || d.Recommended[n-1].Reason != c.Reason) {
		line += ": " + c.Reason
	}
	if len(c.Ruled) > 0 {
		line += fmt.Sprintf("; nobody agreed to %s", strings.Join(c.Ruled, ", "))
	}
	return line
}
