package guard

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/state"
)

// Release returns a person's word that the attempts of an item begin anew.
func Release(g *state.Guard, item string) (mulligan.GuardDecided, error) {
	return decide(g, item, released)
}

// Approve returns a person's word that the next claim of an item passes.
func Approve(g *state.Guard, item string) (mulligan.GuardDecided, error) {
	return decide(g, item, approved)
}

func decide(g *state.Guard, name string, on signal) (mulligan.GuardDecided, error) {
	item, err := Find(g, name)
	if err != nil {
		return mulligan.GuardDecided{}, err
	}
	to := next(item.Status, on, "")
	if to == item.Status {
		return mulligan.GuardDecided{}, fmt.Errorf("'%s' is %s: there is nothing to change", item.Content, item.Status)
	}
	return mulligan.GuardDecided{Key: item.Key, Content: item.Content, Status: to, By: mulligan.ByPerson}, nil
}

// A NotFoundError is a name that no item has.
type NotFoundError struct{ Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("no task is called %q", e.Name) }

// Find returns the item that a person means: by its content, the number of one of mulligan's own
// tasks, or a part of the content that no other item has. The error is a *NotFoundError if there is
// none.
func Find(g *state.Guard, name string) (mulligan.GuardItem, error) {
	key := Key(name)
	if item := g.Item(key); item != nil {
		return *item, nil
	}
	if id, err := strconv.Atoi(strings.TrimPrefix(key, "#")); err == nil && id > 0 {
		if i := slices.IndexFunc(g.Items, func(item mulligan.GuardItem) bool { return item.Task == id }); i >= 0 {
			return g.Items[i], nil
		}
	}
	var found []mulligan.GuardItem
	for _, item := range g.Items {
		if key != "" && strings.Contains(item.Key, key) {
			found = append(found, item)
		}
	}
	switch len(found) {
	case 0:
		return mulligan.GuardItem{}, &NotFoundError{Name: name}
	case 1:
		return found[0], nil
	}
	more := ""
	if len(found) > 2 {
		more = " …"
	}
	return mulligan.GuardItem{}, fmt.Errorf("%d tasks have %q in them (%s, %s%s): give more of it", len(found), name, quote(found[0].Content), quote(found[1].Content), more)
}
