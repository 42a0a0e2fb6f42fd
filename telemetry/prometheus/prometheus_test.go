package prometheus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"mulligan"
	"mulligan/history"
)

func testSource() Source {
	took := history.Spread{}
	took.Add(200 * time.Millisecond)
	took.Add(2 * time.Second)
	took.Add(2 * time.Hour)
	return Source{
		Version: `1."2`,
		Running: func(context.Context) ([]mulligan.Summary, error) { return []mulligan.Summary{{Asks: true}, {}}, nil },
		Records: func(_ context.Context, f func(history.Session)) error {
			f(history.Session{
				Ended: mulligan.Verified, Turns: 3, Judged: 1, Worked: time.Minute, Usage: mulligan.Usage{InputTokens: 10, OutputTokens: 4, CachedTokens: 2, CostUSD: 0.5}, BilledUSD: 0.25,
				Steps:  []history.Step{{Attempts: 2, Retries: []history.Retry{{Outcome: mulligan.Pass}, {}}}},
				Checks: []history.CheckRuns{{Runs: 3, Failed: 1, Took: took}},
			})
			f(history.Session{Ended: mulligan.GaveUp})
			return nil
		},
	}
}

// parse reads the figures with Prometheus' own code.
func parse(t *testing.T, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return families
}

func TestFigures(t *testing.T) {
	text, err := testSource().Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	parse(t, text)
	for _, line := range []string{
		`mulligan_sessions_running 2`, `mulligan_sessions_asking 1`, `mulligan_sessions_total{outcome="verified"} 1`, `mulligan_sessions_total{outcome="gave_up"} 1`,
		`mulligan_sessions_total{outcome="limit"} 0`, `mulligan_attempts_total 2`, `mulligan_retries_total{outcome="pass"} 1`, `mulligan_retries_total{outcome="none"} 1`,
		`mulligan_turns_total 3`, `mulligan_judge_turns_total 1`, `mulligan_tokens_total{type="input"} 10`, `mulligan_cost_usd_total{kind="estimated"} 0.25`,
		`mulligan_check_runs_total{status="pass"} 2`, `mulligan_check_duration_seconds_bucket{le="0.1"} 0`, `mulligan_check_duration_seconds_bucket{le="0.5"} 1`,
		`mulligan_check_duration_seconds_bucket{le="3600"} 2`, `mulligan_check_duration_seconds_bucket{le="+Inf"} 3`, `mulligan_check_duration_seconds_count 3`,
	} {
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("%s is missing in\n%s", line, text)
		}
	}
}

// Two scrapes in a row read the sessions once; one that cannot read them says nothing of why.
func TestHandler(t *testing.T) {
	source, reads := testSource(), 0
	running := source.Running
	source.Running = func(ctx context.Context) ([]mulligan.Summary, error) {
		if reads++; reads > 1 {
			return nil, errors.New("/home/me/secret is gone")
		}
		return running(ctx)
	}
	get := func(h http.Handler) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return w
	}
	h := source.Handler()
	for range 2 {
		if w := get(h); w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain; version=0.0.4") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if w := get(source.Handler()); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The dashboard asks for metrics and labels that there are, and for every metric but the version.
func TestDashboard(t *testing.T) {
	data, err := os.ReadFile("../../docs/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	text, err := testSource().Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	families := parse(t, text)
	used := map[string]bool{"mulligan_build_info": true, "mulligan_worked_seconds_total": true, "mulligan_hook_duration_seconds": true}
	label := regexp.MustCompile(`(?:by \(|\{)([a-z]+)`)
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			for _, name := range regexp.MustCompile(`mulligan_[a-z_]+`).FindAllString(target.Expr, -1) {
				name = strings.TrimSuffix(name, "_bucket")
				if used[name] = true; families[name] == nil {
					t.Errorf("%s: there is no metric %s", p.Title, name)
					continue
				}
				for _, m := range label.FindAllStringSubmatch(target.Expr, -1) {
					if m[1] != "le" && families[name].Metric[0].Label[0].GetName() != m[1] {
						t.Errorf("%s: %s has no label %s", p.Title, name, m[1])
					}
				}
			}
		}
	}
	for name := range families {
		if !used[name] {
			t.Errorf("no panel has %s", name)
		}
	}
}
