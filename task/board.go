package task

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mulligan"
	"mulligan/state"
)

// A Listed task is one with the tasks that it still waits for.
type Listed struct {
	mulligan.TaskItem
	WaitsFor []int `json:"waits_for,omitempty"` // tasks that come first and are not done
}

// A board is a session's, with what a request is about to add.
type board struct {
	mulligan.Board
	had int // tasks before the request
}

func newBoard(st *state.State) *board {
	return &board{had: len(st.Board.Tasks), Board: mulligan.Board{Tasks: slices.Clone(st.Board.Tasks)}}
}

// checkUnique refuses a task whose content another one has that is not cancelled.
func (b *board) checkUnique(tool string, t mulligan.TaskItem) error {
	if t.Status == mulligan.TaskCancelled {
		return nil
	}
	for _, other := range b.Tasks {
		if other.ID != t.ID && other.Status != mulligan.TaskCancelled && sameContent(other.Content, t.Content) {
			if other.ID > b.had {
				return refuse("%s: number %d of the list has the same content: leave one of them out, or say how they differ", tool, other.ID-b.had)
			}
			return refuse("%s: task %d has the same content already (it is %s): use that one, or say how this one differs",
				tool, other.ID, other.Status)
		}
	}
	return nil
}

// sameContent reports whether two contents differ in blanks and in case alone. It copies nothing: a
// new task is compared with all others.
func sameContent(a, b string) bool {
	for a != "" && b != "" {
		var left, right rune
		left, a = foldFirst(a)
		right, b = foldFirst(b)
		if left != right {
			return false
		}
	}
	return a == "" && b == ""
}

// foldFirst returns the first character without its case, or a blank for all the blanks there, and
// the rest.
func foldFirst(s string) (rune, string) {
	r, size := utf8.DecodeRuneInString(s)
	if unicode.IsSpace(r) {
		return ' ', strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	return unicode.ToLower(unicode.ToUpper(r)), s[size:]
}

// putTask replaces the task of the same id, or adds t.
func (b *board) putTask(t mulligan.TaskItem) {
	if old := b.Task(t.ID); old != nil {
		*old = t
		return
	}
	b.Tasks = append(b.Tasks, t)
}

// waitsFor returns the tasks that come before t and are not done.
func (b *board) waitsFor(t mulligan.TaskItem) []int {
	var open []int
	for _, id := range t.Depends {
		if first := b.Task(id); first != nil && first.Status.Open() {
			open = append(open, id)
		}
	}
	return open
}

func (b *board) newListed(t mulligan.TaskItem) Listed {
	l := Listed{TaskItem: t}
	if t.Status.Open() {
		l.WaitsFor = b.waitsFor(t)
	}
	return l
}

// checkDepends checks that the tasks which a task is to depend on exist, and returns them in order,
// or nil if there are none.
func (b *board) checkDepends(tool string, of int, list []int) ([]int, error) {
	list = slices.Compact(slices.Sorted(slices.Values(list)))
	if len(list) > maxDepends {
		return nil, refuse("%s: task %d would depend on %d tasks, and %d are the most: put a task between them that stands for several", tool, of, len(list), maxDepends)
	}
	for _, id := range list {
		switch {
		case id == of:
			return nil, refuse("%s: task %d cannot depend on itself", tool, of)
		case b.Task(id) == nil:
			return nil, refuse("%s: depends names task %d, and %s: task_list shows the ids", tool, id, b.describeExtent())
		}
	}
	return list, nil
}

func (b *board) describeExtent() string {
	switch b.had {
	case 0:
		return "there is no task yet"
	case 1:
		return "there is only task 1"
	}
	return "the tasks are 1 to " + joinIDs([]int{b.had})
}

// checkAcyclic refuses dependencies by which a task waits for itself.
func (b *board) checkAcyclic(tool string, from int) error {
	seen := map[int]bool{}
	// walk returns a way from the task back to itself, or nil if there is none.
	var walk func(id int, path []int) []int
	walk = func(id int, path []int) []int {
		path = append(path, id)
		for _, first := range b.Task(id).Depends {
			if first == from {
				return append(path, from)
			}
			if !seen[first] {
				seen[first] = true
				if found := walk(first, path); found != nil {
					return found
				}
			}
		}
		return nil
	}
	way := walk(from, nil)
	if way == nil {
		return nil
	}
	return refuse("%s: the tasks would wait for one another in a circle: %s: leave one of these dependencies out",
		tool, b.describeCircle(way))
}

// describeCircle returns the tasks of a circle. Those that the request would add have no ids yet that anybody
// knows: they are named by their positions in its list.
func (b *board) describeCircle(way []int) string {
	words, listed := make([]string, len(way)), ""
	for i, id := range way {
		words[i] = fmt.Sprint(id)
		if id > b.had {
			words[i], listed = fmt.Sprintf("number %d", id-b.had), " of the list"
		}
	}
	return strings.Join(words, " -> ") + listed
}
