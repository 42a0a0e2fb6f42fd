package task

import (
	"encoding/json"
	"slices"
	"strings"

	"mulligan/internal/text"
)

// AskArgs is a question for a person.
type AskArgs struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"` // answers to choose from; none: any text
	Default  string   `json:"default,omitempty"` // what the agent does when no person answers
}

// Answer is the reply of ask.
type Answer struct {
	Answer string `json:"answer"`
	By     string `json:"by"` // mulligan.ByPerson, mulligan.ByDefault
	Hint   string `json:"hint,omitempty"`
}

const (
	maxQuestion = 4000
	maxOption   = 500
	maxOptions  = 20
)

// DecodeAsk reads the arguments of ask and checks them. The error is a *Refusal.
func DecodeAsk(args json.RawMessage) (AskArgs, error) {
	var a AskArgs
	if err := decode(Request{Tool: ToolAsk, Args: args}, &a); err != nil {
		return a, err
	}
	var err error
	if a.Question, err = checkText(ToolAsk, "question", a.Question, maxQuestion); err != nil {
		return a, err
	}
	if len(a.Options) > maxOptions {
		return a, refuse("ask: %d options, and %d are the most", len(a.Options), maxOptions)
	}
	for i, option := range a.Options {
		if a.Options[i], err = checkText(ToolAsk, "an option", option, maxOption); err != nil {
			return a, err
		}
		if slices.Contains(a.Options[:i], a.Options[i]) {
			return a, refuse("ask: the option %q is there twice", text.Clip(a.Options[i], quotedLength))
		}
	}
	if a.Default == "" {
		return a, nil
	}
	if a.Default, err = checkText(ToolAsk, "default", a.Default, maxOption); err != nil {
		return a, err
	}
	if len(a.Options) > 0 && !slices.Contains(a.Options, a.Default) {
		return a, refuse("ask: default is %q, which is none of the options: %s", text.Clip(a.Default, quotedLength), strings.Join(a.Options, ", "))
	}
	return a, nil
}
