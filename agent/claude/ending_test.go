package claude

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan"
	"mulligan/internal/process"
)

// Lines as version 2.1.325 wrote them, without what mulligan does not read.
const (
	begun      = `{"type":"system","subtype":"init","session_id":"c1","model":"m","permissionMode":"default","apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.325"}`
	spoke      = `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"so far"}],"usage":{"input_tokens":100,"cache_read_input_tokens":300,"output_tokens":1}},"parent_tool_use_id":null}`
	calls      = `{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test ./..."}}],"usage":{"input_tokens":100,"cache_read_input_tokens":300,"output_tokens":9}},"parent_tool_use_id":null}`
	limited    = `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794776612,"rateLimitType":"five_hour"}}`
	warned     = `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1794776612,"utilization":0.9}}`
	finishedOK = `{"type":"result","subtype":"success","is_error":false,"api_error_status":null,"terminal_reason":"completed","stop_reason":"end_turn","num_turns":2,"result":"all done","permission_denials":[]}`
)

// wrong returns what the program writes in the model's place, and its result after it.
func wrong(class, kind, status, text string) []string {
	return []string{
		begun,
		`{"type":"assistant","error":"` + class + `","is_api_error_message":true,"api_error_type":"` + kind + `","timestamp":"2026-11-15T20:00:00Z","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"` + text + `"}]}}`,
		`{"type":"result","subtype":"success","is_error":true,"api_error_status":` + status + `,"api_error_type":"` + kind + `","terminal_reason":"api_error","stop_reason":"stop_sequence","num_turns":1,"result":"` + text + `"}`,
	}
}

func retried(status, delay string) string {
	return `{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":` + delay + `,"error_status":` + status + `,"error":"rate_limit"}`
}

func listen(lines ...string) *transcript {
	t := newTranscript(discard{})
	for _, l := range lines {
		t.takeLine([]byte(l))
	}
	return t
}

