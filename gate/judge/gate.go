package judge

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"mulligan"
	"mulligan/gate"
	"mulligan/internal/capture"
	"mulligan/internal/text"
)

// Options are the settings of a check that an agent decides.
type Options struct {
	Agent      string `json:"agent"`
	PromptFile string `json:"prompt_file,omitempty"` // for people
	Prompt     string `json:"prompt"`                // the file's text
}

// DefaultTimeout is the time limit of such a check that has none of its own.
const DefaultTimeout = 10 * time.Minute

// How much of the work a judge is shown.
const (
	diffBytes  = 60_000
	outputSize = 8_000 // characters of a check's output
)

// A Gate has an agent decide about the work.
type Gate struct {
	spec   mulligan.CheckSpec
	opt    Options
	judge  mulligan.Judge
	filter func(io.Writer) io.WriteCloser
}

// New returns a gate for a spec whose options are Options. filter takes secrets out of what the judge
// prints; it may be nil.
func New(spec mulligan.CheckSpec, j mulligan.Judge, filter func(io.Writer) io.WriteCloser) (*Gate, error) {
	var opt Options
	if err := json.Unmarshal(spec.Options, &opt); err != nil {
		return nil, fmt.Errorf("check %s: options: %w", spec.Name, err)
	}
	if opt.Agent == "" || strings.TrimSpace(opt.Prompt) == "" {
		return nil, fmt.Errorf("check %s: a judge needs an agent and a prompt", spec.Name)
	}
	if j == nil {
		return nil, fmt.Errorf("check %s: there is no agent to ask here", spec.Name)
	}
	spec.Timeout = cmp.Or(spec.Timeout, DefaultTimeout)
	return &Gate{spec: spec, opt: opt, judge: j, filter: filter}, nil
}

// Examine has the agent decide.
func (g *Gate) Examine(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	return gate.Timed(g.spec.Name, func() mulligan.Verdict { return g.askJudge(ctx, w) })
}

// askJudge asks the judge, and returns the verdict without its name and duration.
func (g *Gate) askJudge(ctx context.Context, w mulligan.Work) mulligan.Verdict {
	evidence, err := gatherEvidence(ctx, w)
	if err != nil {
		return g.newVerdict(mulligan.Broken, fmt.Sprintf("the work cannot be compared: %v", err), mulligan.Judgement{}, capture.Evidence{})
	}
	out := capture.New(capture.Options{Path: w.Output, Live: w.Live, Filter: g.filter})
	j := g.judge.Decide(ctx, mulligan.Case{
		Session: w.Session, Step: w.Step, Attempt: w.Attempt, Iteration: w.Iteration, Agent: g.opt.Agent,
		Question: g.opt.Prompt, Evidence: evidence, Timeout: g.spec.Timeout, BudgetUSD: w.BudgetUSD, Log: out,
	})
	printed := out.Finish()
	switch {
	case j.Broken != "":
		return g.newVerdict(mulligan.Broken, j.Broken, j, printed)
	case j.OK:
		return g.newVerdict(mulligan.Pass, j.Reason, j, printed)
	}
	return g.newVerdict(mulligan.Fail, j.Reason, j, printed)
}

const summaryShown = 200 // characters

func (g *Gate) newVerdict(status mulligan.Status, why string, j mulligan.Judgement, printed capture.Evidence) mulligan.Verdict {
	return mulligan.Verdict{
		Status: status, Judge: j.Usage,
		Summary: text.Clip(text.OneLine(why), summaryShown),
		Finding: &mulligan.Finding{Command: g.spec.Name, Text: why, Whole: printed.Whole, Bytes: printed.Bytes},
	}
}

// gatherEvidence returns what a judge is shown of the work: the task, what changed, and what the gates
// before it found. A task may have been written by an agent, as one of a folder.
func gatherEvidence(ctx context.Context, w mulligan.Work) ([]mulligan.Evidence, error) {
	var evidence []mulligan.Evidence
	if strings.TrimSpace(w.Task) != "" {
		evidence = append(evidence, mulligan.Evidence{Title: "the task that the work is for", Text: w.Task})
	}
	if w.Diff != nil {
		diff, err := w.Diff(ctx, diffBytes)
		if err != nil {
			return nil, err
		}
		evidence = append(evidence, describeDiff(diff)...)
	}
	for _, v := range w.Verdicts {
		evidence = append(evidence, describeVerdict(v))
	}
	return evidence, nil
}

// describeDiff returns what changed as evidence: the list of the files first, so that a patch which is
// cut hides none.
func describeDiff(d mulligan.Diff) []mulligan.Evidence {
	if d.All == 0 && d.Patch == "" {
		return []mulligan.Evidence{{Title: "the files that the work changed", Text: "none"}}
	}
	list := strings.Join(d.Paths, "\n")
	if more := d.All - len(d.Paths); more > 0 {
		list += fmt.Sprintf("\n… and %s", text.Count(more, "more file"))
	}
	return []mulligan.Evidence{
		{Title: fmt.Sprintf("the files that the work changed, %d of them (A added, M changed, D deleted)", d.All), Text: list},
		{Title: "what the work changed, as a patch", Text: d.Patch, Missing: d.Cut},
	}
}

// describeVerdict returns what a gate found.
func describeVerdict(v mulligan.Verdict) mulligan.Evidence {
	lines := []string{fmt.Sprintf("check: %s", v.Gate), fmt.Sprintf("result: %s", v.Status)}
	if v.Summary != "" {
		lines = append(lines, "in short: "+v.Summary)
	}
	if v.Finding != nil && strings.TrimSpace(v.Finding.Text) != "" {
		output, missing := cutMiddle(v.Finding.Text, outputSize)
		if v.Finding.Cut || missing > 0 {
			lines = append(lines, "output (cut):")
		} else {
			lines = append(lines, "output:")
		}
		lines = append(lines, output)
	}
	return mulligan.Evidence{Title: "what a check of the work found", Text: strings.Join(lines, "\n")}
}
