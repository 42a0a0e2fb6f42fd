package redact

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"mulligan"
)

func TestBodyIsRedactedEverywhere(t *testing.T) {
	const value = "a-planted-secret"
	r := New([]string{"MY_TOKEN=" + value})
	place := mulligan.Place{Dir: "/srv/" + value}
	plan := &mulligan.Plan{
		Task:   mulligan.Task{Path: value, Text: "text " + value},
		Steps:  []mulligan.Step{{Name: "one", Checks: []mulligan.CheckSpec{{Options: json.RawMessage(`{"command":"echo a-planted-secret","n":12345678901234567890}`)}}}},
		Agents: map[string]mulligan.AgentSpec{value: {Env: []string{value}}},
	}
	before, _ := json.Marshal(plan)
	until := time.Now()
	for _, body := range []mulligan.Body{
		mulligan.SessionStarted{Plan: plan, Place: place},
		mulligan.TurnStarted{Prompt: "do " + value},
		mulligan.TurnEnded{Result: mulligan.Result{Ending: mulligan.Finished, Message: value, Denied: []string{value}, Until: until}},
		mulligan.GateEnded{Verdict: mulligan.Verdict{Finding: &mulligan.Finding{Text: value, Failing: []mulligan.Item{{Message: value}}}}},
		mulligan.StepCommitting{Commit: mulligan.Commit{Message: value, Time: until}},
		mulligan.Noted{Text: value},
		mulligan.Decided{Decision: mulligan.Decision{Reason: value}},
		mulligan.SessionEnded{Outcome: mulligan.Outcome{Ended: mulligan.Verified, Reason: value, Evidence: &mulligan.Verdict{Summary: value}}},
	} {
		clean := r.Body(body)
		data, err := json.Marshal(clean)
		if err != nil {
			t.Fatal(err)
		}
		if started, ok := clean.(mulligan.SessionStarted); ok {
			if !reflect.DeepEqual(started.Place, place) {
				t.Errorf("the place became %v", started.Place)
			}
			if !strings.Contains(string(data), "12345678901234567890") {
				t.Errorf("a number changed: %s", data)
			}
			data = []byte(strings.Replace(string(data), place.Dir, "", 1))
		}
		if text := string(data); strings.Contains(text, value) || !strings.Contains(text, "[secret:MY_TOKEN]") {
			t.Errorf("%s: %s", body.Kind(), text)
		}
	}
	if after, _ := json.Marshal(plan); string(after) != string(before) {
		t.Errorf("what was given has changed: %s", after)
	}
}

func TestBodyWithoutSecretsStays(t *testing.T) {
	r := New([]string{"RATE_TOKEN=rate_limited"}) // a word of ours
	body := mulligan.TurnEnded{
		Turn: 3, Duration: time.Second, Tree: mulligan.Tree{ID: hexes(40)},
		Result: mulligan.Result{Ending: mulligan.RateLimited, Until: time.Now(), Usage: mulligan.Usage{CostUSD: 1.5}},
	}
	if got := r.Body(body); !reflect.DeepEqual(got, body) {
		t.Errorf("%+v\nbecame %+v", body, got)
	}
	if r.Value(nil) != nil {
		t.Error("nothing became something")
	}
}
