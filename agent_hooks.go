package mulligan

import (
	"context"
	"encoding/json"
	"io"
	"time"
)

// The moments of an agent whose hooks mulligan runs itself, for every agent. They have the
// names that Claude Code gave them; other events are the agent's own to run.
const (
	EventSessionStart = "SessionStart"
	EventPrompt       = "UserPromptSubmit"
	EventStop         = "Stop"
	EventSessionEnd   = "SessionEnd"
)

// An AgentHook is a user's hook at a moment of the agent, in Claude Code's form.
type AgentHook struct {
	Event     string            `json:"event"`
	Matcher   string            `json:"matcher,omitempty"`
	Name      string            `json:"name"` // for people and the journal: the command, the address, the prompt's first words
	Type      string            `json:"type"` // command, http, prompt
	Command   string            `json:"command,omitempty"`
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	Prompt    string            `json:"prompt,omitempty"`
	Agent     string            `json:"agent,omitempty"` // who answers a prompt
	Timeout   time.Duration     `json:"timeout,omitempty"`
	FailOpen  bool              `json:"fail_open,omitempty"` // on_failure: allow
	From      string            `json:"from,omitempty"`      // the file that it was read from
	Unhandled string            `json:"unhandled,omitempty"` // why mulligan does not run it, where it does not
	Inside    bool              `json:"inside,omitempty"`    // it happens inside the agent, whose program calls mulligan then
}

// AgentHooks are all of them, and how often a Stop hook may send the agent back.
type AgentHooks struct {
	Hooks      []AgentHook   `json:"hooks,omitempty"`
	MaxRetries int           `json:"max_retries"`
	Backoff    time.Duration `json:"backoff,omitempty"`
	Feedback   string        `json:"feedback,omitempty"` // the text of hook_feedback_file
	OnLimit    string        `json:"on_limit,omitempty"` // ask, fail, accept
}

// Of returns the hooks of an event that mulligan runs, in config order. The same command given
// twice is there once.
func (a AgentHooks) Of(event string) []AgentHook {
	var list []AgentHook
	seen := map[string]bool{}
	for _, h := range a.Hooks {
		key := h.Type + "\x00" + h.Command + "\x00" + h.URL + "\x00" + h.Prompt
		if event == EventSessionStart || event == EventSessionEnd {
			key += "\x00" + h.Matcher // the other two have nothing to match
		}
		if h.Event == event && h.Unhandled == "" && !seen[key] {
			seen[key] = true
			list = append(list, h)
		}
	}
	return list
}

// Inside returns the hooks that happen inside an agent, of one event; "" means all events.
func (a AgentHooks) Inside(event string) []AgentHook {
	var list []AgentHook
	for _, h := range a.Hooks {
		if h.Inside && (event == "" || h.Event == event) {
			list = append(list, h)
		}
	}
	return list
}

// AgentHookRunner runs the hooks of one moment of an agent.
type AgentHookRunner interface {
	// Run runs the hooks side by side and merges what they say, in their order. It never
	// fails: what kept a hook from deciding is in the reply. When ctx ends, the hooks and their
	// descendants are stopped, and the reply is not used.
	Run(ctx context.Context, in AgentHookCall) AgentHookReply
}

// An AgentHookCall is one moment of an agent, as its hooks see it.
type AgentHookCall struct {
	Event      string
	Hooks      []AgentHook
	Session    string
	Step       string
	Attempt    int
	Iteration  int
	Dir        string // the workspace
	Transcript string // path of what the agent printed
	// Message is the agent's last, Retry how often a Stop hook has sent it back since its prompt.
	Message string
	Retry   int
	Prompt  string // UserPromptSubmit: what the agent is to be told
	// Input is the event as the agent gave it, where it happened inside the agent.
	Input  json.RawMessage
	Source string // SessionStart: startup, resume
	Reason string // SessionEnd: why
	// BudgetUSD is what a judge may cost, as Turn has it.
	BudgetUSD float64
	// Output is the path where a hook's whole output is kept, by its index in Hooks.
	Output func(index int) (string, error)
	Live   io.Writer
}

