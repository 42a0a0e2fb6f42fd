package task

import (
	"cmp"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// Noted is the reply of note_add.
type Noted struct {
	Note mulligan.Note `json:"note"`
}

// Notes is the reply of note_list.
type Notes struct {
	Notes []mulligan.Note `json:"notes"` // by id
}

// Summed is the reply of iteration_summary.
type Summed struct {
	Iteration int    `json:"iteration"`
	Hint      string `json:"hint"`
}

const defaultNote = "note"

// noteArgs are the arguments of note_add.
type noteArgs struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// addNote answers note_add.
func addNote(st *state.State, tool string, args noteArgs) ([]mulligan.Body, any, error) {
	args.Type = cmp.Or(args.Type, defaultNote)
	if err := checkNoteType(tool, args.Type); err != nil {
		return nil, nil, err
	}
	words, err := checkText(tool, "text", args.Text, MaxText)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range st.Board.Notes {
		if n.Type == args.Type && n.Text == words {
			return nil, Noted{n}, nil // an agent whose turn is repeated adds the same note again
		}
	}
	if len(st.Board.Notes) >= MaxNotes {
		return nil, nil, refuse("%s: there are %d notes, which is the most: put what else is to be known into a file of the workspace", tool, MaxNotes)
	}
	n := mulligan.Note{ID: len(st.Board.Notes) + 1, Type: args.Type, Text: words, Iteration: st.Iteration}
	return []mulligan.Body{mulligan.NoteAdded{Note: n}}, Noted{n}, nil
}

// checkNoteType refuses a type that is given and unknown.
func checkNoteType(tool, kind string) error {
	if kind == "" || slices.Contains(mulligan.NoteTypes(), kind) {
		return nil
	}
	return refuse("%s: there is no type %q; want one of %s", tool, text.Clip(kind, quotedLength), strings.Join(mulligan.NoteTypes(), ", "))
}

// listNotesArgs are the arguments of note_list.
type listNotesArgs struct {
	Type string `json:"type"`
}

// listNotes answers note_list.
func listNotes(st *state.State, tool string, args listNotesArgs) ([]mulligan.Body, any, error) {
	if err := checkNoteType(tool, args.Type); err != nil {
		return nil, nil, err
	}
	reply := Notes{Notes: []mulligan.Note{}}
	for _, n := range st.Board.Notes {
		if args.Type == "" || n.Type == args.Type {
			reply.Notes = append(reply.Notes, n)
		}
	}
	return nil, reply, nil
}

// textArgs are the arguments of a tool that takes a text alone.
type textArgs struct {
	Text string `json:"text"`
}

// summarizeIteration answers iteration_summary.
func summarizeIteration(st *state.State, tool string, args textArgs) ([]mulligan.Body, any, error) {
	words, err := checkText(tool, "text", args.Text, MaxText)
	if err != nil {
		return nil, nil, err
	}
	if st.Iteration == 0 {
		return nil, nil, refuse("%s: no iteration has begun yet", tool)
	}
	sum := mulligan.IterationSummary{Iteration: st.Iteration, Text: words}
	reply := Summed{Iteration: st.Iteration, Hint: "kept: later iterations are given it; said again in this iteration it replaces this one"}
	return []mulligan.Body{mulligan.Summarized{IterationSummary: sum}}, reply, nil
}
