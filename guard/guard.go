// Package guard has the rules for claims of completion: an agent that says that an item is done is
// asked for evidence first, then believed or not, and handed to a person when it has claimed too
// often. All of it is a function of the state and the call; what a call changes is returned as
// events.
package guard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"mulligan"
	"mulligan/internal/text"
)

// A Call is what an agent says of its items in one call of a tool.
type Call struct {
	ID    string // tells one call from another: the vendor's id of it; "" makes every call one of its own
	Tool  string
	Items []Item
	// Scope is the conversation whose the ids of items are, where a session has several.
	Scope string
	// Whole is set where the call lists all items that the agent has.
	Whole bool
	// Subjects are what tasks of the agent's are about, by their ids, where the call tells.
	Subjects map[string]string
	// Commit is the one that is checked out.
	Commit string
}

// An Item is what a call says of one item. A call that gives it no status leaves it as it is.
type Item struct {
	Content   string // "" where ID alone tells
	ID        string // by which the agent's program knows it; "" where it has none
	Usual     string // the content of an ID of which nothing is known
	Completed bool   // it is claimed to be done
	Open      bool   // it is given another status
	Gone      bool   // it is taken from the list
	Task      int    // the id of one of mulligan's own tasks; 0 where it is none
	Was       string // its content before the call, where the call changes it
}

// What the guard takes at most. A list beyond it cannot be read; a content is cut.
const (
	MaxTogether = 500   // items of one call
	maxLength   = 16384 // characters of a content
)

// Key returns what identifies an item: its content without regard to case, white space and
// characters that nobody sees.
func Key(content string) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r):
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, content)
	return strings.Join(strings.Fields(visible), " ")
}

// Receive returns the events that a call comes to, and the id by which its answer is found; "" if
// there is nothing to answer, since the call claims nothing. A call that was received before has no
// events: it gets the same answer again.
func Receive(g *mulligan.GuardState, rules mulligan.Guard, call Call) (bodies []mulligan.Body, claim string) {
	if known := g.Claim(call.ID); known != nil {
		return nil, known.ID
	}
	call = resolveSubjects(g, clipContents(call))
	call.Items = compact(call.Items, rules)
	if seen, any := see(g, call); any {
		bodies = append(bodies, seen)
	}
	c := mulligan.GuardClaim{ID: call.ID, Tool: call.Tool, Max: rules.MaxAttempts}
	for _, item := range call.Items {
		if claimed, isNew := claimItem(g, rules, item); isNew {
			c.Items = append(c.Items, claimed)
		}
	}
	if len(c.Items) == 0 {
		return bodies, ""
	}
	if c.ID == "" {
		c.ID = nextID(g)
	}
	return append(bodies, mulligan.GuardClaimed{GuardClaim: c}), c.ID
}

// clipContents returns a call whose texts have a bounded length.
func clipContents(call Call) Call {
	call.Items = slices.Clone(call.Items)
	for i := range call.Items {
		item := &call.Items[i]
		item.Content, item.Usual = text.Clip(item.Content, maxLength), text.Clip(item.Usual, maxLength)
	}
	call.Subjects = maps.Clone(call.Subjects)
	for id, subject := range call.Subjects {
		call.Subjects[id] = text.Clip(subject, maxLength)
	}
	return call
}

// resolveSubjects returns a call with the contents of the items that it names by their ids alone, and
// with the subjects that it tells by the way.
func resolveSubjects(g *mulligan.GuardState, call Call) Call {
	told := map[string]string{}
	for id, subject := range call.Subjects {
		told[call.subjectOf(id)] = subject
	}
	for i, item := range call.Items {
		id := call.subjectOf(item.ID)
		known := cmp.Or(told[id], g.Subjects[id])
		switch {
		case item.ID == "":
			continue
		case item.Content != "":
			item.Was, told[id] = known, item.Content
		case known != "":
			item.Content = known
		case item.Usual != "":
			item.Content, told[id] = item.Usual, item.Usual
		default:
			item.Content = "task " + item.ID
		}
		call.Items[i] = item
	}
	call.Subjects = told
	return call
}

// subjectOf returns the key of a task's subject: ids of two conversations are of different tasks.
func (c Call) subjectOf(id string) string {
	if c.Scope == "" {
		return id
	}
	return c.Scope + " " + id
}

// nextID returns an id for a claim of which the agent gives none.
func nextID(g *mulligan.GuardState) string {
	for n := len(g.Claims) + 1; ; n++ {
		if id := fmt.Sprintf("claim-%d", n); g.Claim(id) == nil {
			return id
		}
	}
}

// compact returns the items of a call that are guarded, each once. One that is listed twice is
// claimed if one of the two says that it is done.
func compact(items []Item, rules mulligan.Guard) []Item {
	var list []Item
	at := map[string]int{}
	for _, item := range items {
		key := Key(item.Content)
		if key == "" || isIgnored(rules.Ignore, item.Content) {
			continue
		}
		if i, twice := at[key]; twice {
			list[i].Completed = list[i].Completed || item.Completed
			list[i].Open = list[i].Open || item.Open
			continue
		}
		at[key] = len(list)
		list = append(list, item)
	}
	return list
}

// isIgnored reports whether a glob matches an item's content. A content is no path: * matches a
// slash too.
func isIgnored(globs []string, content string) bool {
	plain := strings.NewReplacer("/", "\x1f")
	content = plain.Replace(strings.Join(strings.Fields(content), " "))
	return slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := doublestar.Match(plain.Replace(glob), content)
		return err == nil && ok
	})
}

