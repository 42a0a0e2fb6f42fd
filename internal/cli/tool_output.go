package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"mulligan"
	"mulligan/task"
	"mulligan/view"
)

// The functions here print a tool's reply for somebody who reads it in a shell. What agents
// and people wrote is text from outside.

func showAdded(w io.Writer, reply json.RawMessage) error {
	var r task.Added
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	fmt.Fprintf(w, "added task %d; %d open\n", r.Task.ID, r.Open)
	printHint(w, r.Hint)
	return nil
}

func showAddedMany(w io.Writer, reply json.RawMessage) error {
	var r task.AddedMany
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	fmt.Fprintf(w, "added %s; %d open\n", view.Count(len(r.Tasks), "task"), r.Open)
	for _, t := range r.Tasks {
		fmt.Fprintln(w, formatTask(t))
	}
	printHint(w, r.Hint)
	return nil
}

func showUpdated(w io.Writer, reply json.RawMessage) error {
	var r task.Updated
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	fmt.Fprintf(w, "task %d is %s; %d open\n", r.Task.ID, r.Task.Status, r.Open)
	printHint(w, r.Hint)
	return nil
}

func showList(w io.Writer, reply json.RawMessage) error {
	var r task.List
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	for _, t := range r.Tasks {
		fmt.Fprintln(w, formatTask(t))
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(w, "and %d more: --limit shows them\n", r.LeftOut)
	}
	fmt.Fprintln(w, formatCounts(r.Counts))
	return nil
}

func formatCounts(c mulligan.TasksByStatus) string {
	if c.All == 0 {
		return "no tasks"
	}
	return fmt.Sprintf("%s: %d remaining, %d in progress, %d completed, %d blocked, %d cancelled",
		view.Count(c.All, "task"), c.Remaining, c.InProgress, c.Completed, c.Blocked, c.Cancelled)
}

// formatTask is a task on one line.
func formatTask(t task.Listed) string {
	line := fmt.Sprintf("%4d  p%d  %-11s  %s", t.ID, t.Priority, t.Status, view.Line(t.Content))
	if len(t.WaitsFor) > 0 {
		line += fmt.Sprintf(" (waits for %s)", strings.Trim(fmt.Sprint(t.WaitsFor), "[]"))
	}
	if t.Reason != "" {
		line += fmt.Sprintf(" (%s)", view.Line(t.Reason))
	}
	return line
}

func showNext(w io.Writer, reply json.RawMessage) error {
	var r task.Next
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	if t := r.Task; t != nil {
		fmt.Fprintf(w, "task %d, priority %d, %s:\n%s\n", t.ID, t.Priority, t.Status, view.Text(t.Content))
	}
	printHint(w, r.Hint)
	return nil
}

func showNoted(w io.Writer, reply json.RawMessage) error {
	var r task.Noted
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	fmt.Fprintf(w, "added note %d (%s)\n", r.Note.ID, r.Note.Type)
	return nil
}

func showNotes(w io.Writer, reply json.RawMessage) error {
	var r task.Notes
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	if len(r.Notes) == 0 {
		fmt.Fprintln(w, "no notes")
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "%4d  %-10s  iteration %d  %s\n", n.ID, n.Type, n.Iteration, indentNote(n))
	}
	return nil
}

func indentNote(n mulligan.Note) string {
	return strings.ReplaceAll(view.Text(n.Text), "\n", "\n      ")
}

func showAnswer(w io.Writer, reply json.RawMessage) error {
	var r task.Answer
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	fmt.Fprintln(w, view.Text(r.Answer))
	printHint(w, r.Hint)
	return nil
}

func showStatus(w io.Writer, reply json.RawMessage) error {
	var r task.Status
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	fmt.Fprintf(w, "session %s (%s), iteration %s, turn %s\n", r.Session, r.Kind, formatOf(r.Iteration, r.Iterations), formatOf(r.Turn, r.Turns))
	fmt.Fprintln(w, formatCounts(r.Tasks))
	return nil
}

func formatOf(n, most int) string {
	if most == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, most)
}

// showHint prints what a reply says to do.
func showHint(w io.Writer, reply json.RawMessage) error {
	var r struct{ Hint string }
	if err := json.Unmarshal(reply, &r); err != nil {
		return err
	}
	printHint(w, r.Hint)
	return nil
}

func printHint(w io.Writer, text string) {
	if text != "" {
		fmt.Fprintln(w, asCommands(view.Text(text)))
	}
}
