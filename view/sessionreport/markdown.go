package sessionreport

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"mulligan/internal/text"
	"mulligan/view"
)

// MaxMarkdown is how many characters the Markdown form has at most. GitHub takes 65,536 in the text of a pull
// request.
const MaxMarkdown = 60_000

const (
	maxTableRows = 40
	maxFolded    = 12_000 // characters of one piece of evidence
	footerRoom   = 600
)

// Markdown returns the report for a pull request: the verdict, what verified it, the attempts, and folded below the
// evidence and the task, as much as there is room for.
func (r *Report) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s %s\n\n%s\n\n", r.Verdict.Sign, escapeText(r.Verdict.Word), escapeText(r.Verdict.Sentence))
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "> **Note:** %s\n\n", escapeText(w))
	}
	for _, f := range r.Facts {
		fmt.Fprintf(&b, "- **%s:** %s\n", f.Label, escapeText(f.Text))
	}
	r.writeGates(&b)
	r.writeAttempts(&b)
	if len(r.Again) > 0 {
		fmt.Fprintf(&b, "\n**%s**\n\n%s", r.AgainTitle(), fence("sh", text.Clip(strings.Join(r.Again, "\n"), 4_000)))
	}
	head := clipRunes(b.String(), MaxMarkdown-2*footerRoom)
	var folded strings.Builder
	left := 0
	for _, block := range r.foldedBlocks() {
		if utf8.RuneCountInString(head)+utf8.RuneCountInString(folded.String())+utf8.RuneCountInString(block) > MaxMarkdown-footerRoom {
			left++
			continue
		}
		folded.WriteString(block)
	}
	foot := fmt.Sprintf("\n<sub>Session %s, %s.", escapeText(r.Session), escapeText(r.Made))
	if left > 0 {
		foot += fmt.Sprintf(" %s did not fit: `mulligan report` has them.", capitalize(text.Count(left, "folded part")))
	}
	return head + folded.String() + foot + "</sub>\n"
}

// writeGates writes what verified the work.
func (r *Report) writeGates(b *strings.Builder) {
	if len(r.Gates) == 0 {
		return
	}
	b.WriteString("\n**What verified it**\n\n| step | check | found | took |\n|---|---|---|---|\n")
	for i, g := range r.Gates {
		if i == maxTableRows {
			fmt.Fprintf(b, "| and %d more | | | |\n", len(r.Gates)-i)
			return
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", escapeText(g.Step), codeSpan(g.Name), escapeText(view.Join("; ", append([]string{g.Found}, g.Caveats...)...)), g.Took)
	}
}

// writeAttempts writes the attempts as a table.
func (r *Report) writeAttempts(b *strings.Builder) {
	var rows []Attempt
	for _, a := range r.Attempts {
		if a.Iteration > 0 {
			rows = append(rows, a)
		}
	}
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n**Attempts**\n\n| | attempt | strategy | took | what came of it |\n|---|---|---|---|---|\n")
	if skipped := r.Earlier + max(0, len(rows)-maxTableRows); skipped > 0 {
		fmt.Fprintf(b, "| | %d earlier | | | |\n", skipped)
	}
	for _, a := range rows[max(0, len(rows)-maxTableRows):] {
		came := string(a.Verdict)
		if len(a.Evidence) > 0 {
			last := a.Evidence[len(a.Evidence)-1]
			came = view.Join(": ", last.Gate, last.Summary)
		} else if a.Reason != "" {
			came = a.Reason
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", a.Verdict.Sign(), escapeText(a.Name), escapeText(a.Strategy), a.Duration, escapeText(text.Clip(came, 200)))
	}
}

// foldedBlocks returns what is folded: the evidence, that of the last attempt first, and the task.
func (r *Report) foldedBlocks() []string {
	var list []string
	for i := len(r.Attempts) - 1; i >= 0; i-- {
		for _, e := range r.Attempts[i].Evidence {
			if e.Text != "" {
				list = append(list, fold(view.Join(": ", r.Attempts[i].Name, e.Gate, e.Summary), fence("", clipRunes(view.Text(e.Text), maxFolded))))
			}
		}
		if len(list) == 1 && r.Asked != "" { // before the evidence of earlier attempts
			list = append(list, r.foldTask())
		}
	}
	if len(list) == 0 && r.Asked != "" {
		list = append(list, r.foldTask())
	}
	return list
}

func (r *Report) foldTask() string {
	return fold("What was asked", fence("markdown", clipRunes(view.Document(r.Asked), maxFolded)))
}

// fold returns a block that opens with a click.
func fold(summary, content string) string {
	return "\n<details><summary>" + escapeText(text.Clip(summary, 200)) + "</summary>\n\n" + content + "\n</details>\n"
}

// fence returns a text as a block of code, whatever is in it.
func fence(language, s string) string {
	marks := strings.Repeat("`", max(3, longestRun(s)+1))
	return marks + language + "\n" + strings.Trim(s, "\n") + "\n" + marks + "\n"
}

// codeSpan returns a text as code in a line, also in a table.
func codeSpan(s string) string {
	marks := strings.Repeat("`", longestRun(s)+1)
	return marks + " " + strings.ReplaceAll(s, "|", `\|`) + " " + marks
}

// longestRun returns how many backquotes stand in a row at most.
func longestRun(s string) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// inertText keeps a text from being anything but text: markup, HTML, and what a forge makes links of, mentions people
// by and closes issues with.
var inertText = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "\\", `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`, "\n", " ", "\r", " ",
	"@", "@<!-- -->", "#", "#<!-- -->", "://", ":<!-- -->//",
)

func escapeText(s string) string { return inertText.Replace(s) }

// clipRunes returns at most so many characters of a text, and tells if there are more.
func clipRunes(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	const more = "\n… and more"
	runes := []rune(s)
	return string(runes[:most-len([]rune(more))]) + more
}
