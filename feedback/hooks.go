package feedback

import (
	"strconv"
	"strings"

	"mulligan"
)

// HookFeedback is the prompt by which Stop hooks send the agent back: what they said, word for
// word, or the user's own text around it.
func (p Prompter) HookFeedback(st *mulligan.State, reply mulligan.AgentHookReply) string {
	said := strings.TrimSpace(reply.Feedback)
	if said == "" {
		said = strings.TrimSpace(reply.Reason)
	}
	text := st.Plan.AgentHooks.Feedback
	if text == "" {
		return "[Hook feedback]: " + said
	}
	step := ""
	if st.Step < len(st.Steps) {
		step = st.Steps[st.Step].Name
	}
	return fill(strings.TrimRight(text, "\n"), map[string]string{
		"reason":  strings.TrimSpace(reply.Reason),
		"output":  said,
		"retry":   strconv.Itoa(st.HookRetry + 1),
		"retries": strconv.Itoa(st.HookMax),
		"step":    step,
	})
}
