package feedback

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mulligan"
)

// HookFeedback is the prompt by which Stop hooks send the agent back: what they said, word for
// word, and what is different since they did so before, or the user's own text around it.
func (p Prompter) HookFeedback(st *mulligan.State, reply mulligan.AgentHookReply) string {
	said := strings.TrimSpace(reply.Feedback)
	if said == "" {
		said = strings.TrimSpace(reply.Reason)
	}
	changed := sinceBlocked(st, reply)
	text := st.Plan.AgentHooks.Feedback
	if text == "" {
		return join("[Hook feedback]: "+said, changed)
	}
	step := ""
	if st.Step < len(st.Steps) {
		step = st.Steps[st.Step].Name
	}
	return fill(strings.TrimRight(text, "\n"), map[string]string{
		"reason":  strings.TrimSpace(reply.Reason),
		"output":  said,
		"retry":   strconv.Itoa(st.StopHooks.Retry + 1),
		"retries": strconv.Itoa(st.StopHooks.Max),
		"step":    step,
		"changes": changed,
	})
}

// sinceBlocked says in a line what is different since Stop hooks last sent the agent back: which
// hooks are content now, which failing items are fixed, or that it is the same reason again. It is
// empty at the first time.
func sinceBlocked(st *mulligan.State, now mulligan.AgentHookReply) string {
	before := st.StopHooks.LastBlock
	if before == nil {
		return ""
	}
	what := otherHooks(now, *before)
	if what == "" {
		what = otherItems(now.Feedback, before.Feedback)
	}
	switch {
	case what != "":
	case st.StopHooks.SameBlock > 1:
		what = fmt.Sprintf("no change; it blocks for the same reason, %d times in a row now.", st.StopHooks.SameBlock)
	default:
		what = "another reason; the one before was: " + clip(strings.Join(strings.Fields(before.Reason), " "), maxListedName)
	}
	return "Since the last time: " + what
}

// otherHooks tells of hooks that blocked then and are content now, and of those that block for
// the first time.
func otherHooks(now, before mulligan.AgentHookReply) string {
	var content, still, fresh []string
	for _, run := range now.Runs {
		name, was := clip(run.Name, maxListedName), slices.Contains(before.Blocking(), run.Name)
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
	return told(group{"blocks no more: ", content}, group{"still blocks: ", still}, group{"new: ", fresh})
}

// otherItems compares the failing items of two outputs whose format is known. One that was cut
// proves nothing about what is not in it.
func otherItems(now, before string) string {
	n, b := failures(now), failures(before)
	if n == nil || b == nil {
		return ""
	}
	return compared(n, b)
}

// failures is what a hook's output tells of failing items, nil where that may not be all of them.
func failures(text string) *mulligan.Finding {
	if strings.Contains(text, cutMark) {
		return nil
	}
	d := NewDistiller(len(text))
	fmt.Fprint(d, text)
	f := d.Finish("").Finding("", "", "")
	if len(f.Failing) == 0 || !whole(f) {
		return nil
	}
	return f
}
