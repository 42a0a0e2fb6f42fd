package guard

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
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
func resolveSubjects(g *state.Guard, call Call) Call {
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
