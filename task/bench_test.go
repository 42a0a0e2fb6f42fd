package task

import (
	"encoding/json"
	"fmt"
	"testing"

	"mulligan"
	"mulligan/state"
)

// BenchmarkAdd is the cost of one more task beside 2,000.
func BenchmarkAdd(b *testing.B) {
	st := &state.State{Plan: &mulligan.Plan{Loop: &mulligan.Loop{}}}
	for i := range 2000 {
		st.Board.Tasks = append(st.Board.Tasks, mulligan.TaskItem{
			ID: i + 1, Status: mulligan.Completed, Priority: 2,
			Content: fmt.Sprintf("task %d: make the thing of which there are so many do what it should, and test it", i),
		})
	}
	r := Request{Tool: ToolAdd, Args: json.RawMessage(`{"content":"one more","depends":[1,2,3]}`)}
	for b.Loop() {
		if _, _, err := Apply(st, r); err != nil {
			b.Fatal(err)
		}
	}
}
