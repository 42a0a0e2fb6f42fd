package viewtest

import (
	"reflect"
	"time"

	"mulligan"
)

// Bodies returns one empty body of every kind of event.
func Bodies() []mulligan.Body {
	return []mulligan.Body{
		mulligan.SessionStarted{},
		mulligan.GuardOpened{},
		mulligan.StepStarted{},
		mulligan.AttemptStarted{},
		mulligan.AgentHookStarted{},
		mulligan.TurnStarted{},
		mulligan.Noted{},
		mulligan.Waited{},
		mulligan.HookStarted{},
		mulligan.HookEnded{},
		mulligan.TaskAdded{},
		mulligan.TaskChanged{},
		mulligan.NoteAdded{},
		mulligan.Summarized{},
		mulligan.Claimed{},
		mulligan.GuardSeen{},
		mulligan.GuardClaimed{},
		mulligan.GuardRuled{},
		mulligan.GuardDecided{},
		mulligan.Told{},
		mulligan.Asked{},
		mulligan.PauseAsked{},
		mulligan.TurnEnded{},
		mulligan.AgentHookEnded{},
		mulligan.StopDecided{},
		mulligan.GateStarted{},
		mulligan.GateEnded{},
		mulligan.BaselineStarted{},
		mulligan.BaselineChecked{},
		mulligan.BaselineEnded{},
		mulligan.RoundEnded{},
		mulligan.Panicked{},
		mulligan.AttemptEnded{},
		mulligan.RetryRecommended{},
		mulligan.Decided{},
		mulligan.StepCommitting{},
		mulligan.StepVerified{},
		mulligan.StepFailed{},
		mulligan.StepSkipped{},
		mulligan.IterationKept{},
		mulligan.TaskCompleted{},
		mulligan.Answered{},
		mulligan.SessionInterrupted{},
		mulligan.SessionEnding{},
		mulligan.DeliveryKept{},
		mulligan.NotifyStarted{},
		mulligan.SessionEnded{},
		mulligan.NotifyEnded{},
		mulligan.SessionResumed{},
	}
}

// NastyEvents returns a session of every kind of event with Nasty in every text of each, cut off after
// each event in turn.
func NastyEvents() [][]mulligan.Event {
	var events []mulligan.Event
	var cuts [][]mulligan.Event
	for i, b := range Bodies() {
		v := reflect.New(reflect.TypeOf(b)).Elem()
		fillNasty(v, 0)
		events = append(events, mulligan.Event{Session: Nasty, Number: int64(i + 1), Time: Begun, Body: v.Interface().(mulligan.Body)})
		cuts = append(cuts, events[:len(events):len(events)])
	}
	return cuts
}

// fillNasty fills a value with nasty text; it follows lists and pointers a few levels deep.
func fillNasty(v reflect.Value, depth int) {
	if depth > 8 {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(Nasty)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		if v.Type() == reflect.TypeFor[time.Duration]() {
			v.SetInt(int64(time.Second))
		} else {
			v.SetInt(1)
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillNasty(key, depth+1)
		fillNasty(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillNasty(v.Elem(), depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillNasty(v.Index(i), depth+1)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fillNasty(v.Field(i), depth+1)
		}
	}
}