// What hooks decide, the strictest last.
const (
	Allow      = "allow"
	HookBroken = "broken" // it could not tell: never an allow, and never the agent's fault
	Block      = "block"
	Halt       = "halt" // continue: false, the session ends
)

// An AgentHookReply is what the hooks of one moment came to.
type AgentHookReply struct {
	Decision string   `json:"decision"`
	Reason   string   `json:"reason,omitempty"`   // one line or a few: why it blocks, is broken, halts
	Feedback string   `json:"feedback,omitempty"` // Block: all that the agent gets, distilled
	Context  string   `json:"context,omitempty"`  // for the next prompt, whatever the decision
	Messages []string `json:"messages,omitempty"` // for the person
	// Permission is what hooks inside an agent say of a tool: allow, ask; a deny is a Block.
	Permission string         `json:"permission,omitempty"`
	Runs       []AgentHookRun `json:"runs,omitempty"` // in config order
	Retry      HookSteer      `json:"retry,omitzero"`
}

// Blocking returns the names of the hooks that blocked, in config order.
func (r AgentHookReply) Blocking() []string {
	var names []string
	for _, run := range r.Runs {
		if run.Decision == Block {
			names = append(names, run.Name)
		}
	}
	return names
}

// An AgentHookRun is what one hook did.
type AgentHookRun struct {
	Name     string        `json:"name"`
	Decision string        `json:"decision"`
	Exit     string        `json:"exit"`
	OK       bool          `json:"ok,omitempty"` // it ran well and lets the agent go: not one that failed, or fails open
	Reason   string        `json:"reason,omitempty"`
	Whole    string        `json:"whole,omitempty"` // path of the whole output
	Bytes    int64         `json:"bytes,omitempty"`
	Duration time.Duration `json:"duration"`
	// Judge is the usage of the agent that answered for a hook of type prompt; nil where no agent was asked.
	Judge *Usage `json:"judge,omitempty"`
}

// A HookSteer is how a blocking hook steers its own retry.
type HookSteer struct {
	Max   *int          `json:"max,omitempty"`   // at most so many retries; only ever fewer
	After time.Duration `json:"after,omitempty"` // wait so long before it
	Never bool          `json:"never,omitempty"` // the attempt has failed at once
}

// AgentHookStarted is the intent to run the hooks of one moment of an agent.
type AgentHookStarted struct {
	Event string   `json:"event"`
	Hooks []string `json:"hooks"` // names
	Retry int      `json:"retry,omitempty"`
	Try   int      `json:"try"` // 2 when broken hooks are run once more
}

// AgentHookEnded is what the hooks of one moment of an agent came to.
type AgentHookEnded struct {
	Event string         `json:"event"`
	Retry int            `json:"retry,omitempty"`
	Try   int            `json:"try"`
	Reply AgentHookReply `json:"reply"`
	Tree  Tree           `json:"tree,omitzero"` // Stop: the workspace as the hooks left it
	// Inside is set where it happened inside the agent, which has the answer already.
	Inside bool `json:"inside,omitempty"`
}

// What is done at the limit of hook retries.
const (
	LimitContinue = "continue" // another max_hook_retries
	LimitAbort    = "abort"    // the session ends
	LimitIgnore   = "ignore"   // the hooks that block allow, for the rest of the attempt
	LimitFail     = "fail"     // the attempt has failed
	LimitAccept   = "accept"   // as ignore, by the config
)

// StopDecided is what is done about Stop hooks that block at their limit.
type StopDecided struct {
	Choice string   `json:"choice"`
	By     string   `json:"by"`              // person, default, config, hook
	Hooks  []string `json:"hooks,omitempty"` // those that blocked
	Note   string   `json:"note,omitempty"`  // a waiver's words, which stay in the outcome
	// Verdict is the evidence of an attempt that has failed by it.
	Verdict *Verdict `json:"verdict,omitempty"`
}

func (AgentHookStarted) Kind() string { return "agent_hook.started" }
func (AgentHookEnded) Kind() string   { return "agent_hook.ended" }
func (StopDecided) Kind() string      { return "stop.decided" }
