package prometheus

import (
	"math"
	"time"

	"mulligan"
	"mulligan/history"
)

// totals are sums over all sessions that have ended.
type totals struct {
	sessions                    map[mulligan.Ended]float64
	attempts, turns, judged     float64
	retries                     map[string]float64
	input, output, cached       float64
	billed, estimated           float64
	worked                      float64
	checks                      map[mulligan.Status]float64
	checkTook, hookTook         durations
	hookRuns, hookBlocks, flips float64
	hookFailures                float64
}

func newTotals() *totals {
	return &totals{
		sessions: map[mulligan.Ended]float64{}, retries: map[string]float64{}, checks: map[mulligan.Status]float64{},
		checkTook: newDurations(), hookTook: newDurations(),
	}
}

// outcomes, statuses and retryOutcomes are all values of the labels: a metric has each of them, with 0 if need be.
var (
	outcomes = []mulligan.Ended{
		mulligan.Verified, mulligan.Accepted, mulligan.GaveUp, mulligan.LimitReached, mulligan.Waiting, mulligan.GateBroken,
		mulligan.AgentUnavailable, mulligan.Interrupted,
	}
	statuses      = []mulligan.Status{mulligan.Pass, mulligan.Fail, mulligan.Broken}
	retryOutcomes = []string{"pass", "fail", "none"}
)

// add adds the record of a session.
func (t *totals) add(s history.Session) {
	t.sessions[s.Ended]++
	t.turns += float64(s.Turns)
	t.judged += float64(s.Judged)
	t.worked += s.Worked.Seconds()
	t.input += float64(s.Usage.InputTokens)
	t.output += float64(s.Usage.OutputTokens)
	t.cached += float64(s.Usage.CachedTokens)
	t.billed += s.BilledUSD
	t.estimated += max(0, s.Usage.CostUSD-s.BilledUSD)
	for _, step := range s.Steps {
		t.attempts += float64(step.Attempts)
		for _, r := range step.Retries {
			t.addRetry(r)
		}
	}
	for _, c := range s.Checks {
		t.checks[mulligan.Fail] += float64(c.Failed)
		t.checks[mulligan.Broken] += float64(c.Broken)
		t.checks[mulligan.Pass] += float64(c.Runs - c.Failed - c.Broken)
		t.flips += float64(c.Flips)
		c.Took.Each(t.checkTook.add)
	}
	for _, h := range s.Hooks {
		t.hookRuns += float64(h.Runs)
		t.hookBlocks += float64(h.Blocks)
		t.hookFailures += float64(h.Failures + h.Broken)
		h.Took.Each(t.hookTook.add)
	}
}

func (t *totals) addRetry(r history.Retry) {
	if r.Decided() {
		t.retries[string(r.Outcome)]++
	} else {
		t.retries["none"]++
	}
}

// write writes all of it.
func (t *totals) write(w *writer) {
	w.metric("mulligan_sessions_total", "counter", "Sessions that have ended, by their outcome.")
	for _, o := range outcomes {
		w.sample("mulligan_sessions_total", t.sessions[o], "outcome", string(o))
	}
	w.single("mulligan_attempts_total", "counter", "Attempts at steps.", t.attempts)
	w.metric("mulligan_retries_total", "counter", "Attempts after one that did not pass, by what they came to.")
	for _, o := range retryOutcomes {
		w.sample("mulligan_retries_total", t.retries[o], "outcome", o)
	}
	w.single("mulligan_turns_total", "counter", "Turns of agents.", t.turns)
	w.single("mulligan_judge_turns_total", "counter", "Turns of agents that judge.", t.judged)
	w.metric("mulligan_tokens_total", "counter", "Tokens as agents tell them; cached ones are part of the input.")
	w.sample("mulligan_tokens_total", t.input, "type", "input")
	w.sample("mulligan_tokens_total", t.output, "type", "output")
	w.sample("mulligan_tokens_total", t.cached, "type", "cached")
	w.metric("mulligan_cost_usd_total", "counter", "Cost in US dollars as agents tell it.")
	w.sample("mulligan_cost_usd_total", t.billed, "kind", "billed")
	w.sample("mulligan_cost_usd_total", t.estimated, "kind", "estimated")
	w.single("mulligan_worked_seconds_total", "counter", "Time in turns and checks.", t.worked)
	w.metric("mulligan_check_runs_total", "counter", "Runs of checks, by their verdict.")
	for _, s := range statuses {
		w.sample("mulligan_check_runs_total", t.checks[s], "status", string(s))
	}
	w.single("mulligan_check_flips_total", "counter", "Trees on which a check has both passed and failed.", t.flips)
	t.checkTook.write(w, "mulligan_check_duration_seconds", "How long checks took.")
	w.single("mulligan_hook_runs_total", "counter", "Runs of hooks.", t.hookRuns)
	w.single("mulligan_hook_blocks_total", "counter", "Runs of Stop hooks that sent the agent back.", t.hookBlocks)
	w.single("mulligan_hook_failures_total", "counter", "Runs of hooks that failed.", t.hookFailures)
	t.hookTook.write(w, "mulligan_hook_duration_seconds", "How long hooks took.")
}

// durations are a histogram. Times are known to two parts in a hundred.
type durations struct {
	buckets []float64 // not cumulative; one more than there are bounds
	sum     *float64
}

// bounds are in seconds.
var bounds = []float64{0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600}

func newDurations() durations {
	return durations{buckets: make([]float64, len(bounds)+1), sum: new(float64)}
}

func (d durations) add(took time.Duration, runs int) {
	at := 0
	for at < len(bounds) && took.Seconds() > bounds[at] {
		at++
	}
	d.buckets[at] += float64(runs)
	*d.sum += took.Seconds() * float64(runs)
}

func (d durations) write(w *writer, name, help string) {
	w.metric(name, "histogram", help)
	count := 0.0
	for i, n := range d.buckets {
		count += n
		bound := math.Inf(1)
		if i < len(bounds) {
			bound = bounds[i]
		}
		w.sample(name+"_bucket", count, "le", formatValue(bound))
	}
	w.sample(name+"_sum", *d.sum, "", "")
	w.sample(name+"_count", count, "", "")
}
