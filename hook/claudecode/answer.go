package claudecode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/internal/jsonsearch"
	"mulligan/internal/text"
)

// An answer is what a hook prints as JSON.
type answer struct {
	found      bool
	rest       string // what it printed beside the object
	blocks     bool
	reason     string
	halts      bool
	stopReason string // why it halts
	message    string // for the person
	context    string // for the agent
	// permission is allow or ask, for a tool that the agent wants to use.
	permission string
	retry      mulligan.HookSteer
	// retryRemarks are about the hook's wish for its retries.
	retryRemarks []string
	remarks      []string // about what could not be used
	// wrong is why it cannot be told what the hook decides, or "".
	wrong string
}

const noReason = "the hook blocks and gives no reason"

// parseAnswer reads what a hook printed. Unknown fields are ignored, a field that cannot be used is
// remarked on, and if that hides a decision the answer is wrong. The error means that the search for
// the object gave up.
func parseAnswer(printed []byte) (answer, error) {
	at, found, err := jsonsearch.LastObject(printed)
	if err != nil {
		return answer{}, err
	}
	var fields map[string]json.RawMessage
	if !found || json.Unmarshal(printed[at.Start:at.End], &fields) != nil {
		return answer{rest: string(printed)}, nil
	}
	before, after := bytes.TrimSpace(printed[:at.Start]), bytes.TrimSpace(printed[at.End:])
	a := answer{found: true, rest: strings.TrimSpace(string(before) + "\n" + string(after))}
	a.readFields(fields)
	if !slices.ContainsFunc(answerFields, func(name string) bool { return fields[name] != nil }) &&
		strings.Contains(a.rest, `"decision"`) {
		a.addRemark(`before its last JSON object stands a "decision" that is no JSON or not the last: it does not count`)
	}
	return a, nil
}

var answerFields = []string{"decision", "reason", "continue", "stopReason", "systemMessage", "hookSpecificOutput", "additionalContext", "retry", "suppressOutput"}

func (a *answer) addRemark(format string, args ...any) {
	a.remarks = append(a.remarks, fmt.Sprintf(format, args...))
}

func (a *answer) addRetryRemark(format string, args ...any) {
	a.retryRemarks = append(a.retryRemarks, fmt.Sprintf(format, args...))
}

func (a *answer) readFields(fields map[string]json.RawMessage) {
	a.readDecision(fields["decision"])
	a.reason = a.readText(fields, "reason")
	a.stopReason = a.readText(fields, "stopReason")
	a.message = a.readText(fields, "systemMessage")
	proceed := true
	a.readDeciding(fields, "continue", "true or false", &proceed)
	a.halts = !proceed
	var specific map[string]json.RawMessage
	a.readDeciding(fields, "hookSpecificOutput", "an object", &specific)
	a.context = a.readText(specific, "additionalContext")
	a.readPermission(specific)
	if a.context == "" {
		a.context = a.readText(fields, "additionalContext") // where codemie's hooks have it
	}
	if retry := fields["retry"]; !isAbsent(retry) {
		a.readRetry(retry)
	}
}

func (a *answer) readDecision(raw json.RawMessage) {
	if isAbsent(raw) {
		return
	}
	var decision string
	err := json.Unmarshal(raw, &decision)
	switch strings.ToLower(decision) {
	case "block", "deny":
		a.blocks = true
		return
	case "approve", "allow", "":
		if err == nil {
			return
		}
	}
	a.wrong = fmt.Sprintf("its decision is %s: want \"block\", or none", showValue(raw))
}

// readPermission reads a hook's decision on a tool that the agent wants to use.
func (a *answer) readPermission(specific map[string]json.RawMessage) {
	var decision string
	a.readDeciding(specific, "permissionDecision", "allow, deny or ask", &decision)
	switch decision = strings.ToLower(decision); decision {
	case "":
	case "deny":
		a.blocks = true
		if why := a.readText(specific, "permissionDecisionReason"); why != "" {
			a.reason = why
		}
	case "allow", "ask":
		a.permission = decision
	default:
		a.wrong = fmt.Sprintf("permissionDecision is %q: want allow, deny or ask", text.Clip(decision, valueShown))
	}
}

// readText returns a field that is to be a text; another value is returned as it is written.
func (a *answer) readText(fields map[string]json.RawMessage, name string) string {
	var s string
	if !a.readField(fields, name, "a text", &s) {
		s = string(fields[name])
	}
	return strings.TrimSpace(s)
}

// readField reads a field into to, and leaves to as it is if the field is absent. It reports whether
// that was possible: a field of another type is remarked on.
func (a *answer) readField(fields map[string]json.RawMessage, name, wanted string, to any) bool {
	raw := fields[name]
	ok := isAbsent(raw) || json.Unmarshal(raw, to) == nil
	if !ok {
		a.addRemark("%s is %s: want %s", name, showValue(raw), wanted)
	}
	return ok
}

// readDeciding reads a field as readField does. If it has another type, the answer is wrong: what the
// hook decides may stand there.
func (a *answer) readDeciding(fields map[string]json.RawMessage, name, wanted string, to any) {
	if raw := fields[name]; !isAbsent(raw) && json.Unmarshal(raw, to) != nil {
		a.wrong = cmp.Or(a.wrong, fmt.Sprintf("%s is %s: want %s", name, showValue(raw), wanted))
	}
}

// isAbsent reports whether a field is missing or null.
func isAbsent(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

// showValue returns a value for a message.
func showValue(raw json.RawMessage) string { return text.Clip(string(raw), valueShown) }

const valueShown = 60 // characters of a value in a message
