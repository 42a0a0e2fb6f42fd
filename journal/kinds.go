package journal

import (
	"bytes"
	"encoding/json"
	"errors"

	"mulligan"
)

// bodyOf decodes the data of one kind.
type bodyOf func(data []byte) (mulligan.Body, error)

// kinds has every kind that this version can read. A kind once written stays here.
var kinds = map[string]bodyOf{
	mulligan.SessionStarted{}.Kind():     as[mulligan.SessionStarted],
	mulligan.SessionResumed{}.Kind():     as[mulligan.SessionResumed],
	mulligan.SessionInterrupted{}.Kind(): as[mulligan.SessionInterrupted],
	mulligan.SessionEnded{}.Kind():       as[mulligan.SessionEnded],
	mulligan.StepStarted{}.Kind():        as[mulligan.StepStarted],
	mulligan.StepCommitting{}.Kind():     as[mulligan.StepCommitting],
	mulligan.StepVerified{}.Kind():       as[mulligan.StepVerified],
	mulligan.StepFailed{}.Kind():         as[mulligan.StepFailed],
	mulligan.AttemptStarted{}.Kind():     as[mulligan.AttemptStarted],
	mulligan.AttemptEnded{}.Kind():       as[mulligan.AttemptEnded],
	mulligan.TurnStarted{}.Kind():        as[mulligan.TurnStarted],
	mulligan.TurnEnded{}.Kind():          as[mulligan.TurnEnded],
	mulligan.GateStarted{}.Kind():        as[mulligan.GateStarted],
	mulligan.GateEnded{}.Kind():          as[mulligan.GateEnded],
	mulligan.Decided{}.Kind():            as[mulligan.Decided],
	mulligan.Waited{}.Kind():             as[mulligan.Waited],
	mulligan.Noted{}.Kind():              as[mulligan.Noted],
	mulligan.HookStarted{}.Kind():        as[mulligan.HookStarted],
	mulligan.HookEnded{}.Kind():          as[mulligan.HookEnded],
	mulligan.RoundEnded{}.Kind():         as[mulligan.RoundEnded],
	mulligan.Panicked{}.Kind():           as[mulligan.Panicked],
	mulligan.TaskAdded{}.Kind():          as[mulligan.TaskAdded],
	mulligan.TaskChanged{}.Kind():        as[mulligan.TaskChanged],
	mulligan.TaskCompleted{}.Kind():      as[mulligan.TaskCompleted],
	mulligan.NoteAdded{}.Kind():          as[mulligan.NoteAdded],
	mulligan.Summarized{}.Kind():         as[mulligan.Summarized],
	mulligan.Claimed{}.Kind():            as[mulligan.Claimed],
	mulligan.Asked{}.Kind():              as[mulligan.Asked],
	mulligan.Answered{}.Kind():           as[mulligan.Answered],
	mulligan.Told{}.Kind():               as[mulligan.Told],
	mulligan.PauseAsked{}.Kind():         as[mulligan.PauseAsked],
	mulligan.IterationKept{}.Kind():      as[mulligan.IterationKept],
	mulligan.SessionEnding{}.Kind():      as[mulligan.SessionEnding],
	mulligan.AgentHookStarted{}.Kind():   as[mulligan.AgentHookStarted],
	mulligan.AgentHookEnded{}.Kind():     as[mulligan.AgentHookEnded],
	mulligan.StopDecided{}.Kind():        as[mulligan.StopDecided],
	mulligan.DeliveryKept{}.Kind():       as[mulligan.DeliveryKept],
}

func as[B mulligan.Body](data []byte) (mulligan.Body, error) {
	var body B
	if err := json.Unmarshal(data, &body); err != nil {
		return nil, err
	}
	return body, nil
}

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
