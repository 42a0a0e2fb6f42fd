package feedback

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan"
)

// How many characters of each list a prompt gives, and of each entry. Together with the
// feedback and the instructions they come to less than 100,000.
const (
	roomTasks, maxTask       = 16_000, 400
	roomBlocked              = 6_000
	roomNotes, maxNote       = 20_000, 800
	roomSummaries, maxReport = 10_000, 1_500
	roomChanged, maxPath     = 5_000, 300
	roomTold, maxTold        = 20_000, 18_000
	roomAnswers, maxAnswer   = 8_000, 2_000
	roomNames, maxName       = 2_000, 200
	maxNext                  = 8_000
)

const (
	beside  = 40 // characters that the template writes beside an entry's text
	newline = 5  // what a line's end takes, with the blanks that the next line is indented by
)

// weight is how much of the room an entry takes.
func weight(text string) int {
	return utf8.RuneCountInString(text) + (newline-1)*strings.Count(text, "\n") + beside
}

// fit trims a text, and cuts it where it weighs more than n.
func fit(text string, n int) string {
	text = strings.TrimSpace(text)
	if newline*len(text) <= n {
		return text
	}
	for i, r := range text {
		if n--; r == '\n' {
			n -= newline - 1
		}
		if n < 0 {
			return strings.TrimRight(text[:i], " \n") + "…"
		}
	}
	return text
}

// first gives as many entries from the start of a list as there is room for, and counts
// the rest.
func first[T any](all []T, room int, text func(T) string) (some []T, more int) {
	for i, entry := range all {
		if room -= weight(text(entry)); room < 0 {
			return all[:i], len(all) - i
		}
	}
	return all, 0
}

// last does the same from the end of a list: the newest entries stay.
func last[T any](all []T, room int, text func(T) string) (some []T, more int) {
	for i := len(all) - 1; i >= 0; i-- {
		if room -= weight(text(all[i])); room < 0 {
			return all[i+1:], i + 1
		}
	}
	return all, 0
}

func same(s string) string { return s }

// each cuts every text of a list.
func each(texts []string, n int) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = fit(text, n)
	}
	return out
}

// tasks fills in what is open.
func (d *LoopData) tasks(b *mulligan.Board) {
	d.Counts = counts(b)
	next := b.Next()
	var open, blocked []*mulligan.TaskItem
	for i := range b.Tasks {
		switch t := &b.Tasks[i]; {
		case !t.Status.Open() || t == next:
		case t.Status == mulligan.Blocked || b.Blocks(*t):
			blocked = append(blocked, t)
		default:
			open = append(open, t)
		}
	}
	if next != nil {
		t := loopTask(b, *next, maxNext)
		d.Next = &t
	}
	d.Open, d.OpenMore = taskList(b, open, roomTasks)
	d.Blocked, d.BlockedMore = taskList(b, blocked, roomBlocked)
}

func taskList(b *mulligan.Board, tasks []*mulligan.TaskItem, room int) ([]LoopTask, int) {
	slices.SortFunc(tasks, urgency)
	var out []LoopTask
	for i, t := range tasks {
		task := loopTask(b, *t, maxTask)
		if room -= weight(task.Content+task.Reason) + 8*len(task.Waits); room < 0 {
			return out, len(tasks) - i
		}
		out = append(out, task)
	}
	return out, 0
}

// urgency orders tasks as the board does when it says which comes next.
func urgency(a, b *mulligan.TaskItem) int {
	if a.Status != b.Status {
		if a.Status == mulligan.InProgress {
			return -1
		}
		if b.Status == mulligan.InProgress {
			return 1
		}
	}
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

// maxWaits is how many tasks that come first a prompt names: the first ones to do.
const maxWaits = 10

func loopTask(b *mulligan.Board, t mulligan.TaskItem, limit int) LoopTask {
	content := strings.TrimSpace(t.Content)
	task := LoopTask{
		ID: t.ID, Content: fit(content, limit), Status: string(t.Status), Priority: t.Priority,
		Reason: fit(t.Reason, maxTask), Iteration: t.Iteration,
	}
	task.Cut = task.Content != content
	for _, id := range t.Depends {
		if before := b.Task(id); before != nil && before.Status.Open() && len(task.Waits) < maxWaits {
			task.Waits = append(task.Waits, id)
		}
	}
	return task
}

// notes groups them by type. Each type that has some gets the same share of the room.
func (d *LoopData) notes(all []mulligan.Note) {
	groups := map[string][]mulligan.Note{}
	for _, n := range all {
		groups[n.Type] = append(groups[n.Type], n)
	}
	for _, kind := range mulligan.NoteTypes() {
		if notes := groups[kind]; len(notes) > 0 {
			d.Notes = append(d.Notes, noteGroup(kind, notes, roomNotes/len(groups)))
		}
	}
}

// noteGroup takes the newest notes first, and looks at no more than there is room for.
func noteGroup(kind string, notes []mulligan.Note, room int) LoopNotes {
	g := LoopNotes{Type: kind, Title: strings.ToUpper(kind[:1]) + kind[1:] + "s"}
	for i, n := range slices.Backward(notes) {
		text := fit(n.Text, maxNote)
		if room -= weight(text); room < 0 {
			g.More = i + 1
			break
		}
		g.Notes = append(g.Notes, LoopNote{ID: n.ID, Text: text, Iteration: n.Iteration})
	}
	slices.Reverse(g.Notes)
	return g
}

func (d *LoopData) summaries(all []mulligan.IterationSummary) {
	out := make([]LoopSummary, len(all))
	for i, s := range all {
		out[i] = LoopSummary{Iteration: s.Iteration, Text: fit(s.Text, maxReport)}
	}
	d.Summaries, d.SummariesMore = last(out, roomSummaries, func(s LoopSummary) string { return s.Text })
}

func (d *LoopData) told(all []mulligan.Told) {
	texts := make([]string, len(all))
	for i, t := range all {
		texts[i] = t.Text
	}
	d.Told, d.ToldMore = last(each(texts, maxTold), roomTold, same)
}

// loopAnswers are the agents' questions that are closed. What mulligan itself asked is
// between it and the person.
func loopAnswers(questions []mulligan.Question) ([]LoopAnswer, int) {
	var all []LoopAnswer
	for _, q := range questions {
		if q.By == "" || q.Asker != "agent" {
			continue
		}
		all = append(all, LoopAnswer{
			Question: fit(q.Text, maxAnswer), Answer: fit(q.Answer, maxAnswer), Assumed: q.Assumed(),
		})
	}
	return last(all, roomAnswers, func(a LoopAnswer) string { return a.Question + a.Answer })
}
