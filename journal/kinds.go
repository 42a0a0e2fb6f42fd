package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"

	"mulligan"
)

// Bodies returns an empty body of every kind that this version can read, in the order in which a
// session may have them. A kind once written stays here.
func Bodies() []mulligan.Body {
	return []mulligan.Body{
		mulligan.SessionStarted{},
		mulligan.SessionResumed{},
		mulligan.StepStarted{},
		mulligan.BaselineStarted{},
		mulligan.BaselineChecked{},
		mulligan.BaselineEnded{},
		mulligan.AttemptStarted{},
		mulligan.TurnStarted{},
		mulligan.TurnEnded{},
		mulligan.GateStarted{},
		mulligan.GateEnded{},
		mulligan.AttemptEnded{},
		mulligan.Decided{},
		mulligan.Waited{},
		mulligan.StepCommitting{},
		mulligan.StepVerified{},
		mulligan.StepFailed{},
		mulligan.StepSkipped{},
		mulligan.RetryRecommended{},
		mulligan.Noted{},
		mulligan.SessionInterrupted{},
		mulligan.HookStarted{},
		mulligan.HookEnded{},
		mulligan.AgentHookStarted{},
		mulligan.AgentHookEnded{},
		mulligan.StopDecided{},
		mulligan.RoundEnded{},
		mulligan.Panicked{},
		mulligan.TaskAdded{},
		mulligan.TaskChanged{},
		mulligan.TaskCompleted{},
		mulligan.NoteAdded{},
		mulligan.Summarized{},
		mulligan.Claimed{},
		mulligan.Asked{},
		mulligan.Answered{},
		mulligan.Told{},
		mulligan.PauseAsked{},
		mulligan.GuardOpened{},
		mulligan.GuardSeen{},
		mulligan.GuardClaimed{},
		mulligan.GuardRuled{},
		mulligan.GuardDecided{},
		mulligan.IterationKept{},
		mulligan.SessionEnding{},
		mulligan.DeliveryKept{},
		mulligan.NotifyStarted{},
		mulligan.SessionEnded{},
		mulligan.NotifyEnded{},
	}
}

// kinds has the type of the body of every kind.
var kinds = func() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for _, body := range Bodies() {
		types[body.Kind()] = reflect.TypeOf(body)
	}
	return types
}()

// decodeBody returns an Unknown for a kind that this version does not have.
func decodeBody(kind string, data []byte) (mulligan.Body, error) {
	// null would decode into any body and leave it empty.
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, errors.New("its data is not an object")
	}
	bodyType, ok := kinds[kind]
	if !ok {
		if !json.Valid(data) {
			return nil, errors.New("its data is not JSON")
		}
		return Unknown{Name: kind, Data: bytes.Clone(data)}, nil
	}
	body := reflect.New(bodyType)
	if err := json.Unmarshal(data, body.Interface()); err != nil {
		return nil, err
	}
	return body.Elem().Interface().(mulligan.Body), nil
}
