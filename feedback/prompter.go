package feedback

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"mulligan"
)

// Prompter makes the prompts of a session.
type Prompter struct {
	// Limit is how many characters of output a prompt gives; 0 for DefaultLimit.
	Limit int
}

// Prompts returns the functions that a session writes its prompts with.
func (p Prompter) Prompts() mulligan.Prompts {
	return mulligan.Prompts{
		Step: p.StepPrompt, Loop: p.LoopPrompt, Feedback: p.Feedback, Pieces: p.Piped,
		Now: p.Now, Recovery: p.Recovery, HookFeedback: p.HookFeedback, Delivery: p.Delivery,
	}
}

// NoOutput is what an agent gets of a command that printed nothing.
const NoOutput = "(no output)"

const maxCommand = 1000 // characters of a command

// Feedback tells an agent what its last attempt got wrong. A step's own text, where
// it has one, stands for ours.
func (p Prompter) Feedback(step mulligan.Step, last mulligan.AttemptState, prev *mulligan.AttemptState) string {
	v := last.Last()
	if v == nil || last.Result.Ending == mulligan.Refused {
		return join(unexamined(last), denied(last.Result))
	}
	check, output, changed := command(v), p.output(v), changes(last, prev)
	var text string
	if step.Feedback != "" {
		text = fill(strings.TrimRight(step.Feedback, "\n"), map[string]string{
			"check":   check,
			"output":  output,
			"attempt": strconv.Itoa(last.Number),
			"step":    step.Name,
			"changes": changed,
		})
	} else {
		text = join(failedCheck(check, output), changed)
	}
	return join(text, atLimit(last.Result), denied(last.Result))
}

func failedCheck(check, output string) string {
	return "The previous attempt failed.\n" +
		"The validation check " + code(check) + " failed with the following output:\n" +
		"---\n" + output + "\n---\n" +
		"Please analyze this error, fix the underlying code, and try again. Do not modify the tests or checks."
}

// unexamined is for an attempt that no gate has examined.
func unexamined(last mulligan.AttemptState) string {
	if last.Result.Ending != mulligan.Refused {
		return "The previous attempt failed" + because(last.Reason) + ".\nPlease try again. Do not modify the tests or checks."
	}
	return "The previous attempt ended with a refusal" + because(last.Result.Reason) + ", and its work was not examined.\n" +
		"The task is still to be done. Please do what you can of it, and say plainly what you leave out and why. " +
		"Do not modify the tests or checks."
}

func because(reason string) string {
	reason = strings.TrimRight(clip(strings.Join(strings.Fields(reason), " "), maxCommand), ".")
	if reason == "" {
		return ""
	}
	return " (" + reason + ")"
}

// command is how the prompt names the check.
func command(v *mulligan.Verdict) string {
	name := v.Gate
	if v.Finding != nil && v.Finding.Command != "" {
		name = v.Finding.Command
	}
	return clip(strings.TrimSpace(name), maxCommand)
}

// output is the evidence, with the way the command ended where that is news.
func (p Prompter) output(v *mulligan.Verdict) string {
	f := v.Finding
	if f == nil {
		if v.Summary == "" {
			return NoOutput
		}
		return clip(v.Summary, maxCommand)
	}
	text := p.bounded(f)
	if text == "" {
		text = NoOutput
	}
	if !plainExit(f.Exit) {
		text = "[" + clip(f.Exit, maxCommand) + "]\n" + text
	}
	return text
}

// bounded keeps a gate that did not distil its output from filling the prompt. What a
// gate says in a line before a distilled text does not count.
func (p Prompter) bounded(f *mulligan.Finding) string {
	limit := p.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	text := strings.TrimRight(f.Text, "\n")
	if utf8.RuneCountInString(text) <= limit+maxCommand {
		return text
	}
	d := NewDistiller(limit)
	fmt.Fprint(d, text)
	return d.Finish(f.Whole).Text
}

func atLimit(r mulligan.Result) string {
	if r.Ending != mulligan.AtLimit {
		return ""
	}
	return "The previous attempt was stopped by a limit of the agent's own" + because(r.Reason) +
		" before it was done. Go on from where it stopped."
}

func denied(r mulligan.Result) string {
	if len(r.Denied) == 0 {
		return ""
	}
	return "In the previous attempt the use of these tools was denied: " + listed(r.Denied) +
		". They will be denied again: find a way without them."
}

// code writes a command as Markdown does: the fence is longer than any inside.
func code(s string) string {
	longest, run := 0, 0
	for _, r := range s {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	if longest > 0 && (strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`")) {
		s = " " + s + " "
	}
	return fence + s + fence
}

// fill replaces the placeholders that it knows, once: what a value holds is never
// looked at again.
func fill(text string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(text, "{{")
		b.WriteString(before)
		name, after, ok := strings.Cut(rest, "}}")
		if !ok {
			b.WriteString(text[len(before):])
			return b.String()
		}
		if v, known := values[strings.TrimSpace(name)]; known {
			b.WriteString(v)
			text = after
			continue
		}
		b.WriteString("{{")
		text = rest
	}
}

// join puts paragraphs together, leaving out empty ones.
func join(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n\n")
}
