// Package validation has a second agent decide about claims that a task is done: it gathers what
// shows the work (the agent's transcript, the diff, what the checks found) and asks a judge about each
// item by itself.
package validation

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"mulligan"
	"mulligan/guard"
	"mulligan/guard/transcript"
	"mulligan/workspace"
)

const (
	transcriptSize = 30_000 // characters of the transcript that a judge is shown
	diffSize       = 40_000 // characters of the diff
	verdictSize    = 4_000  // characters of what a check found
	sideBySide     = 4      // judges at once
)

// question is what a judge is asked. The item itself is part of the evidence: an agent has written it.
const question = `A coding agent says that a piece of work is done. Decide whether it is.

The first piece of evidence names the work. The others show what was done: the part of the agent's transcript since
the work was opened, what has changed in the files since, and what checks have found, as far as there are any.

It is done only if the evidence shows that all of it was done: the files were really changed as the work asks, or the
result that it asks for is shown, and nothing of it is left out, stubbed, faked or postponed. What the agent says of
itself is a claim, no evidence. Where the evidence does not show it, or you are in doubt, it is not done: then say in
the reason, to the agent, what is missing or what it has to show. Work that changes no file, such as looking something up,
is done if the transcript shows its result.`

// A Request is what a claim is validated by.
type Request struct {
	Case  mulligan.Case // who judges, and for whom; question and evidence are filled in
	Claim mulligan.GuardClaim
	Items []mulligan.GuardItem // as the guard knows them
	Dir   string               // the workspace
	// Transcript is the path of the agent's own record, "" if it has none: then Log, what it printed,
	// is shown.
	Transcript, Log string
	Verdicts        []mulligan.Verdict // what checks have found before
}

// TimeFor returns how long the validation of n items may take where each may take the given time: a few are
// looked at side by side.
func TimeFor(n int, each time.Duration) time.Duration {
	return each * time.Duration(max(1, (n+sideBySide-1)/sideBySide))
}

// Validate asks a judge about every item of a claim that is to be validated.
func Validate(ctx context.Context, j mulligan.Judge, r Request) ([]guard.Ruling, []mulligan.Usage) {
	var mu sync.Mutex
	var rulings []guard.Ruling
	var used []mulligan.Usage
	var running sync.WaitGroup
	places := make(chan struct{}, sideBySide)
	for _, item := range r.Claim.Items {
		if item.Status != mulligan.ItemValidating {
			continue
		}
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			ruling, usage := judgeSafely(ctx, j, r, item)
			mu.Lock()
			defer mu.Unlock()
			rulings = append(rulings, ruling)
			if usage != nil {
				used = append(used, *usage)
			}
		})
	}
	running.Wait()
	return rulings, used
}

// judgeSafely is judgeItem, but a panic is a ruling that nothing could be decided: it must end neither a
// session nor a hook's handler.
func judgeSafely(ctx context.Context, j mulligan.Judge, r Request, item mulligan.ClaimedItem) (ruling guard.Ruling, usage *mulligan.Usage) {
	defer func() {
		if broke := recover(); broke != nil {
			ruling = guard.Ruling{Key: item.Key, By: r.Case.Agent, Broken: true, Reason: fmt.Sprintf("mulligan panicked: %v", broke)}
		}
	}()
	return judgeItem(ctx, j, r, item)
}

// judgeItem asks about one item.
func judgeItem(ctx context.Context, j mulligan.Judge, r Request, item mulligan.ClaimedItem) (guard.Ruling, *mulligan.Usage) {
	c := r.Case
	c.Question, c.Evidence = question, r.gatherEvidence(ctx, item)
	judged := j.Decide(ctx, c)
	ruling := guard.Ruling{Key: item.Key, OK: judged.OK, Reason: judged.Reason, By: c.Agent}
	switch {
	case judged.Broken != "":
		ruling.OK, ruling.Broken, ruling.Reason = false, true, judged.Broken
	case !judged.OK && strings.TrimSpace(judged.Reason) == "":
		ruling.Reason = "no reason was given"
	}
	return ruling, judged.Usage
}

// gatherEvidence returns what shows the work on an item. What cannot be shown is said.
func (r Request) gatherEvidence(ctx context.Context, item mulligan.ClaimedItem) []mulligan.Evidence {
	evidence := []mulligan.Evidence{{Title: "the work that is said to be done", Text: item.Content}}
	evidence = append(evidence, r.showTranscript(item), r.showDiff(ctx, item))
	for _, v := range r.Verdicts {
		words := fmt.Sprintf("check: %s\nresult: %s\n%s", v.Gate, v.Status, v.Summary)
		if v.Finding != nil && v.Finding.Text != "" {
			words += "\noutput:\n" + v.Finding.Text
		}
		evidence = append(evidence, clip("what a check found when it last ran, before the present turn", words, verdictSize))
	}
	return evidence
}

// clip returns a piece of evidence whose text is cut after limit characters.
func clip(title, text string, limit int) mulligan.Evidence {
	all := []rune(text)
	if len(all) <= limit {
		return mulligan.Evidence{Title: title, Text: text}
	}
	return mulligan.Evidence{Title: title, Text: string(all[:limit]), Missing: len(all) - limit}
}

// showTranscript returns the agent's record since the item was opened.
func (r Request) showTranscript(item mulligan.ClaimedItem) mulligan.Evidence {
	if r.Transcript == "" {
		return r.showLog()
	}
	e := mulligan.Evidence{Title: "what the agent said and did since the work was opened"}
	file, err := transcript.Open(r.Transcript)
	if err != nil {
		e.Text = "(the transcript cannot be read: " + err.Error() + ")"
		return e
	}
	defer file.Close()
	excerpt, err := transcript.Read(file, item.Content, transcriptSize, guard.Key)
	e.Text = excerpt.Text
	if err != nil {
		e.Text += "\n(the rest of the transcript cannot be read: " + err.Error() + ")"
	}
	return e
}

// showLog returns the end of what the agent printed in the present turn.
func (r Request) showLog() mulligan.Evidence {
	e := mulligan.Evidence{Title: "the end of what the agent printed in the present turn"}
	if r.Log == "" {
		e.Text = "(nothing is kept)"
		return e
	}
	file, err := transcript.Open(r.Log)
	if err != nil {
		e.Text = "(it cannot be read: " + err.Error() + ")"
		return e
	}
	defer file.Close()
	if e.Text, err = readTail(file); err != nil {
		e.Text += "\n(it cannot be read: " + err.Error() + ")"
	}
	return e
}

func readTail(file *os.File) (string, error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	return transcript.PlainTail(file, info.Size(), transcriptSize)
}

// showDiff returns what has changed in the workspace since the item was opened: since the commit that
// was checked out then.
func (r Request) showDiff(ctx context.Context, item mulligan.ClaimedItem) mulligan.Evidence {
	e := mulligan.Evidence{Title: "what has changed in the files since the commit at which the work was opened"}
	since := ""
	for _, known := range r.Items {
		if known.Key == item.Key {
			since = known.Commit
		}
	}
	diff, err := workspace.WorkingDiff(ctx, r.Dir, since, diffSize, os.Environ())
	switch {
	case err != nil:
		e.Text = "(it cannot be shown: " + err.Error() + ")"
	case strings.TrimSpace(diff.Text) == "":
		e.Text = "(nothing has changed)"
	default:
		e.Text = diff.Text
	}
	return e
}
