package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"mulligan"
	"mulligan/history"
)

// asidePatience is how long a question waits for the lock before it leaves a damaged file to the next
// catch-up.
const asidePatience = 30 * time.Millisecond

// Past returns what past sessions tell of a step. It reads one small file; what it cannot read is put
// aside, and is the answer's Problem.
func (b *Book) Past(ctx context.Context, q mulligan.PastQuestion) mulligan.Past {
	v := b.volumeOf(q.Root)
	past, all, err := v.answer(q)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return mulligan.Past{}
	case err != nil:
		return mulligan.Past{Problem: v.settleDamage(ctx, q.Pipeline, err)}
	}
	if !all && past.Sessions < q.Window {
		if err := v.answerFromRecords(q, &past); err != nil {
			b.say("the history of %s is not complete: %v", q.Root, err)
			past.Problem = err.Error()
		}
	}
	return past
}

// answer answers a question from the snapshot of the pipeline. all reports whether that has all sessions one
// by one. The error is fs.ErrNotExist, or a *damageError.
func (v volume) answer(q mulligan.PastQuestion) (past mulligan.Past, all bool, err error) {
	path := v.pipelinePath(q.Pipeline)
	data, err := readWhole(path)
	if err != nil {
		return past, false, err
	}
	p, lines, err := parseHead(data)
	if err == nil {
		err = p.checkName(q.Pipeline)
	}
	if err == nil {
		past, err = p.answer(q, lines)
	}
	return past, err == nil && p.Sessions == p.Lines, damaged(path, err)
}

// answer counts the newest sessions, and what strategies have come to at the step.
func (p *pipeline) answer(q mulligan.PastQuestion, lines []byte) (mulligan.Past, error) {
	var past mulligan.Past
	step := slices.Index(p.Steps, q.Step)
	tallies := slices.Clone(p.Tallies)
	self := []byte(q.Session)
	for line := range bytes.Lines(lines) {
		asks := len(self) > 0 && bytes.Contains(line, self)
		if past.Sessions >= q.Window && !asks {
			continue
		}
		o, err := p.parseOutcome(line)
		if err != nil {
			return past, err
		}
		if asks && o.ID == q.Session {
			for _, t := range o.Tries {
				tallies = addTally(tallies, t.minus())
			}
			continue
		}
		if past.Sessions < q.Window && history.Counts(o.Ended) {
			countLetter(&past, o.letter(step))
		}
	}
	for _, t := range tallies {
		if t[0] == step && t[2] > 0 {
			past.Strategies = append(past.Strategies, mulligan.StrategyPast{Name: p.Strategies[t[1]], Tried: t[2], Worked: t[3]})
		}
	}
	slices.SortFunc(past.Strategies, func(a, b mulligan.StrategyPast) int { return strings.Compare(a.Name, b.Name) })
	return past, nil
}

// letter returns the letter of a step, by its index, which is below 0 for one that the pipeline has never
// had.
func (o outcome) letter(step int) byte {
	if step < 0 || step >= len(o.Steps) {
		return letterUnreached
	}
	return o.Steps[step]
}

// countLetter counts a session in which the step has a letter.
func countLetter(past *mulligan.Past, letter byte) {
	past.Sessions++
	if letter != letterUnreached {
		past.Reached++
	}
	if letter == letterFailed || letter == letterSkipped || letter == letterOpen {
		past.Failed++
	}
}

// answerFromRecords counts the sessions of a window that is longer than what the snapshot has one by one.
func (v volume) answerFromRecords(q mulligan.PastQuestion, past *mulligan.Past) error {
	known, err := v.parseIndex()
	if err != nil {
		return err
	}
	records := v.newReader()
	defer records.close()
	past.Sessions, past.Reached, past.Failed = 0, 0, 0
	list := sortEntries(known, func(e entry) bool { return e.Pipeline == q.Pipeline && e.ID != q.Session })
	for _, e := range slices.Backward(list) {
		if past.Sessions == q.Window {
			break
		}
		r, err := records.read(e)
		if err != nil {
			return err
		}
		if !history.Counts(r.Ended) {
			continue
		}
		letter := byte(letterUnreached)
		for _, step := range r.Steps {
			if step.Name == q.Step {
				letter = letterOf(step.Status)
			}
		}
		countLetter(past, letter)
	}
	return nil
}

// settleDamage puts a damaged snapshot aside, and returns the words about it. A newer mulligan's is left
// alone, and so is one that another process has replaced meanwhile.
func (v volume) settleDamage(ctx context.Context, name string, why error) string {
	path := v.pipelinePath(name)
	if errors.Is(why, errNewer) {
		v.book.say("the history %s is not used: %v", path, errNewer)
		return fmt.Sprintf("the history %s is not used: %v", path, errNewer)
	}
	words := fmt.Sprintf("the history %s cannot be read: %v", path, errors.Unwrap(why))
	unlock, err := v.lock(ctx, asidePatience)
	if err != nil {
		v.book.say("%s", words)
		return words
	}
	defer unlock()
	if _, err := v.loadPipeline(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		if err := v.book.setAside(path, errors.Unwrap(err)); err != nil {
			v.book.say("%v", err)
		}
	}
	return words
}
