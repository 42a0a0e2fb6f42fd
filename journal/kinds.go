package journal

import (
	"bytes"
	"encoding/json"
	"errors"

	"mulligan"
)

// A bodyDecoder decodes the data of one kind.
type bodyDecoder func(data []byte) (mulligan.Body, error)

// kinds has every kind that this version can read. A kind once written stays here.
var kinds = map[string]bodyDecoder{
	mulligan.SessionStarted{}.Kind():     decodeAs[mulligan.SessionStarted],
	mulligan.SessionResumed{}.Kind():     decodeAs[mulligan.SessionResumed],
	mulligan.SessionInterrupted{}.Kind(): decodeAs[mulligan.SessionInterrupted],
	mulligan.SessionEnded{}.Kind():       decodeAs[mulligan.SessionEnded],
	mulligan.StepStarted{}.Kind():        decodeAs[mulligan.StepStarted],
	mulligan.StepCommitting{}.Kind():     decodeAs[mulligan.StepCommitting],
	mulligan.StepVerified{}.Kind():       decodeAs[mulligan.StepVerified],
	mulligan.StepFailed{}.Kind():         decodeAs[mulligan.StepFailed],
	mulligan.AttemptStarted{}.Kind():     decodeAs[mulligan.AttemptStarted],
	mulligan.AttemptEnded{}.Kind():       decodeAs[mulligan.AttemptEnded],
	mulligan.TurnStarted{}.Kind():        decodeAs[mulligan.TurnStarted],
	mulligan.TurnEnded{}.Kind():          decodeAs[mulligan.TurnEnded],
	mulligan.GateStarted{}.Kind():        decodeAs[mulligan.GateStarted],
	mulligan.GateEnded{}.Kind():          decodeAs[mulligan.GateEnded],
	mulligan.Decided{}.Kind():            decodeAs[mulligan.Decided],
	mulligan.Waited{}.Kind():             decodeAs[mulligan.Waited],
	mulligan.Noted{}.Kind():              decodeAs[mulligan.Noted],
	mulligan.HookStarted{}.Kind():        decodeAs[mulligan.HookStarted],
	mulligan.HookEnded{}.Kind():          decodeAs[mulligan.HookEnded],
	mulligan.RoundEnded{}.Kind():         decodeAs[mulligan.RoundEnded],
	mulligan.Panicked{}.Kind():           decodeAs[mulligan.Panicked],
	mulligan.TaskAdded{}.Kind():          decodeAs[mulligan.TaskAdded],
	mulligan.TaskChanged{}.Kind():        decodeAs[mulligan.TaskChanged],
	mulligan.TaskCompleted{}.Kind():      decodeAs[mulligan.TaskCompleted],
	mulligan.NoteAdded{}.Kind():          decodeAs[mulligan.NoteAdded],
	mulligan.Summarized{}.Kind():         decodeAs[mulligan.Summarized],
	mulligan.Claimed{}.Kind():            decodeAs[mulligan.Claimed],
	mulligan.Asked{}.Kind():              decodeAs[mulligan.Asked],
	mulligan.Answered{}.Kind():           decodeAs[mulligan.Answered],
	mulligan.Told{}.Kind():               decodeAs[mulligan.Told],
	mulligan.PauseAsked{}.Kind():         decodeAs[mulligan.PauseAsked],
	mulligan.IterationKept{}.Kind():      decodeAs[mulligan.IterationKept],
	mulligan.SessionEnding{}.Kind():      decodeAs[mulligan.SessionEnding],
	mulligan.AgentHookStarted{}.Kind():   decodeAs[mulligan.AgentHookStarted],
	mulligan.AgentHookEnded{}.Kind():     decodeAs[mulligan.AgentHookEnded],
	mulligan.StopDecided{}.Kind():        decodeAs[mulligan.StopDecided],
	mulligan.DeliveryKept{}.Kind():       decodeAs[mulligan.DeliveryKept],
}

// decodeAs is the bodyDecoder of the type B.
func decodeAs[B mulligan.Body](data []byte) (mulligan.Body, error) {
	var body B
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	return body, nil
}

// decodeBody returns an Unknown for a kind that this version does not have.
func decodeBody(kind string, data []byte) (mulligan.Body, error) {
	// null would decode into any body and leave it empty.
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, errors.New("its data is not an object")
	}
	decode, ok := kinds[kind]
	if !ok {
		if !json.Valid(data) {
			return nil, errors.New("its data is not JSON")
		}
		return Unknown{Name: kind, Data: bytes.Clone(data)}, nil
	}
	return decode(data)
}
