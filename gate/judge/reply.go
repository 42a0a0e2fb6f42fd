package judge

import (
	"cmp"
	"encoding/json"
	"strings"

	"mulligan"
	"mulligan/internal/jsonsearch"
	"mulligan/internal/text"
)

const replyShown = 300 // characters of a reply that has no decision

// readReply returns the decision of a judge's reply: the last JSON object in it counts. Anything else
// decides nothing. Of a reply that was cut it is not known which object is the last.
func readReply(reply string, cut bool) mulligan.Judgement {
	shown := text.Clip(text.OneLine(reply), replyShown)
	switch {
	case cut:
		return broken("its reply is too long to be read: %s", shown)
	case shown == "":
		return broken("it answered nothing")
	}
	at, found, err := jsonsearch.LastObject([]byte(reply))
	if err != nil {
		return broken("its reply cannot be read: %v: %s", err, shown)
	}
	var fields map[string]json.RawMessage // by their exact names
	var ok *bool
	var reason string
	if !found || json.Unmarshal([]byte(reply[at.Start:at.End]), &fields) != nil || json.Unmarshal(fields["ok"], &ok) != nil || ok == nil {
		return broken(`it did not answer {"ok": bool, "reason": string}, but: %s`, shown)
	}
	if raw, given := fields["reason"]; given && json.Unmarshal(raw, &reason) != nil {
		return broken("its reason is not a text: %s", shown)
	}
	j := mulligan.Judgement{OK: *ok, Reason: text.Clip(strings.TrimSpace(reason), mulligan.MaxJudgeReason)}
	if !j.OK {
		j.Reason = cmp.Or(j.Reason, "the judge gives no reason")
	}
	return j
}
