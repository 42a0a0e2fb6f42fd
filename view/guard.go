package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

const (
	keptItems = 50  // items of the guard that a snapshot lists
	maxName   = 200 // characters of an item's name in a command, quoted
	maxPart   = 60  // characters of a content that stand for all of it there
	maxShown  = 60  // characters of the content of an item that is validated now
)

// A Guard is how a session's items stand with the guard. Those that passed, and those that are merely
// open, are counted and not listed.
type Guard struct {
	On     bool
	Max    int         // claims of an item that are considered
	Items  []GuardItem // first those that wait for a person; bounded
	More   int         // items like these that the list has no room for
	Passed int
	Open   int
}

// A GuardItem is an item of the guard that a person may want to know of. Its Reason is the first line of
// what the last ruling said.
type GuardItem struct {
	mulligan.GuardItem
	Waits bool   // for a person's word
	Name  string // by which commands find it
}

// Waiting returns the items that wait for a person.
func (g Guard) Waiting() []GuardItem {
	return slices.DeleteFunc(slices.Clone(g.Items), func(i GuardItem) bool { return !i.Waits })
}

// Counts returns "2 passed, 1 open", "" if no item is either.
func (g Guard) Counts() string {
	var passed, open string
	if g.Passed > 0 {
		passed = fmt.Sprintf("%d passed", g.Passed)
	}
	if g.Open > 0 {
		open = fmt.Sprintf("%d open", g.Open)
	}
	return Join(", ", passed, open)
}

// DescribeItem returns how an item stands, and which of its claims that came of.
func (s Snapshot) DescribeItem(i GuardItem) (tone Tone, words, claim string) {
	claim = fmt.Sprintf("claim %d of %d", i.Attempts, s.Guard.Max)
	switch i.Status {
	case mulligan.ItemOver:
		words = "over its limit of " + text.Count(s.Guard.Max, "claim")
		if !i.Waits {
			return Quiet, i.addRemarks(words), ""
		}
		return Bad, i.addRemarks(words + ", waits for a person"), ""
	case mulligan.ItemApproved:
		return Good, i.addRemarks("approved: the next claim passes"), ""
	case mulligan.ItemOpen:
		return Warn, i.addRemarks("open"), ""
	case mulligan.ItemValidating:
		if s.Over() || s.Gone {
			return Warn, i.addRemarks("was being validated when the session stopped"), claim
		}
	default:
	}
	tone, words = describeClaimed(mulligan.ClaimedItem{Status: i.Status, Reason: i.Reason, By: i.By})
	return tone, i.addRemarks(words), claim
}

// addRemarks returns words about an item with what makes it an unusual one.
func (i GuardItem) addRemarks(words string) string {
	if i.Instead != "" {
		words += ", in place of " + quoteItem(i.Instead)
	}
	if i.Gone {
		words += ", not listed any more"
	}
	return words
}

// Quoted returns the item's content as people see it.
func (i GuardItem) Quoted() string { return quoteItem(i.Content) }

// ApproveCommand returns the command by which a person lets the item's next claim pass.
func (i GuardItem) ApproveCommand() string { return i.command("approve") }

// ReleaseCommand returns the command by which a person lets the item's claims begin anew.
func (i GuardItem) ReleaseCommand() string { return i.command("release") }

func (i GuardItem) command(word string) string {
	name := QuoteForShell(i.Name)
	if strings.HasPrefix(i.Name, "-") {
		name = "-- " + name
	}
	return "mulligan guard " + word + " " + name
}

// describeGuard returns how the items stand. waiting are those that wait for a person.
func describeGuard(p *mulligan.Plan, g *state.Guard, waiting []mulligan.GuardItem) Guard {
	out := Guard{On: p != nil && p.Guard != nil, Max: guardLimit(p, g)}
	var list []GuardItem
	for _, item := range g.Items {
		switch {
		case item.Status == mulligan.ItemPassed:
			out.Passed++
		case item.Status == mulligan.ItemOpen && item.Gone: // the agent has dropped it before it said anything of it
		case item.Status == mulligan.ItemOpen && item.Instead == "":
			out.Open++
		default:
			waits := slices.ContainsFunc(waiting, func(w mulligan.GuardItem) bool { return w.Key == item.Key })
			list = append(list, GuardItem{GuardItem: item, Waits: waits})
		}
	}
	slices.SortStableFunc(list, func(a, b GuardItem) int { return cmp.Compare(a.rank(), b.rank()) })
	out.More = max(0, len(list)-keptItems)
	for _, item := range list[:len(list)-out.More] {
		item.Name = nameItem(item.GuardItem)
		item.Reason, _, _ = strings.Cut(strings.TrimSpace(item.Reason), "\n")
		item.GuardItem = cleanValue(item.GuardItem)
		out.Items = append(out.Items, item)
	}
	return out
}

// guardLimit returns how many claims of an item are considered.
func guardLimit(p *mulligan.Plan, g *state.Guard) int {
	if p != nil && p.Guard != nil {
		return p.Guard.MaxAttempts
	}
	if n := len(g.Claims); n > 0 {
		return g.Claims[n-1].Max
	}
	return 0
}

// rank puts first what a person has to decide about, and last what the agent does not list any more.
func (i GuardItem) rank() int {
	switch {
	case i.Waits:
		return 0
	case i.Gone:
		return 3
	case i.Status == mulligan.ItemValidating:
		return 1
	}
	return 2
}

// nameItem returns what a person calls an item in a command: its content; if that is too long, or not
// fit to be typed, the number of its task, or else how it begins.
func nameItem(item mulligan.GuardItem) string {
	name := text.OneLine(Line(item.Content))
	if strings.EqualFold(name, item.Key) && len(QuoteForShell(name)) <= maxName {
		return name
	}
	if item.Task > 0 {
		return strconv.Itoa(item.Task)
	}
	part := []rune(item.Key)
	if i := slices.IndexFunc(part, func(r rune) bool { return !IsShown(r) }); i >= 0 {
		part = part[:i]
	}
	part = part[:min(len(part), maxPart)]
	return cmp.Or(strings.TrimSpace(string(part)), name)
}

// A validation is a claim that is being validated.
type validation struct {
	claim string
	items []string // their contents
	since time.Time
}

// trackClaim notes a claim that is validated while the agent waits for the answer.
func (m *Model) trackClaim(b mulligan.GuardClaimed, at time.Time) {
	v := validation{claim: b.ID, since: at}
	for _, item := range b.Items {
		if item.Status == mulligan.ItemValidating {
			v.items = append(v.items, Line(item.Content))
		}
	}
	if len(v.items) > 0 {
		m.activity.validations = append(m.activity.validations, v)
	}
}

// trackRuling notes that a claim was ruled on.
func (m *Model) trackRuling(b mulligan.GuardRuled) {
	m.activity.validations = slices.DeleteFunc(m.activity.validations, func(v validation) bool { return v.claim == b.Claim })
}

// addValidation returns the claim that is validated while an agent's turn runs, or the turn if there is
// none.
func (t activity) addValidation(turn Activity) Activity {
	if len(t.validations) == 0 || turn.Kind != OfAgent {
		return turn
	}
	more := -1
	for _, v := range t.validations {
		more += len(v.items)
	}
	first := t.validations[0]
	turn.Kind, turn.Name = OfClaim, "'"+text.Clip(first.items[0], maxShown)+"'"
	turn.Since, turn.Within = first.since, 0
	if more > 0 {
		turn.Name += fmt.Sprintf(" and %d more", more)
	}
	return turn
}
