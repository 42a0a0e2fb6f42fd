package state

import "mulligan"

// Prompts are the functions that write a session's prompts. All are pure.
type Prompts struct {
	// Step writes the first prompt of the step that the session is at.
	Step func(st *State) string
	// Loop writes the prompt of a loop's iteration. changed lists the paths of the workspace that
	// changed since the iteration before began.
	Loop func(st *State, changed []string) (string, error)
	// Feedback tells an agent what its last attempt got wrong. previous is the examined attempt
	// before that, nil if there was none.
	Feedback func(step mulligan.Step, last mulligan.AttemptState, previous *mulligan.AttemptState) string
	// Strategy writes the prompt of an attempt at which a strategy other than the plain retry holds.
	Strategy func(c StrategyCase) string
	// Pieces writes what hooks and people have for the agent, in their order.
	Pieces func(pieces []mulligan.Piece) string
	// Now delivers pieces in the middle of an iteration.
	Now func(pieces []mulligan.Piece) string
	// Recovery follows a turn that failed.
	Recovery func(failure mulligan.Result, pieces []mulligan.Piece) string
	// HookFeedback is what Stop hooks send the agent back with.
	HookFeedback func(st *State, reply mulligan.AgentHookReply) string
	// Kept tells an agent which files checks have written since its last turn: they are part of
	// the work.
	Kept func(paths []string) string
	// Delivery is the last prompt of a session that ends with an outcome.
	Delivery func(st *State, o mulligan.Outcome, pieces []mulligan.Piece) string
}

// A StrategyCase is what the prompt of an attempt with a strategy is made of. The strategy is the
// state's Decision.
type StrategyCase struct {
	State *State
	// First is the step's or the iteration's prompt, "" where a conversation goes on. Feedback is what the last
	// attempt got wrong, "" where First has it.
	First    string
	Feedback string
	// Steps are the steps done before this one, and Attempts those at this step so far, oldest first.
	Steps    []StepWork
	Attempts []AttemptWork
	// RolledBack is the snapshot that has what a rollback took away, "" where none did.
	RolledBack string
}

// A StepWork is what a step has left.
type StepWork struct {
	Step    mulligan.StepState
	Changed []string // paths, as Workspace.Changed lists them
	More    int      // paths besides these
}

// An AttemptWork is what an attempt has changed.
type AttemptWork struct {
	Attempt mulligan.AttemptState
	Changed []string
	More    int
}
