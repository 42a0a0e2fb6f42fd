// Package sessionreport makes a report of one session, to send to a person who does not have mulligan: one HTML file
// without scripts and requests, or Markdown for a pull request. It is made of the session's events, and of what the
// caller finds besides: the patches, and whether the session runs. What agents, checks and people wrote is text.
package sessionreport

import (
	"time"

	"mulligan"
	"mulligan/journal"
	"mulligan/state"
	"mulligan/view"
	"mulligan/view/timeline"
)

const (
	maxDetailed = 50       // attempts, the last ones, that are told of in detail
	maxEvidence = 48 << 10 // bytes of what one gate found
	maxMessage  = 16 << 10 // bytes of an agent's last words, and of a prompt
)

// A Collector takes a session's events.
type Collector struct {
	model    *view.Model
	line     timeline.Timeline
	attempts []*attempt
	versions []string // of mulligan, in the order of the processes
	unknown  int      // events of kinds that this version does not have
	turn     *words   // the turn under way
}

// An attempt is what the report tells of an attempt besides its row of the timeline.
type attempt struct {
	iteration int
	turns     []*words
	gates     []mulligan.Verdict // those that did not pass
}

// words are the prompt of a turn, and what the agent said at its end.
type words struct {
	number          int
	prompt, message string
	purpose         mulligan.Purpose
	cut             bool // either is less than the whole
}

// NewCollector returns a collector that has had no events.
func NewCollector() *Collector { return &Collector{model: view.NewModel()} }

// State returns the session's state. It stays the collector's.
func (c *Collector) State() *state.State { return c.model.State() }

// Detailed returns the numbers of the attempts, over the session, that the report tells of in detail.
func (c *Collector) Detailed() []int {
	var list []int
	for _, a := range c.attempts {
		list = append(list, a.iteration)
	}
	return list
}

// Apply takes in the session's next event.
func (c *Collector) Apply(e mulligan.Event) {
	c.model.Apply(e)
	c.line.Apply(e)
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		c.versions = append(c.versions, b.Version)
	case mulligan.SessionResumed:
		if n := len(c.versions); n == 0 || c.versions[n-1] != b.Version {
			c.versions = append(c.versions, b.Version)
		}
	case mulligan.AttemptStarted:
		c.attempts = append(c.attempts, &attempt{iteration: b.Iteration})
		if len(c.attempts) > maxDetailed {
			c.attempts = c.attempts[1:]
		}
	case mulligan.TurnStarted:
		if !b.Again {
			c.turn = &words{number: b.Turn, purpose: b.Purpose}
			c.turn.prompt, c.turn.cut = clip(b.Prompt, maxMessage)
			if a := c.current(); a != nil && b.Purpose != mulligan.ForDelivery {
				a.turns = append(a.turns, c.turn)
			}
		}
	case mulligan.TurnEnded:
		if c.turn != nil && c.turn.number == b.Turn {
			message, cut := clip(b.Result.Message, maxMessage)
			c.turn.message, c.turn.cut = message, c.turn.cut || cut || b.Result.MessageCut
		}
	case mulligan.GateEnded:
		c.keepVerdict(b.Verdict)
	case mulligan.AgentHookEnded:
		if b.Event == mulligan.EventStop && b.Reply.Decision == mulligan.Block {
			c.keepVerdict(*view.BlockOf(b.Reply))
		}
	case journal.Unknown:
		c.unknown++
	}
}

// current returns the last attempt, or nil before the first.
func (c *Collector) current() *attempt {
	if len(c.attempts) == 0 {
		return nil
	}
	return c.attempts[len(c.attempts)-1]
}

// maxGates is how many findings of an attempt are kept: hooks may block many times.
const maxGates = 30

// keepVerdict keeps what did not pass in the attempt under way.
func (c *Collector) keepVerdict(v mulligan.Verdict) {
	a := c.current()
	if a == nil || v.Status == mulligan.Pass || len(a.gates) >= maxGates {
		return
	}
	if v.Finding != nil {
		f := *v.Finding
		var cut bool
		f.Text, cut = clip(f.Text, maxEvidence)
		f.Cut = f.Cut || cut
		v.Finding = &f
	}
	a.gates = append(a.gates, v)
}

// clip returns the beginning of a text, and whether that is less than the whole.
func clip(s string, most int) (string, bool) {
	if len(s) <= most {
		return s, false
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most], true
}

// Around is what the caller knows of a session besides its events.
type Around struct {
	Now     time.Time
	Version string // of the program that writes the report
	Running bool   // a process works on the session
	// Damage is why not all events could be read, "" if all were.
	Damage string
	// Patch is what the session changed, Patches what the turn of an attempt did, by its number over the session. Note
	// is why there is no patch, or what it is.
	Patch   string
	Note    string
	Patches map[int]string
	// Clean removes secrets from a text.
	Clean func(string) string
}