func TestEndings(t *testing.T) {
	failed := process.Exit{Code: 1}
	after := func(seconds int) time.Time { return time.Date(2026, 11, 15, 20, 0, seconds, 0, time.UTC) }
	refused := `{"type":"result","subtype":"success","is_error":true,"api_error_status":null,"terminal_reason":"api_error","stop_reason":"refusal","result":"flagged\n\nmore"}`
	for _, tt := range []struct {
		name  string
		exit  process.Exit
		lines []string
		want  mulligan.Result
	}{
		{"finished", process.Exit{}, []string{begun, spoke, finishedOK}, mulligan.Result{Ending: mulligan.Finished}},
		{"interrupted", process.Exit{}, []string{begun, spoke}, mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 0 without a result: last words"}},
		{"interrupted in a tool", process.Exit{}, []string{begun, spoke, `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools","errors":["[ede_diagnostic] x"]}`}, mulligan.Result{Ending: mulligan.Crashed, Reason: "interrupted: aborted_tools"}},
		{"interrupted, and no error", process.Exit{}, []string{begun, spoke, `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"aborted_streaming","result":"so far"}`}, mulligan.Result{Ending: mulligan.Crashed, Reason: "interrupted: aborted_streaming"}},
		{"nothing", process.Exit{}, nil, mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 0 without a result: last words"}},
		{"id in use", failed, nil, mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 1 without a result: last words"}},
		{"ended by a signal", process.Exit{Code: -1, Signal: "killed"}, []string{begun}, mulligan.Result{Ending: mulligan.Crashed, Reason: "signal: killed without a result: last words"}},
		{"a result, and then a crash", process.Exit{Code: 3}, []string{begun, finishedOK}, mulligan.Result{Ending: mulligan.Crashed, Reason: "exit status 3: all done"}},
		{"cancelled", process.Exit{Cancelled: true}, []string{begun, finishedOK}, mulligan.Result{Ending: mulligan.Cancelled}},
		{"timed out", process.Exit{TimedOut: true, Limit: time.Minute}, []string{begun, finishedOK}, mulligan.Result{Ending: mulligan.TimedOut, Reason: "timed out after 1m0s"}},
		{"silent", process.Exit{IdledOut: true, Limit: time.Minute}, wrong("rate_limit", "", "429", "x"), mulligan.Result{Ending: mulligan.TimedOut, Reason: "silent for 1m0s"}},
		{"turns", failed, []string{begun, `{"type":"result","subtype":"error_max_turns","is_error":true,"terminal_reason":"max_turns","errors":["Reached maximum number of turns (1)"]}`}, mulligan.Result{Ending: mulligan.AtLimit, Reason: "Reached maximum number of turns (1)"}},
		{"budget", failed, []string{begun, `{"type":"result","subtype":"error_max_budget_usd","is_error":true,"errors":["Reached maximum budget ($0.008)"]}`}, mulligan.Result{Ending: mulligan.AtLimit, Reason: "Reached maximum budget ($0.008)"}},
		{"output", failed, wrong("max_output_tokens", "", "null", "too much"), mulligan.Result{Ending: mulligan.AtLimit, Reason: "too much"}},
		{"too long", failed, []string{begun, `{"type":"result","subtype":"success","is_error":true,"terminal_reason":"prompt_too_long","result":"Prompt is too long"}`}, mulligan.Result{Ending: mulligan.AtLimit, Reason: "Prompt is too long"}},
		{"refused", failed, []string{begun, refused}, mulligan.Result{Ending: mulligan.Refused, Reason: "flagged"}},
		{"refused, exit 0", process.Exit{}, []string{begun, `{"type":"result","is_error":false,"stop_reason":"refusal","result":"no"}`}, mulligan.Result{Ending: mulligan.Refused, Reason: "no"}},
		{"500", failed, wrong("server_error", "api_error", "500", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network, Reason: "a"}},
		{"529", failed, wrong("server_error", "overloaded_error", "529", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network, Reason: "a"}},
		{"no connection", failed, wrong("server_error", "", "null", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network, Reason: "a"}},
		{"cut short", failed, append(wrong("server_error", "", "null", "a")[:2], `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["cut"]}`), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Network, Reason: "cut"}},
		{"failed, then answered, then broke", failed, append(wrong("server_error", "", "null", "a")[:2], spoke, `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["broke"]}`), mulligan.Result{Ending: mulligan.Crashed, Reason: "broke"}},
		{"401", failed, wrong("authentication_failed", "authentication_error", "401", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth, Reason: "a"}},
		{"403", failed, wrong("authentication_failed", "permission_error", "403", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth, Reason: "a"}},
		{"not logged in", failed, wrong("authentication_failed", "", "null", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Auth, Reason: "a"}},
		{"no credit", failed, wrong("billing_error", "invalid_request_error", "400", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Billing, Reason: "a"}},
		{"402", failed, wrong("unknown", "billing_error", "402", "a"), mulligan.Result{Ending: mulligan.Unavailable, Cause: mulligan.Billing, Reason: "a"}},
		{"400", failed, wrong("unknown", "invalid_request_error", "400", "a"), mulligan.Result{Ending: mulligan.Crashed, Reason: "a"}},
		{"429", failed, wrong("rate_limit", "rate_limit_error", "429", "a"), mulligan.Result{Ending: mulligan.RateLimited, Reason: "a"}},
		{"429, backing off", failed, append([]string{retried("429", "584")}, wrong("rate_limit", "rate_limit_error", "429", "a")...), mulligan.Result{Ending: mulligan.RateLimited, Reason: "a"}},
		{"429, told when", failed, append([]string{retried("429", "3000")}, wrong("rate_limit", "rate_limit_error", "429", "a")...), mulligan.Result{Ending: mulligan.RateLimited, Reason: "a", Until: after(3)}},
		{"a subscription's limit", failed, append([]string{limited}, wrong("rate_limit", "rate_limit_error", "429", "a")...), mulligan.Result{Ending: mulligan.RateLimited, Reason: "a", Until: time.Unix(1794776612, 0).UTC()}},
		{"a warning is no limit", process.Exit{}, []string{begun, warned, limited, spoke, finishedOK}, mulligan.Result{Ending: mulligan.Finished}},
		{"no such conversation", failed, []string{`{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["No conversation found"]}`}, mulligan.Result{Ending: mulligan.Crashed, Reason: "No conversation found"}},
		{"error without words", failed, []string{begun, `{"type":"result","subtype":"error_new","is_error":true}`}, mulligan.Result{Ending: mulligan.Crashed, Reason: "error_new"}},
		{"odd types", failed, []string{begun, `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":{"a":1},"usage":7,"num_turns":"many"}`}, mulligan.Result{Ending: mulligan.AtLimit, Reason: "error_max_turns"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := listen(tt.lines...).turnResult(tt.exit, "last words")
			if got.Ending != tt.want.Ending || got.Cause != tt.want.Cause || got.Reason != tt.want.Reason || !got.Until.Equal(tt.want.Until) {
				t.Errorf("got  %s (%s) %q until %v\nwant %s (%s) %q until %v", got.Ending, got.Cause, got.Reason, got.Until,
					tt.want.Ending, tt.want.Cause, tt.want.Reason, tt.want.Until)
			}
		})
	}
}

// TestWordsDecideNothing (A2): the same words, said by the agent and printed by a tool.
func TestWordsDecideNothing(t *testing.T) {
	const words = `API Error: 429 rate_limit. Failed to authenticate. {\"type\":\"result\",\"is_error\":true}`
	said := strings.ReplaceAll(spoke, "so far", words)
	printed := `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"` + words + `","is_error":true}]}}`
	r := listen(begun, said, printed, strings.ReplaceAll(finishedOK, "all done", words)).turnResult(process.Exit{}, words)
	if r.Ending != mulligan.Finished {
		t.Errorf("%s (%s) %s", r.Ending, r.Cause, r.Reason)
	}
	r = listen(begun, said, printed).turnResult(process.Exit{Code: 1}, words)
	if r.Ending != mulligan.Crashed {
		t.Errorf("%s (%s) %s", r.Ending, r.Cause, r.Reason)
	}
}

func TestMessage(t *testing.T) {
	of := func(parent string) string {
		return strings.Replace(spoke, `"parent_tool_use_id":null`, `"parent_tool_use_id":"`+parent+`"`, 1)
	}
	second := strings.NewReplacer("m1", "m2", "so far", "and now").Replace(spoke)
	for _, tt := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"given", []string{spoke, finishedOK}, "all done"},
		{"heard", []string{spoke, calls}, "so far"},
		{"in pieces", []string{spoke, strings.ReplaceAll(spoke, "so far", ", so good")}, "so far, so good"},
		{"the last", []string{spoke, second}, "and now"},
		{"not a subagent's", []string{spoke, of("t1")}, "so far"},
		{"not an error's", append([]string{spoke}, wrong("server_error", "", "500", "API Error")...), "so far"},
		{"given as nothing", []string{spoke, strings.ReplaceAll(finishedOK, "all done", "")}, "so far"},
	} {
		if got, cut := listen(tt.lines...).lastMessage(); got != tt.want || cut {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDenied(t *testing.T) {
	heard := listen(begun,
		`{"type":"system","subtype":"permission_denied","tool_name":"Write","message":"no"}`,
		strings.ReplaceAll(finishedOK, `"permission_denials":[]`, `"permission_denials":[{"tool_name":"Write","tool_input":{}},{"tool_name":"Bash"},{"tool_name":"Bash"}]`))
	if !slices.Equal(heard.denied, []string{"Write", "Bash"}) {
		t.Errorf("%q", heard.denied)
	}
}

func TestLostConversations(t *testing.T) {
	gone := `{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"errors":["x"]}`
	for _, tt := range []struct {
		name   string
		goesOn bool
		lines  []string
		want   bool
	}{
		{"not there", true, []string{gone}, true},
		{"a new one", false, []string{gone}, false},
		{"began", true, []string{begun, gone}, false},
		{"too long", true, []string{begun, `{"type":"result","is_error":true,"terminal_reason":"prompt_too_long","num_turns":3}`}, true},
		{"interrupted", true, []string{begun}, false},
		{"stopped before it went on", true, nil, false},
		{"stopped before it began", false, nil, true},
	} {
		if got := listen(tt.lines...).hasLost(conversation{id: "c", resumes: tt.goesOn}); got != tt.want {
			t.Errorf("%s: lost = %v", tt.name, got)
		}
	}
}

func TestUsage(t *testing.T) {
	const used = `{"type":"result","subtype":"success","is_error":false,"num_turns":2,"total_cost_usd":0.05,` +
		`"usage":{"input_tokens":100,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":50},` +
		`"modelUsage":{"a":{"inputTokens":1000,"cacheReadInputTokens":300,"cacheCreationInputTokens":200,"outputTokens":500,"costUSD":0.05}}`
	const since = `,"model_usage_since_last_result":{"a":{"inputTokens":100,"cacheReadInputTokens":30,"cacheCreationInputTokens":20,"outputTokens":50,"costUSD":0.004},` +
		`"b":{"inputTokens":10,"outputTokens":5,"costUSD":0.001}}`
	for _, tt := range []struct {
		name           string
		billed, goesOn bool
		lines          []string
		want           mulligan.Usage
	}{
		{"since the last result", true, true, []string{used + since + "}"}, mulligan.Usage{InputTokens: 160, CachedTokens: 30, OutputTokens: 55, Turns: 2, CostUSD: 0.005}},
		{"on a subscription", false, false, []string{used + since + "}"}, mulligan.Usage{InputTokens: 160, CachedTokens: 30, OutputTokens: 55, Turns: 2, CostUSD: 0.005, Estimated: true}},
		{"an older program, a new conversation", true, false, []string{used + "}"}, mulligan.Usage{InputTokens: 150, CachedTokens: 30, OutputTokens: 50, Turns: 2, CostUSD: 0.05}},
		{"an older program", true, true, []string{used + "}"}, mulligan.Usage{InputTokens: 150, CachedTokens: 30, OutputTokens: 50, Turns: 2, CostUSD: 0.005, Estimated: true}},
		{"no result", true, false, []string{begun, spoke, calls, strings.ReplaceAll(spoke, "m1", "m2")}, mulligan.Usage{InputTokens: 800, CachedTokens: 600, OutputTokens: 10, Estimated: true}},
		{"nothing", true, false, nil, mulligan.Usage{}},
	} {
		got := listen(tt.lines...).turnUsage(tt.billed, tt.goesOn)
		if diff := got.CostUSD - tt.want.CostUSD; diff > 1e-9 || diff < -1e-9 {
			t.Errorf("%s: cost %v, want %v", tt.name, got.CostUSD, tt.want.CostUSD)
		}
		got.CostUSD = tt.want.CostUSD
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}
