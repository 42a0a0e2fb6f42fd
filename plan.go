package mulligan

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"mulligan/internal/text"
)

// A Plan is what is to be done: config and flags, checked, every name resolved
// and every file that it names read. It is journaled whole, so that a resumed
// session does what was planned whatever has become of the files since.
type Plan struct {
	Pipeline string               `json:"pipeline"`
	Task     Task                 `json:"task"`
	Steps    []Step               `json:"steps"`
	Agents   map[string]AgentSpec `json:"agents"` // every agent that a step, a judge or a prompt hook names
	Git      Git                  `json:"git"`
	Ready    Ready                `json:"workspace,omitzero"`
	Verify   string               `json:"verify,omitempty"`
	// VerifyWithin is how long setup and checks may take for VerifyAuto to run them again.
	VerifyWithin time.Duration `json:"verify_within,omitempty"`
	Limits       Limits        `json:"limits"`
	Sandbox      string        `json:"sandbox,omitempty"`
	Notes        []string      `json:"notes,omitempty"` // what a person should know of it before it runs
	// Loop makes the session open-ended: its one step is tried again and again until a
	// claim of completion is verified. nil: a pipeline.
	Loop *Loop `json:"loop,omitempty"`
	// Hooks are the user's commands by moment.
	Hooks  map[Moment][]HookSpec `json:"hooks,omitempty"`
	People People                `json:"people,omitzero"`
	// AgentHooks are those at moments of the agent.
	AgentHooks AgentHooks `json:"agent_hooks,omitzero"`
	// Guard is what claims that a task is done have to pass, nil if there is none.
	Guard *Guard `json:"guard,omitempty"`
	// Files are those of the repository that the plan is made of: the config, what it names, and the
	// scripts of checks and hooks.
	Files []string `json:"files,omitempty"`
	// Protected are those of them, and the task, that no agent may change without being told so.
	Protected []ProtectedFile `json:"protected,omitempty"`
	// Given is what flags said, so that the plan can be made again of a corrected config.
	Given Given `json:"given,omitzero"`
	// Retry is how steps are retried, nil in a plan that was made before that could be said.
	Retry *RetryPlan `json:"retry,omitempty"`
	// PauseAfter is a step: the session pauses after it, and before each retry of it.
	PauseAfter string `json:"pause_after,omitempty"`
}

// A Loop is an open-ended session. Its spec is the plan's Task, its name that of the one step,
// whose checks are the loop's `check` and then, marked Final, its `final_check`.
type Loop struct {
	Iterations int    `json:"iterations,omitempty"` // at most so many; 0: no such limit
	Prompt     string `json:"prompt,omitempty"`     // the user's template of every iteration's prompt; "": the built-in one
}

// Given is what the flags of a command said of a plan.
type Given struct {
	Config     string `json:"config,omitempty"` // path of the config file, absolute
	Agent      string `json:"agent,omitempty"`
	Iterations *int   `json:"iterations,omitempty"`
	// Checks are those of --check, or those that were found in a repository without a config. They make a
	// pipeline of one step, with Retry as its retries.
	Checks []string `json:"checks,omitempty"`
	Retry  int      `json:"retry,omitempty"`
}

// Name returns a loop's name, "" for a pipeline.
func (p *Plan) Name() string {
	if p.Loop == nil || len(p.Steps) == 0 {
		return ""
	}
	return p.Steps[0].Name
}

// People is how long a session waits for a person.
type People struct {
	Ask        bool          `json:"ask,omitempty"`         // for ever
	AskTimeout time.Duration `json:"ask_timeout,omitempty"` // so long, where a person watches
	OnQuestion string        `json:"on_question,omitempty"` // "stop": an agent's question that no person answers stops the session; else it proceeds
}

// A Task is the text that a pipeline is run on.
type Task struct {
	Path   string `json:"path"`             // as the journal names it: relative to the workspace where it lies inside; "" if its text was given instead
	Text   string `json:"text"`             // without its front matter
	Folder string `json:"folder,omitempty"` // the folder that was run, for `mulligan run DIR`
	// Position is which of the folder's tasks it was when the session began, counted from 1, and Count how many there
	// were; 0 if no folder was run, or by an earlier version.
	Position int `json:"position,omitempty"`
	Count    int `json:"count,omitempty"`
}

// A Step is a named piece of a pipeline.
type Step struct {
	Name       string        `json:"name"`
	Prompt     string        `json:"prompt,omitempty"` // "": the task's text is the prompt
	Agent      string        `json:"agent"`            // a key of Plan.Agents
	Model      string        `json:"model,omitempty"`  // over the agent's
	Checks     []CheckSpec   `json:"checks,omitempty"`
	Retry      int           `json:"retry,omitempty"`
	Timeout    time.Duration `json:"timeout,omitempty"`    // of the whole step, all attempts together; 0: none
	Limits     Budget        `json:"limits,omitzero"`      // of the whole step, all attempts together
	Feedback   string        `json:"feedback,omitempty"`   // the text of feedback_file
	WriteRules WriteRules    `json:"write_rules,omitzero"` // what the agent may write
	Baseline   string        `json:"baseline,omitempty"`   // BaselineOff, BaselineNew or BaselineStrict
}

