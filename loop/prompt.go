package loop

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mulligan"
)

// openIteration runs the pre_iteration hooks and prompts the agent: what is pending first, then what
// these hooks printed, then the prompt itself.
func (s *Session) openIteration(ctx context.Context) error {
	st := &s.state
	before := st.CurrentAttempt().Snapshot
	if err := s.runHooks(ctx, mulligan.PreIteration, true); err != nil || s.isStopped(ctx) {
		return err
	}
	if err := s.awaitTaskHooks(ctx); err != nil || s.isStopped(ctx) {
		return err
	}
	tree, err := s.takeSnapshot(ctx, "%d", s.state.Iteration) // hooks may have written
	if err != nil {
		return fmt.Errorf("taking a snapshot of the workspace: %w", err)
	}
	prompt, conversation, err := s.makePrompt(ctx, before)
	if err != nil {
		return err
	}
	pieces := append(append([]mulligan.Piece{}, st.Pending...), st.MomentPieces...)
	return s.promptAgent(ctx, mulligan.TurnStarted{Prompt: prompt, Conversation: conversation, Before: tree}, pieces)
}

// promptAgent records that a turn begins. What the pieces say comes before the prompt of an attempt,
// and what agent hooks add comes before all of it. Those hooks may also refuse the prompt.
func (s *Session) promptAgent(ctx context.Context, t mulligan.TurnStarted, pieces []mulligan.Piece) error {
	for _, p := range pieces {
		t.Drains = append(t.Drains, p.Event)
	}
	if t.Purpose == mulligan.ForAttempt {
		t.Prompt = joinParagraphs(s.Prompts.Pieces(pieces), t.Prompt)
	}
	if kept := s.state.Kept; len(kept) > 0 {
		t.Prompt = joinParagraphs(t.Prompt, s.Prompts.Kept(kept))
	}
	if allowed, err := s.runPromptHooks(ctx, t.Prompt); err != nil || !allowed {
		return err
	}
	if err := s.updateBefore(ctx, &t); err != nil {
		return err
	}
	t.Prompt = joinParagraphs(strings.Join(s.state.Context, "\n\n"), t.Prompt)
	s.ownTurn = s.state.Spent.Turns + 1
	t.Turn, t.Log = s.ownTurn, s.Records.TurnLog(s.ownTurn)
	if t.Agent == "" {
		t.Agent = s.agentName()
	}
	return s.record(t)
}

// addSince returns a turn that is given again, with what people said since it was first given. That
// stands behind what the prompt carries already, which is marked as given before. What hooks printed
// since belongs to the next iteration, and nothing is added to a recovery, which only puts things right.
func (s *Session) addSince(turn mulligan.TurnStarted) mulligan.TurnStarted {
	var carried, again, since, ofMoment []mulligan.Piece
	for _, p := range s.state.Pending {
		first := p
		p.Given = p.Given || p.IsCarriedBy(&turn)
		switch {
		case slices.Contains(turn.Drains, p.Event):
			carried, again = append(carried, first), append(again, p)
		case p.Moment == "" && turn.Purpose != mulligan.ForRecovery:
			since = append(since, p)
		}
	}
	for _, p := range s.state.MomentPieces {
		if slices.Contains(turn.Drains, p.Event) {
			ofMoment = append(ofMoment, p)
		}
	}
	was := s.Prompts.Pieces(slices.Concat(carried, ofMoment))
	before, after, found := strings.Cut(turn.Prompt, was)
	switch {
	case was != "" && found:
		turn.Prompt = before + s.Prompts.Pieces(slices.Concat(again, since, ofMoment)) + after
	case len(since) > 0: // the prompt carries nothing, or another version of mulligan wrote it
		turn.Prompt = joinParagraphs(s.Prompts.Pieces(since), turn.Prompt)
	}
	turn.Drains = slices.Clone(turn.Drains)
	for _, p := range since {
		turn.Drains = append(turn.Drains, p.Event)
	}
	return turn
}

func joinParagraphs(first, second string) string {
	if first == "" {
		return second
	}
	return first + "\n\n" + second
}

// makePrompt returns what the agent is told next, and the conversation to continue. In one that
// continues the feedback is enough; otherwise the step's prompt comes first.
func (s *Session) makePrompt(ctx context.Context, now mulligan.Tree) (prompt, conversation string, err error) {
	st := &s.state
	if st.Plan.Loop != nil {
		changed, err := s.listChanges(ctx, now)
		if err != nil {
			return "", "", err
		}
		prompt, err = s.Prompts.Loop(st, changed)
		if err == nil && st.UsesStrategy() {
			prompt, err = s.addStrategy(ctx, prompt, "")
		}
		return prompt, "", err
	}
	first := s.Prompts.Step(st)
	feedback := s.makeFeedback()
	if feedback == "" {
		return first, "", nil
	}
	conversation = st.Conversation
	if st.Decision.Fresh {
		conversation = ""
	}
	if conversation != "" {
		first = ""
	}
	if st.UsesStrategy() {
		prompt, err = s.addStrategy(ctx, first, feedback)
		return prompt, conversation, err
	}
	return joinParagraphs(first, feedback), conversation, nil
}

// maxChanged is how many changed paths a prompt names.
const maxChanged = 40

// listChanges lists the paths of the workspace that changed since the iteration before began.
func (s *Session) listChanges(ctx context.Context, now mulligan.Tree) ([]string, error) {
	attempts := s.stepState().Attempts
	if len(attempts) < 2 {
		return nil, nil
	}
	paths, all, err := s.Store.Changed(context.WithoutCancel(ctx), attempts[len(attempts)-2].Snapshot, now, maxChanged)
	if err != nil {
		return nil, fmt.Errorf("looking at what changed: %w", err)
	}
	if more := all - len(paths); more > 0 {
		paths = append(paths, fmt.Sprintf("and %d more", more))
	}
	return paths, nil
}

// makeFeedback turns the evidence of the last attempt that was examined into a prompt, "" before
// there is one.
func (s *Session) makeFeedback() string {
	last, previous := s.stepState().Examined()
	if last == nil || last.Status == mulligan.Pass {
		return ""
	}
	return s.Prompts.Feedback(*s.step(), *last, previous)
}

// attemptConversation returns the conversation that a turn in the middle of an attempt continues.
func (s *Session) attemptConversation() string {
	if a := s.state.CurrentAttempt(); a != nil && a.Result.Conversation != "" {
		return a.Result.Conversation
	}
	return s.state.Conversation
}
