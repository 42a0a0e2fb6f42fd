package task

import (
	"fmt"
	"strings"
	"time"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// Claim is the reply of session_complete.
type Claim struct {
	Claimed bool   `json:"claimed"`
	Hint    string `json:"hint"`
}

// Status is the reply of session_status.
type Status struct {
	Session    string                 `json:"session"`
	Kind       string                 `json:"kind"` // loop, pipeline
	Step       string                 `json:"step,omitempty"`
	Iteration  int                    `json:"iteration"`
	Iterations int                    `json:"iterations,omitempty"` // at most; 0: no such limit
	Turn       int                    `json:"turn"`
	Turns      int                    `json:"turns,omitempty"` // at most; 0: no such limit
	Worked     string                 `json:"worked"`
	Duration   string                 `json:"duration,omitempty"` // at most; "": no such limit
	Tasks      mulligan.TasksByStatus `json:"tasks"`
	Notes      int                    `json:"notes"`
	Questions  int                    `json:"open_questions"`
	Claimed    bool                   `json:"claimed"` // session_complete was called in this turn
}

// claimDone answers session_complete.
func claimDone(st *state.State, tool string, args textArgs) ([]mulligan.Body, any, error) {
	if args.Text != "" {
		words, err := checkText(tool, "text", args.Text, MaxText)
		if err != nil {
			return nil, nil, err
		}
		args.Text = words
	}
	if err := checkClaim(st, tool); err != nil {
		return nil, nil, err
	}
	reply := Claim{Claimed: true, Hint: "noted as a claim: the checks verify it after this turn, and what fails comes back to you; end your turn now"}
	c := mulligan.Claimed{Turn: st.InFlight.Turn, Text: args.Text}
	if st.Claim != nil && *st.Claim == c {
		return nil, reply, nil
	}
	return []mulligan.Body{c}, reply, nil
}

// checkClaim refuses a claim that nothing would verify, or that the tasks contradict.
func checkClaim(st *state.State, tool string) error {
	if st.Plan == nil || st.Plan.Loop == nil {
		return refuse("%s: this session is a pipeline: its checks decide when a step is done; just end your turn when your work is", tool)
	}
	if st.Final != nil || st.InFlight == nil {
		return refuse("%s: the session is not in a turn whose work is checked, so nothing would verify this: just end your turn; in the next iteration you can call it", tool)
	}
	switch st.InFlight.Purpose {
	case mulligan.ForRecovery, mulligan.ForDelivery:
		return refuse("%s: this turn's work is not checked (it is a %s), so nothing would verify this: do what the prompt asks and end your turn; call it in an iteration", tool, st.InFlight.Purpose)
	default:
		return checkAllDone(st, tool)
	}
}

// checkAllDone refuses a claim while tasks are open.
func checkAllDone(st *state.State, tool string) error {
	const most = 20
	open := st.Board.Open()
	if open == 0 {
		return nil
	}
	var b strings.Builder
	shown := 0
	for _, t := range st.Board.Tasks {
		if !t.Status.Open() {
			continue
		}
		if shown++; shown > most {
			fmt.Fprintf(&b, "\n  and %d more (task_list shows them)", open-most)
			break
		}
		first, _, _ := strings.Cut(t.Content, "\n")
		fmt.Fprintf(&b, "\n  %d (%s) %s", t.ID, t.Status, text.Clip(first, quotedLength))
	}
	are := text.Count(open, "task") + " are"
	if open == 1 {
		are = "1 task is"
	}
	return refuse("%s: %s open: complete what is done, do what is left, cancel with a reason what is not needed; then call this again:%s",
		tool, are, b.String())
}

// reportStatus answers session_status.
func reportStatus(st *state.State, tool string, _ struct{}) ([]mulligan.Body, any, error) {
	s := Status{
		Session: st.ID, Kind: "pipeline", Iteration: st.Iteration, Turn: st.Turn,
		Worked: st.Worked.Round(time.Second).String(), Tasks: st.Board.ByStatus(), Notes: len(st.Board.Notes),
		Questions: len(st.OpenQuestions()), Claimed: st.Claim != nil,
	}
	if st.Step < len(st.Steps) {
		s.Step = st.Steps[st.Step].Name
	}
	if p := st.Plan; p != nil {
		s.Turns = p.Limits.Turns
		if p.Limits.Duration > 0 {
			s.Duration = p.Limits.Duration.String()
		}
		if p.Loop != nil {
			s.Kind, s.Iterations = "loop", p.Loop.Iterations
		}
	}
	return nil, s, nil
}