// An AgentSpec names an agent and how to build it. Options are the decoded
// options of its type, in that type's own shape (see internal/builtin).
type AgentSpec struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Timeout     time.Duration   `json:"timeout,omitempty"`      // of one turn; 0: none
	IdleTimeout time.Duration   `json:"idle_timeout,omitempty"` // silent for so long; 0: none
	Env         []string        `json:"env,omitempty"`          // names besides the built-in list
	InheritEnv  bool            `json:"inherit_env,omitempty"`
	Permissions string          `json:"permissions,omitempty"`
	Writable    []string        `json:"writable,omitempty"`
	Confined    string          `json:"confined,omitempty"`   // what keeps it to what it may write: landlock or bwrap; "": nothing
	Unconfined  string          `json:"unconfined,omitempty"` // why nothing does; "": it was not asked, or something does
	Model       string          `json:"model,omitempty"`      // "": the program's own choice
	Args        []string        `json:"args,omitempty"`       // more arguments for the program
	MaxTurns    int             `json:"max_turns,omitempty"`  // limit of the agent's own turns; 0: none
	Options     json.RawMessage `json:"options,omitempty"`
}

// A CheckSpec names a check and how to build it, as AgentSpec does for agents.
type CheckSpec struct {
	Name    string          `json:"name"` // for people and the journal; a shell check without one is named by its command
	Type    string          `json:"type"`
	Timeout time.Duration   `json:"timeout,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
	// Final marks a check that only a claim of completion has to pass.
	Final bool `json:"final,omitempty"`
	// Inverted marks a check that passes while the work is not done (expect: fail).
	Inverted bool `json:"inverted,omitempty"`
	// Keep marks a check whose writes are part of the work (a formatter, a generator).
	Keep bool `json:"keep,omitempty"`
	// Golden marks a check that runs with the protected files as they were at the session's base.
	Golden bool `json:"golden,omitempty"`
	// Flaky is how often a run that fails may be repeated.
	Flaky int `json:"flaky,omitempty"`
	// Agent is the agent that decides the check, a key of Plan.Agents; "" if none does.
	Agent string `json:"agent,omitempty"`
}

// Git is what mulligan does with the user's repository.
type Git struct {
	Commit  bool   `json:"commit"`
	Merge   bool   `json:"merge,omitempty"` // fast-forward the person's branch at the end, where that is safe
	Sign    bool   `json:"sign,omitempty"`
	Message string `json:"message"` // {{step}} and {{summary}} stand for what they say
}

// Ready is how workspace and proof are made ready.
type Ready struct {
	Setup    string   `json:"setup,omitempty"`      // a shell command; SetupAuto: by the lock files; SetupNone: nothing
	CopyAuto bool     `json:"copy_auto,omitempty"`  // the local files that are found, instead of Copy
	Copy     []string `json:"copy,omitempty"`       // files that git does not have, relative to the repository's root
	When     []string `json:"setup_when,omitempty"` // files that the setup reads
	MaxFile  int64    `json:"max_file,omitempty"`   // the size of the largest file that is committed
}

// HasSetupCommand reports whether the config gives a command that makes the clones ready.
func (p *Plan) HasSetupCommand() bool {
	return p.Ready.Setup != "" && p.Ready.Setup != SetupAuto && p.Ready.Setup != SetupNone
}

// What Ready.Setup may be besides a command.
const (
	SetupAuto = "auto"
	SetupNone = "none"
)

// How checks are run again in a proof made anew before a session is verified.
const (
	VerifyAuto  = "auto"  // where the setup and a first run take no longer than VerifyWithin
	VerifyFresh = "fresh" // always
	VerifyWarm  = "warm"  // never
)

// Limits belong to the loop, not to the policy. 0 means no such limit.
type Limits struct {
	Duration         time.Duration `json:"duration,omitempty"` // of turns, checks and waits after failures; not of downtime
	Turns            int           `json:"turns,omitempty"`
	FailedIterations int           `json:"failed_iterations,omitempty"` // in a row
	SameFailure      int           `json:"same_failure,omitempty"`      // in a row, once every rung of the ladder was tried
	FinalTimeout     time.Duration `json:"final_timeout,omitempty"`     // of the final delivery
	Tokens           int64         `json:"tokens,omitempty"`
	CostUSD          float64       `json:"cost_usd,omitempty"`   // billed; an estimate stops nothing
	Wait             time.Duration `json:"wait,omitempty"`       // the longest wait for a rate limit
	NoWait           bool          `json:"no_wait,omitempty"`    // a rate limit ends the session
	OutputMiB        int64         `json:"output_mib,omitempty"` // of the file of one output; 0: the default
}

// How a step uses the failures that its checks had before its first attempt.
const (
	BaselineOff    = ""       // they are not looked for
	BaselineNew    = "true"   // only failures that are new fail the step
	BaselineStrict = "strict" // all of them do; the agent is told which are new
)

// Title returns the task's first line, without its heading marks.
func (t Task) Title() string {
	for line := range strings.Lines(t.Text) {
		if title := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "#")); title != "" {
			return text.Clip(text.OneLine(title), 60)
		}
	}
	return t.Path
}

// maxLabel is how long the text of a task may be that is named by all of it.
const maxLabel = 120

// Label returns what the task is called in lists: its path, or its text if it was given as a text. Of a
// text that is long or has several lines it is the title: IsLabelled reports whether it is all of it.
func (t Task) Label() string {
	if t.Path != "" || !t.IsLabelled() {
		return cmp.Or(t.Path, t.Title())
	}
	return t.Text
}

// IsLabelled reports whether the task's label is enough to give the same task again.
func (t Task) IsLabelled() bool {
	return t.Path != "" || len(t.Text) <= maxLabel && !strings.ContainsAny(t.Text, "\r\n")
}
