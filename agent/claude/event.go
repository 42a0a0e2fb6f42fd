package claude

import (
	"encoding/json"
	"errors"
)

// An event is one line that the program prints, as far as mulligan reads it. All else, and every
// unknown kind of event, is ignored.
type event struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	// Parent is the call that a message of a subagent belongs to.
	Parent    string `json:"parent_tool_use_id"`
	Timestamp string `json:"timestamp"`

	// system/init
	Session   string `json:"session_id"`
	Model     string `json:"model"`
	Mode      string `json:"permissionMode"`
	KeySource string `json:"apiKeySource"`
	Version   string `json:"claude_code_version"`
	Servers   []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`

	// system/api_retry
	Attempt     int     `json:"attempt"`
	MaxRetries  int     `json:"max_retries"`
	RetryDelay  float64 `json:"retry_delay_ms"`
	ErrorStatus int     `json:"error_status"`
	// Error is of assistant events too: the class of what went wrong.
	Error string `json:"error"`

	// system/permission_denied
	Tool string `json:"tool_name"`

	// rate_limit_event
	RateLimit rateLimit `json:"rate_limit_info"`

	// assistant, user
	Message message `json:"message"`

	// stream_event
	Stream piece `json:"event"`

	result
}

// A piece is a part of an answer, as it comes.
type piece struct {
	Type    string  `json:"type"`
	Message message `json:"message"`
	Delta   struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"delta"`
}

// A rateLimit is what is left of a subscription.
type rateLimit struct {
	Status   string  `json:"status"`
	ResetsAt float64 `json:"resetsAt"` // seconds since 1970
	Kind     string  `json:"rateLimitType"`
}

// A message is from the model or a tool.
type message struct {
	ID      string `json:"id"`
	Content blocks `json:"content"`
	Usage   usage  `json:"usage"`
}

// A block is a piece of a message.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"` // of a tool's use
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	CallID  string          `json:"tool_use_id"` // of a tool's result
	Content blocks          `json:"content"`     // of a tool's result
	IsError bool            `json:"is_error"`
}

// blocks are the pieces of a message. The program writes a message that is only text as a string.
type blocks []block

// UnmarshalJSON reads the fields that it knows and ignores those of another type.
func (b *blocks) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*b = blocks{{Type: "text"}}
		return json.Unmarshal(data, &(*b)[0].Text)
	}
	err := json.Unmarshal(data, (*[]block)(b))
	if _, odd := errors.AsType[*json.UnmarshalTypeError](err); odd {
		return nil
	}
	return err
}

// A result is how a turn went.
type result struct {
	IsError    bool     `json:"is_error"`
	StopReason string   `json:"stop_reason"`
	Terminal   string   `json:"terminal_reason"`
	Status     int      `json:"api_error_status"`
	ErrorType  string   `json:"api_error_type"`
	APIError   string   `json:"api_error"`
	Errors     []string `json:"errors"`
	Text       string   `json:"result"`
	Turns      int      `json:"num_turns"`
	Denials    []struct {
		Tool  string          `json:"tool_name"`
		Input json.RawMessage `json:"tool_input"`
	} `json:"permission_denials"`

	CostUSD    float64               `json:"total_cost_usd"` // of the whole conversation
	ModelUsage map[string]modelUsage `json:"modelUsage"`     // of the whole conversation
	Since      map[string]modelUsage `json:"model_usage_since_last_result"`
	Usage      usage                 `json:"usage"`
}

// usage is a count of tokens in the API's own words.
type usage struct {
	Input   int64 `json:"input_tokens"`
	Created int64 `json:"cache_creation_input_tokens"`
	Cached  int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

// modelUsage is a count of tokens in the program's own words.
type modelUsage struct {
	Input   int64   `json:"inputTokens"`
	Created int64   `json:"cacheCreationInputTokens"`
	Cached  int64   `json:"cacheReadInputTokens"`
	Output  int64   `json:"outputTokens"`
	CostUSD float64 `json:"costUSD"`
}

// decode reads a line. It ignores a field of another type than was ever seen; ok is false if the
// line is no event.
func decode(line []byte) (e event, ok bool) {
	err := json.Unmarshal(line, &e)
	_, odd := errors.AsType[*json.UnmarshalTypeError](err)
	return e, (err == nil || odd) && e.Type != ""
}
