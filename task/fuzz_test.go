package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"mulligan"
)

// normal returns a content as it is compared.
func normal(content string) string {
	return strings.ToLower(strings.ToUpper(strings.Join(strings.Fields(content), " ")))
}

// consistent returns what is wrong with a board, or "" if nothing is.
func consistent(b mulligan.Board) string {
	contents := map[string]int{}
	for i, t := range b.Tasks {
		if t.ID != i+1 {
			return fmt.Sprintf("task %d stands at %d", t.ID, i+1)
		}
		if t.Priority < 0 || t.Priority > 4 || t.Content == "" {
			return fmt.Sprintf("task %+v", t)
		}
		if t.Status != mulligan.TaskCancelled {
			if other := contents[normal(t.Content)]; other != 0 {
				return fmt.Sprintf("tasks %d and %d have the same content", other, t.ID)
			}
			contents[normal(t.Content)] = t.ID
		}
		for _, id := range t.Depends {
			if id == t.ID || b.Task(id) == nil {
				return fmt.Sprintf("task %d depends on %d", t.ID, id)
			}
		}
	}
	if way := (&board{Board: b}).sorted(); way != "" {
		return way
	}
	return ""
}

// sorted takes away the tasks that wait for nothing until none is left: another way to look
// for circles than the one it tests.
func (b *board) sorted() string {
	left := map[int][]int{}
	for _, t := range b.Tasks {
		left[t.ID] = t.Depends
	}
	for len(left) > 0 {
		before := len(left)
		for id, depends := range left {
			free := true
			for _, first := range depends {
				if _, there := left[first]; there {
					free = false
				}
			}
			if free {
				delete(left, id)
			}
		}
		if len(left) == before {
			return fmt.Sprintf("a circle among %v", left)
		}
	}
	return ""
}

// L5: whatever is asked for, and in whatever order, the board stays what it is said to be.
func TestAnySequenceKeepsTheBoard(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := newDesk(t)
		refused := 0
		for range 150 {
			before := json.RawMessage(mustJSON(d.st.Board))
			tool, args := randomRequest(r)
			_, kinds, err := d.call(tool, args)
			var no *Refusal
			if err != nil && !errors.As(err, &no) {
				t.Fatalf("seed %d: %s %s: %v", seed, tool, args, err)
			}
			if err != nil {
				refused++
				if !reflect.DeepEqual(before, json.RawMessage(mustJSON(d.st.Board))) {
					t.Fatalf("seed %d: %s %s was refused and changed the board", seed, tool, args)
				}
			}
			if wrong := consistent(d.st.Board); wrong != "" {
				t.Fatalf("seed %d: after %s %s (%v): %s", seed, tool, args, kinds, wrong)
			}
		}
		if refused == 0 || refused == 150 {
			t.Errorf("seed %d: %d of 150 refused: the sequence proves nothing", seed, refused)
		}
	}
}

func mustJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func randomRequest(r *rand.Rand) (tool, args string) {
	some := func(n, most int) []int {
		list := make([]int, r.IntN(n))
		for i := range list {
			list[i] = r.IntN(most)
		}
		return list
	}
	content := func() string { return fmt.Sprintf("%s %d", []string{"a", "A", " b  ", "B"}[r.IntN(4)], r.IntN(12)) }
	switch r.IntN(3) {
	case 0:
		return ToolAdd, mustJSON(map[string]any{"content": content(), "priority": r.IntN(6), "depends": some(3, 12)})
	case 1:
		var tasks []map[string]any
		for range 1 + r.IntN(4) {
			tasks = append(tasks, map[string]any{"content": content(), "after": some(3, 5), "depends": some(2, 12)})
		}
		return ToolAddMany, mustJSON(map[string]any{"tasks": tasks})
	}
	change := map[string]any{"id": r.IntN(14)}
	if r.IntN(2) == 0 {
		change["status"] = taskStatuses[r.IntN(5)]
	}
	if r.IntN(2) == 0 {
		change["depends"] = some(4, 12)
	}
	if r.IntN(4) == 0 {
		change["content"] = content()
	}
	return ToolUpdate, mustJSON(change)
}

// FuzzApply gives a tool anything: it is answered or refused, and the board stays whole.
func FuzzApply(f *testing.F) {
	for _, tool := range Tools() {
		f.Add(tool.Name, `{}`)
		f.Add(tool.Name, `{"content":"x","id":1,"tasks":[{"content":"y","after":[1]}]}`)
	}
	f.Add(ToolAdd, `{"content":"a","depends":[1,1,1],"priority":0}`)
	f.Add(ToolUpdate, `{"id":1,"depends":[2]}`)
	f.Add(ToolList, `{"status":["completed",null]}`)
	f.Fuzz(func(t *testing.T, tool, args string) {
		d := newDesk(t)
		d.must(ToolAddMany, `{"tasks":[{"content":"a"},{"content":"b","after":[1]}]}`)
		_, _, err := d.call(tool, args)
		var no *Refusal
		if err != nil && !errors.As(err, &no) && tool != ToolAsk {
			t.Errorf("%v", err)
		}
		if wrong := consistent(d.st.Board); wrong != "" {
			t.Error(wrong)
		}
	})
}
