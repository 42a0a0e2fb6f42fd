package feedback

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"mulligan"
)

// How many characters of each list a prompt has, and of each entry. Together with the
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

// entryWeight returns how much of the room an entry takes.
func entryWeight(text string) int {
	return utf8.RuneCountInString(text) + (newline-1)*strings.Count(text, "\n") + beside
}

// fitText trims a text, and cuts it if it weighs more than n.
func fitText(text string, n int) string {
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

// takeFirst returns as many texts from the start of a list as there is room for, each as cut
// returns it, and the number of the rest.
func takeFirst(all []string, room int, cut func(string) string) (some []string, more int) {
	for i, text := range all {
		text = cut(text)
		if room -= entryWeight(text); room < 0 {
			return some, len(all) - i
		}
		some = append(some, text)
	}
	return some, 0
}

// takeNewest returns entries made from the end of a list for as long as there is room, and the
// number of the rest. It makes no entries of the rest: a night leaves more than fits a prompt.
func takeNewest[T, E any](all []T, room int, entry func(T) E, text func(E) string) (some []E, more int) {
	for i, one := range slices.Backward(all) {
		e := entry(one)
		if room -= entryWeight(text(e)); room < 0 {
			more = i + 1
			break
		}
		some = append(some, e)
	}
	slices.Reverse(some)
	return some, more
}

func asIs(s string) string { return s }

// setTasks fills in the open tasks.
func (d *LoopData) setTasks(b *mulligan.Board) {
	d.Counts = b.ByStatus()
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
		t := newLoopTask(b, *next, maxNext)
		d.Next = &t
	}
	d.Open, d.OpenMore = listTasks(b, open, roomTasks)
	d.Blocked, d.BlockedMore = listTasks(b, blocked, roomBlocked)
}

func listTasks(b *mulligan.Board, tasks []*mulligan.TaskItem, room int) ([]LoopTask, int) {
	slices.SortFunc(tasks, compareUrgency)
	var out []LoopTask
	for i, t := range tasks {
		task := newLoopTask(b, *t, maxTask)
		if room -= entryWeight(task.Content+task.Reason) + 8*len(task.Waits); room < 0 {
			return out, len(tasks) - i
		}
		out = append(out, task)
	}
	return out, 0
}

// compareUrgency orders tasks as Board.Next chooses among them.
func compareUrgency(a, b *mulligan.TaskItem) int {
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

func newLoopTask(b *mulligan.Board, t mulligan.TaskItem, limit int) LoopTask {
	content := strings.TrimSpace(t.Content)
	task := LoopTask{
		ID: t.ID, Content: fitText(content, limit), Status: string(t.Status), Priority: t.Priority,
		Reason: fitText(t.Reason, maxTask), Iteration: t.Iteration,
	}
	task.Cut = task.Content != content
	for _, id := range t.Depends {
		if before := b.Task(id); before != nil && before.Status.Open() && len(task.Waits) < maxWaits {
			task.Waits = append(task.Waits, id)
		}
	}
	return task
}

// setNotes fills in the notes, grouped by type. Each type that has some gets the same share of the room.
func (d *LoopData) setNotes(all []mulligan.Note) {
	groups := map[string][]mulligan.Note{}
	for _, n := range all {
		groups[n.Type] = append(groups[n.Type], n)
	}
	for _, kind := range mulligan.NoteTypes() {
		notes := groups[kind]
		if len(notes) == 0 {
			continue
		}
		g := LoopNotes{Type: kind, Title: strings.ToUpper(kind[:1]) + kind[1:] + "s"}
		g.Notes, g.More = takeNewest(notes, roomNotes/len(groups), func(n mulligan.Note) LoopNote {
			return LoopNote{ID: n.ID, Text: fitText(n.Text, maxNote), Iteration: n.Iteration}
		}, func(n LoopNote) string { return n.Text })
		d.Notes = append(d.Notes, g)
	}
}

// listAnswers returns the agents' questions that are answered, and how many older ones are left
// out. What mulligan itself asked is between it and the person.
func listAnswers(questions []mulligan.Question) ([]LoopAnswer, int) {
	var closed []mulligan.Question
	for _, q := range questions {
		if q.By != "" && q.Asker == mulligan.AskerAgent {
			closed = append(closed, q)
		}
	}
	return takeNewest(closed, roomAnswers, func(q mulligan.Question) LoopAnswer {
		return LoopAnswer{Question: fitText(q.Text, maxAnswer), Answer: fitText(q.Answer, maxAnswer), Assumed: q.Assumed()}
	}, func(a LoopAnswer) string { return a.Question + a.Answer })
}
