package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/task"
	"mulligan/view"
)

// printReply returns a function that decodes a tool's reply and prints it with show, for a person or a
// model that reads it in a shell. What agents and people wrote is text from outside.
func printReply[T any](show func(io.Writer, T)) func(io.Writer, json.RawMessage) error {
	return func(w io.Writer, reply json.RawMessage) error {
		var r T
		if err := json.Unmarshal(reply, &r); err != nil {
			return err
		}
		show(w, r)
		return nil
	}
}

func showAdded(w io.Writer, r task.Added) {
	fmt.Fprintf(w, "added task %d; %d open\n", r.Task.ID, r.Open)
	printHint(w, r.Hint)
}

func showAddedMany(w io.Writer, r task.AddedMany) {
	fmt.Fprintf(w, "added %s; %d open\n", text.Count(len(r.Tasks), "task"), r.Open)
	for _, t := range r.Tasks {
		fmt.Fprintln(w, formatTask(t))
	}
	printHint(w, r.Hint)
}

func showUpdated(w io.Writer, r task.Updated) {
	fmt.Fprintf(w, "task %d is %s; %d open\n", r.Task.ID, r.Task.Status, r.Open)
	printHint(w, r.Hint)
}

func showList(w io.Writer, r task.List) {
	for _, t := range r.Tasks {
		fmt.Fprintln(w, formatTask(t))
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(w, "and %d more: --limit shows them\n", r.LeftOut)
	}
	fmt.Fprintln(w, formatCounts(r.Counts))
}

func formatCounts(c mulligan.TasksByStatus) string {
	if c.All == 0 {
		return "no tasks"
	}
	return fmt.Sprintf("%s: %d remaining, %d in progress, %d completed, %d blocked, %d cancelled",
		text.Count(c.All, "task"), c.Remaining, c.InProgress, c.Completed, c.Blocked, c.Cancelled)
}

// formatTask returns a task on one line.
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

func showNext(w io.Writer, r task.Next) {
	if t := r.Task; t != nil {
		fmt.Fprintf(w, "task %d, priority %d, %s:\n%s\n", t.ID, t.Priority, t.Status, view.Text(t.Content))
	}
	printHint(w, r.Hint)
}

func showNoted(w io.Writer, r task.Noted) {
	fmt.Fprintf(w, "added note %d (%s)\n", r.Note.ID, r.Note.Type)
}

func showNotes(w io.Writer, r task.Notes) {
	if len(r.Notes) == 0 {
		fmt.Fprintln(w, "no notes")
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "%4d  %-10s  iteration %d  %s\n", n.ID, n.Type, n.Iteration, strings.ReplaceAll(view.Text(n.Text), "\n", "\n      "))
	}
}

func showAnswer(w io.Writer, r task.Answer) {
	fmt.Fprintln(w, view.Text(r.Answer))
	printHint(w, r.Hint)
}

func showStatus(w io.Writer, r task.Status) {
	fmt.Fprintf(w, "session %s (%s), iteration %s, turn %s\n", r.Session, r.Kind, formatOf(r.Iteration, r.Iterations), formatOf(r.Turn, r.Turns))
	fmt.Fprintln(w, formatCounts(r.Tasks))
}

func formatOf(n, most int) string {
	if most == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, most)
}

// showHint prints only the hint of a reply.
func showHint(w io.Writer, r struct{ Hint string }) {
	printHint(w, r.Hint)
}

// printHint prints a hint, if there is one, with the tools that it names as commands.
func printHint(w io.Writer, text string) {
	if text != "" {
		fmt.Fprintln(w, asCommands(view.Text(text)))
	}
}
