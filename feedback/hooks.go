package feedback

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mulligan"
	"mulligan/internal/text"
	"mulligan/state"
)

// HookFeedback returns the prompt by which Stop hooks send the agent back: what they said, word for
// word, and what is different since they did so before, or the user's own text around it.
func (p Prompter) HookFeedback(st *state.State, reply mulligan.AgentHookReply) string {
	said := cmp.Or(strings.TrimSpace(reply.Feedback), strings.TrimSpace(reply.Reason))
	changed := describeSinceBlocked(st, reply)
	template := st.Plan.AgentHooks.Feedback
	if template == "" {
		return joinParagraphs("[Hook feedback]: "+said, changed)
	}
	step := ""
	if st.Step < len(st.Steps) {
		step = st.Steps[st.Step].Name
	}
	return fillPlaceholders(strings.TrimRight(template, "\n"), map[string]string{
		"reason":  strings.TrimSpace(reply.Reason),
		"output":  said,
		"retry":   strconv.Itoa(st.StopHooks.Retry + 1),
		"retries": strconv.Itoa(st.StopHooks.Max),
		"step":    step,
		"changes": changed,
	})
}

// describeSinceBlocked returns in a line what is different since Stop hooks last sent the agent back:
// which hooks are content now, which failing items are fixed, or that it is the same reason again.
// It returns "" at the first time.
func describeSinceBlocked(st *state.State, now mulligan.AgentHookReply) string {
	before := st.StopHooks.LastBlock
	if before == nil {
		return ""
	}
	what := cmp.Or(compareHooks(now, *before), compareOutputs(now.Feedback, before.Feedback))
	switch {
	case what != "":
	case st.StopHooks.SameBlock > 1:
		what = fmt.Sprintf("no change; it blocks for the same reason, %d times in a row now.", st.StopHooks.SameBlock)
	default:
		what = "another reason; the one before was: " + text.Clip(text.OneLine(before.Reason), maxListedName)
	}
	return "Since the last time: " + what
}

// compareHooks returns which hooks blocked then and are content now, and which block for the first
// time, or "" if the same hooks block.
func compareHooks(now, before mulligan.AgentHookReply) string {
	var content, still, fresh []string
	for _, run := range now.Runs {
		name, was := text.Clip(run.Name, maxListedName), slices.Contains(before.Blocking(), run.Name)
		switch {
		case run.Decision == mulligan.Allow && was:
			content = append(content, name)
		case run.Decision == mulligan.Block && was:
			still = append(still, name)
		case run.Decision == mulligan.Block:
			fresh = append(fresh, name)
		}
	}
	if len(content)+len(fresh) == 0 {
		return ""
	}
	return joinGroups(nameGroup{"blocks no more: ", content}, nameGroup{"still blocks: ", still}, nameGroup{"new: ", fresh})
}

// compareOutputs compares the failing items of two outputs, and returns "" if the format of one is
// not known or it was cut.
func compareOutputs(now, before string) string {
	n, b := readFailures(now), readFailures(before)
	if n == nil || b == nil {
		return ""
	}
	return compareItems(n, b)
}

// readFailures returns what a hook's output tells of failing items, or nil if that may not be all of
// them: an output that was cut proves nothing about what is not in it.
func readFailures(output string) *mulligan.Finding {
	if strings.Contains(output, cutMark) {
		return nil
	}
	d := NewDistiller(len(output))
	fmt.Fprint(d, output)
	f := d.Finish("").Finding("", "", "")
	if len(f.Failing) == 0 || !hasAllFailures(f) {
		return nil
	}
	return f
}
