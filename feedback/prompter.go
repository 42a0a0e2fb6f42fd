package feedback

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// A Prompter makes the prompts of a session.
type Prompter struct {
	// Limit is how many characters of output a prompt has; 0 for DefaultLimit.
	Limit int
}

// Prompts returns the functions that a session writes its prompts with.
func (p Prompter) Prompts() state.Prompts {
	return state.Prompts{
		Step: p.StepPrompt, Loop: p.LoopPrompt, Feedback: p.Feedback, Strategy: p.Strategy, Pieces: p.Piped,
		Now: p.Now, Recovery: p.Recovery, HookFeedback: p.HookFeedback, Delivery: p.Delivery, Kept: p.Kept,
	}
}

// NoOutput stands in a prompt for the output of a command that printed nothing.
const NoOutput = "(no output)"

const maxCommand = 1000 // characters of a command

// Feedback returns the text that tells an agent what its last attempt got wrong: the step's
// own text if it has one, else the built-in one.
func (p Prompter) Feedback(step mulligan.Step, last mulligan.AttemptState, prev *mulligan.AttemptState) string {
	v := last.Last()
	if v == nil || last.Result.Ending == mulligan.Refused {
		return joinParagraphs(describeUnexamined(last), describeDenied(step, last.Result))
	}
	check, output, changed := checkName(v), p.describeOutput(v), describeChanges(last, prev)
	message := joinParagraphs(describeFailedCheck(check, output), changed)
	if step.Feedback != "" {
		message = fillPlaceholders(strings.TrimRight(step.Feedback, "\n"), map[string]string{
			"check":   check,
			"output":  output,
			"attempt": strconv.Itoa(last.Number),
			"step":    step.Name,
			"changes": changed,
		})
	}
	return joinParagraphs(message, describeBaseline(step, v), describeAgentLimit(last.Result), describeDenied(step, last.Result))
}

func describeFailedCheck(check, output string) string {
	return "The previous attempt failed.\n" +
		"The validation check " + quoteCode(check) + " failed with the following output:\n" +
		fence(output) + "\n" +
		"Please analyze this error, fix the underlying code, and try again. Do not modify the tests or checks."
}

// describeUnexamined returns the feedback on an attempt that no gate has examined.
func describeUnexamined(last mulligan.AttemptState) string {
	if last.Result.Ending != mulligan.Refused {
		return "The previous attempt failed" + parenthesize(last.Reason) + ".\nPlease try again. Do not modify the tests or checks."
	}
	return "The previous attempt ended with a refusal" + parenthesize(last.Result.Reason) + ", and its work was not examined.\n" +
		"The task is still to be done. Please do what you can of it, and say plainly what you leave out and why. " +
		"Do not modify the tests or checks."
}

// parenthesize returns a reason in parentheses after a blank, or "" if there is none.
func parenthesize(reason string) string {
	reason = strings.TrimRight(text.Clip(text.OneLine(reason), maxCommand), ".")
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// checkName returns the prompt's name for a check: its command, if it has one.
func checkName(v *mulligan.Verdict) string {
	name := v.Gate
	if v.Finding != nil && v.Finding.Command != "" {
		name = v.Finding.Command
	}
	return text.Clip(strings.TrimSpace(name), maxCommand)
}

// describeOutput returns the evidence, with the way the command ended where that is news.
func (p Prompter) describeOutput(v *mulligan.Verdict) string {
	f := v.Finding
	if f == nil {
		return cmp.Or(text.Clip(v.Summary, maxCommand), NoOutput)
	}
	output := cmp.Or(p.boundText(f), NoOutput)
	if !isPlainExit(f.Exit) {
		output = "[" + text.Clip(f.Exit, maxCommand) + "]\n" + output
	}
	return output
}

// boundText returns a finding's text within the limit, so that a gate which did not distil its
// output does not fill the prompt. The line that a gate writes before a distilled text does not
// count.
func (p Prompter) boundText(f *mulligan.Finding) string {
	limit := cmp.Or(p.Limit, DefaultLimit)
	output := strings.TrimRight(f.Text, "\n")
	if utf8.RuneCountInString(output) <= limit+maxCommand {
		return output
	}
	d := NewDistiller(limit)
	fmt.Fprint(d, output)
	return d.Finish(f.Whole).Text
}

func describeAgentLimit(r mulligan.Result) string {
	if r.Ending != mulligan.AtLimit {
		return ""
	}
	return "The previous attempt was stopped by a limit of the agent's own" + parenthesize(r.Reason) +
		" before it was done. Go on from where it stopped."
}

// How many lines of config that would allow what was denied are told, and how many characters of each.
const (
	maxAllows = 5
	maxAllow  = 300
)

func describeDenied(step mulligan.Step, r mulligan.Result) string {
	if len(r.Denied) == 0 {
		return ""
	}
	var uses, lines []string
	for _, use := range r.DeniedUses(cmp.Or(step.Agent, "NAME")) {
		uses = append(uses, use.String())
		if line := quoteCode(text.Clip(use.Allow, maxAllow)); !slices.Contains(lines, line) && len(lines) < maxAllows {
			lines = append(lines, line)
		}
	}
	return "In the previous attempt the use of these tools was denied: " + joinNames(uses) +
		". They will be denied again, unless a person allows them in the config (" + strings.Join(lines, ", ") +
		"): find a way without them."
}

// quoteCode returns a command as Markdown's inline code: the fence is longer than any inside.
func quoteCode(s string) string {
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// fillPlaceholders replaces the placeholders that have a value. A placeholder inside a value
// stays as it is.
func fillPlaceholders(template string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(template, "{{")
		b.WriteString(before)
		name, after, ok := strings.Cut(rest, "}}")
		if !ok {
			b.WriteString(template[len(before):])
			return b.String()
		}
		if v, known := values[strings.TrimSpace(name)]; known {
			b.WriteString(v)
			template = after
			continue
		}
		b.WriteString("{{")
		template = rest
	}
}

// joinParagraphs joins paragraphs, without the empty ones. It uses the memory of parts.
func joinParagraphs(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}