// ValidGlob reports whether a glob can be matched.
func ValidGlob(glob string) bool {
	_, err := doublestar.Match(strings.ReplaceAll(glob, "/", "\x1f"), "x")
	return err == nil
}

// see returns what a call tells besides claims, and reports whether it tells anything.
func see(g *mulligan.GuardState, call Call) (seen mulligan.GuardSeen, any bool) {
	listed := map[string]bool{}
	var fresh []Item
	for _, item := range call.Items {
		key := Key(item.Content)
		listed[key] = true
		switch known := g.Item(key); {
		case known == nil && item.Gone:
		case known == nil:
			fresh = append(fresh, item)
		default:
			if known.Gone != item.Gone && !item.Completed {
				if item.Gone {
					seen.Gone = append(seen.Gone, key)
				} else {
					seen.Back = append(seen.Back, key)
				}
			}
			isOpen := item.Open && !item.Completed || takesOver(g, item)
			if isOpen && next(known.Status, reopened, "") != known.Status {
				seen.Reopened = append(seen.Reopened, key)
			}
		}
	}
	seen.Gone = append(seen.Gone, findRenamed(g, call, listed)...)
	missing := missingItems(g, call, listed)
	for _, item := range missing {
		seen.Gone = append(seen.Gone, item.Key)
	}
	seen.Items = newItems(fresh, missing, call.Commit)
	seen.Subjects = newSubjects(g, call.Subjects)
	return seen, len(seen.Items)+len(seen.Reopened)+len(seen.Gone)+len(seen.Back)+len(seen.Subjects) > 0
}

// missingItems returns the items that the agent has dropped from its list.
func missingItems(g *mulligan.GuardState, call Call, listed map[string]bool) []mulligan.GuardItem {
	var missing []mulligan.GuardItem
	for _, item := range g.Items {
		if call.Whole && !item.Gone && item.Task == 0 && !listed[item.Key] {
			missing = append(missing, item)
		}
	}
	return missing
}

// newItems returns the items that were not known. One that appears when another goes that was
// claimed and not believed may be that one renamed: it begins anew, and names the other.
func newItems(fresh []Item, missing []mulligan.GuardItem, commit string) []mulligan.GuardItem {
	missing = slices.DeleteFunc(missing, func(i mulligan.GuardItem) bool {
		return i.Attempts == 0
	})
	var list []mulligan.GuardItem
	for _, item := range fresh {
		n := mulligan.GuardItem{
			Key: Key(item.Content), Content: item.Content, Status: mulligan.ItemOpen, Task: item.Task, Commit: commit,
		}
		switch {
		case isRenamed(item):
			n.Instead = item.Was
		case len(missing) > 0:
			n.Instead, missing = missing[0].Content, missing[1:]
		}
		list = append(list, n)
	}
	return list
}

func newSubjects(g *mulligan.GuardState, subjects map[string]string) map[string]string {
	list := map[string]string{}
	for id, subject := range subjects {
		if g.Subjects[id] != subject {
			list[id] = subject
		}
	}
	return list
}

// claimItem returns what is made of a claim that an item is done, and reports whether it is one: an
// item that has passed is done already.
func claimItem(g *mulligan.GuardState, rules mulligan.Guard, item Item) (mulligan.ClaimedItem, bool) {
	known := mulligan.GuardItem{Key: Key(item.Content), Content: item.Content, Status: mulligan.ItemOpen}
	if k := g.Item(known.Key); k != nil {
		known = *k
	}
	if takesOver(g, item) {
		known.Status, known.Attempts = mulligan.ItemOpen, 0
	}
	if !item.Completed || known.Status == mulligan.ItemPassed {
		return mulligan.ClaimedItem{}, false
	}
	claimed := mulligan.ClaimedItem{Key: known.Key, Content: item.Content, Attempt: known.Attempts + 1, By: mulligan.ByGuard}
	claimed.Status = next(known.Status, claim, rangeOf(rules, claimed.Attempt))
	if known.Status == mulligan.ItemApproved {
		claimed.By = mulligan.ByPerson
	}
	return claimed, true
}

// A Ruling is what validation found about an item.
type Ruling struct {
	Key    string
	OK     bool
	Reason string
	By     string // the agent that looked at it, mulligan.ByChecks, mulligan.ByNobody
	Broken bool   // whoever was to decide could not
}

// Conclude returns the event that settles the items of a claim that were to be validated. An item
// without a ruling is denied.
func Conclude(c mulligan.GuardClaim, rulings []Ruling, judges []mulligan.Usage) mulligan.GuardRuled {
	ruled := mulligan.GuardRuled{Claim: c.ID, Judges: judges}
	for _, item := range c.Items {
		if item.Status != mulligan.ItemValidating {
			continue
		}
		r := Ruling{Key: item.Key, Reason: "nobody has looked at it", By: mulligan.ByGuard, Broken: true}
		if i := slices.IndexFunc(rulings, func(r Ruling) bool { return r.Key == item.Key }); i >= 0 {
			r = rulings[i]
		}
		on := refuted
		if r.OK {
			on = confirmed
		}
		item.Status, item.Reason, item.By, item.Broken = next(item.Status, on, ""), clipReason(r.Reason), r.By, r.Broken
		ruled.Items = append(ruled.Items, item)
	}
	return ruled
}
