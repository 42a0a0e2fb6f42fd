package telemetry

import (
	"slices"
	"sync"

	"mulligan"
)

// A meter counts what sessions of this process come to. Attributes are words of mulligan's and names of the config. It is
// safe for concurrent use.
type meter struct {
	mu      sync.Mutex
	metrics []metric
	agent   string
	plan    *mulligan.Plan
}

// The metrics, by their index.
const (
	sessionsEnded = iota
	attemptsEnded
	turnsEnded
	gatesEnded
	costSpent
	tokenUsage
	turnDuration
	gateDuration
)

func newMeter() *meter {
	seconds := []float64{0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600}
	return &meter{metrics: []metric{
		sessionsEnded: {name: "mulligan.sessions", unit: "{session}", help: "sessions that have ended"},
		attemptsEnded: {name: "mulligan.attempts", unit: "{attempt}", help: "attempts that have ended"},
		turnsEnded:    {name: "mulligan.turns", unit: "{turn}", help: "turns of agents that have ended"},
		gatesEnded:    {name: "mulligan.gates", unit: "{verdict}", help: "verdicts of gates"},
		costSpent:     {name: "mulligan.cost", unit: "{USD}", help: "what agents say that they have cost"},
		tokenUsage: {
			name: "gen_ai.client.token.usage", unit: "{token}", help: "tokens of a turn",
			bounds: []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864},
		},
		turnDuration: {name: "mulligan.turn.duration", unit: "s", help: "how long turns take", bounds: seconds},
		gateDuration: {name: "mulligan.gate.duration", unit: "s", help: "how long gates take", bounds: seconds},
	}}
}

// count counts what an event brings.
func (m *meter) count(e mulligan.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch b := e.Body.(type) {
	case mulligan.SessionStarted:
		m.plan = b.Plan
	case mulligan.SessionResumed:
		if b.Plan != nil {
			m.plan = b.Plan
		}
	case mulligan.SessionEnded:
		m.add(sessionsEnded, 1, attribute{"mulligan.outcome", string(b.Outcome.Ended)})
	case mulligan.AttemptEnded:
		m.add(attemptsEnded, 1, attribute{"mulligan.status", string(b.Status)})
	case mulligan.TurnStarted:
		m.agent = b.Agent
	case mulligan.TurnEnded:
		agent := describeAgent(m.plan, m.agent)
		m.add(turnsEnded, 1, append(agent, attribute{"mulligan.turn.ending", string(b.Result.Ending)})...)
		m.add(turnDuration, b.Duration.Seconds(), agent...)
		m.addUsage(b.Result.Usage, agent)
	case mulligan.GateEnded:
		status := attribute{"mulligan.status", string(b.Verdict.Status)}
		m.add(gatesEnded, 1, status)
		m.add(gateDuration, b.Verdict.Duration.Seconds(), status)
	}
}

func (m *meter) addUsage(u mulligan.Usage, agent []attribute) {
	if u.CostUSD > 0 {
		m.add(costSpent, u.CostUSD, agent...)
	}
	for _, kind := range []struct {
		name string
		n    int64
	}{{"input", u.InputTokens}, {"output", u.OutputTokens}} {
		if kind.n > 0 {
			m.add(tokenUsage, float64(kind.n), append(slices.Clone(agent), attribute{"gen_ai.token.type", kind.name})...)
		}
	}
}

// maxPoints bounds the sets of attributes of a metric.
const maxPoints = 200

// add adds to a counter, or notes a value in a histogram. It must be called with mu held.
func (m *meter) add(which int, value float64, list ...attribute) {
	metric := &m.metrics[which]
	i := slices.IndexFunc(metric.points, func(p *point) bool { return slices.Equal(p.attributes, list) })
	if i < 0 {
		if len(metric.points) == maxPoints {
			return
		}
		metric.points = append(metric.points, &point{attributes: slices.Clone(list), buckets: make([]uint64, len(metric.bounds)+1)})
		i = len(metric.points) - 1
	}
	p := metric.points[i]
	p.sum += value
	p.count++
	at, _ := slices.BinarySearch(metric.bounds, value)
	p.buckets[at]++
}
