package telemetry

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"mulligan"
	"mulligan/view/viewtest"
)

func TestNothingIsAskedFor(t *testing.T) {
	for _, environ := range [][]string{
		nil,
		{"PATH=/bin"},
		{"OTEL_SERVICE_NAME=x"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT="},
		{"OTEL_TRACES_EXPORTER=none"},
		{"OTEL_SDK_DISABLED=true", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"},
		{"OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none", "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"},
	} {
		told := Open(environ, "1", func(note string) { t.Errorf("%q: %s", environ, note) })
		if told != nil {
			t.Errorf("%q: it is on", environ)
		}
		told.Close() // of nothing
	}
}

func TestSettings(t *testing.T) {
	s, notes := readSettings([]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=https://c.example/base/", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m.example:9/x",
		"OTEL_EXPORTER_OTLP_HEADERS=a=b, c = d%2C", "OTEL_EXPORTER_OTLP_METRICS_HEADERS=e=f", "OTEL_EXPORTER_OTLP_TIMEOUT=1500",
		"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=gzip", "OTEL_RESOURCE_ATTRIBUTES=service.name=ignored,team=me", "OTEL_SERVICE_NAME=mine",
		"OTEL_TRACES_SAMPLER=parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.5",
	}, "1.2")
	if notes != nil || s.traces.url.String() != "https://c.example/base/v1/traces" || s.metrics.url.String() != "http://m.example:9/x" {
		t.Errorf("%v %v %v", notes, s.traces.url, s.metrics.url)
	}
	if s.traces.headers["c"] != "d," || s.metrics.headers["e"] != "f" || s.metrics.headers["a"] != "" || s.traces.timeout != 1500*time.Millisecond {
		t.Errorf("%+v %+v", s.traces, s.metrics)
	}
	if !s.traces.gzip || s.metrics.gzip || s.ratio != 0.5 {
		t.Errorf("%+v", s)
	}
	if !slices.Contains(s.resource, attribute{"service.name", "mine"}) || !slices.Contains(s.resource, attribute{"team", "me"}) {
		t.Errorf("%v", s.resource)
	}
	_, notes = readSettings([]string{"OTEL_TRACES_EXPORTER=zipkin", "OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318"}, "1")
	if len(notes) != 2 || !strings.Contains(notes[0], "zipkin") || !strings.Contains(notes[1], "http://") {
		t.Errorf("%q", notes)
	}
}

// The ids of a trace depend on the session alone: they are the same in every process and version.
func TestIDsStay(t *testing.T) {
	trace, span := deriveTrace("20261115-214609-x7q2"), deriveSpan("20261115-214609-x7q2", 7)
	if got := hex.EncodeToString(trace) + " " + hex.EncodeToString(span); got != "95fb5cca9ce006fe6d9d6687d80a0196 197ff3ae4eaf8c15" {
		t.Errorf("got %s", got)
	}
}

// Every stream of events, cut off anywhere, makes spans that can be encoded, and none has text from outside in a name or in
// its status.
func TestSpansOfNastyEvents(t *testing.T) {
	for _, events := range viewtest.NastyEvents() {
		tracer, meter := newTracer(), newMeter()
		var spans []*tracepb.Span
		for _, e := range events {
			if _, ok := e.Body.(mulligan.GuardOpened); ok {
				continue
			}
			spans = append(spans, tracer.apply(e)...)
			meter.count(e)
		}
		told := Telemetry{meter: meter, settings: settings{resource: []attribute{{"a\xff", "b\xff"}}}}
		for _, message := range []proto.Message{told.wrapSpans(spans), told.wrapMetrics(time.Now())} {
			if _, err := proto.Marshal(message); err != nil {
				t.Error(err)
			}
		}
		for _, s := range spans {
			if strings.ContainsAny(s.Name, "\x1b\n ") {
				t.Errorf("a span is named %q", s.Name)
			}
			for _, a := range s.Attributes {
				if strings.Contains(a.Value.GetStringValue(), "\n") {
					t.Errorf("%s of %s is %q", a.Key, s.Name, a.Value.GetStringValue())
				}
			}
		}
	}
}

func BenchmarkEvent(b *testing.B) {
	told := &Telemetry{meter: newMeter(), settings: settings{traces: &endpoint{}, ratio: 1}, spans: make(chan *tracepb.Span, maxQueue)}
	s := told.Session()
	plan := &mulligan.Plan{Agents: map[string]mulligan.AgentSpec{}}
	s.Event(mulligan.Event{Session: "s", Number: 1, Time: time.Now(), Body: mulligan.SessionStarted{Plan: plan}})
	b.ReportAllocs()
	for i := range b.N {
		s.Event(mulligan.Event{Session: "s", Number: int64(2*i + 2), Time: time.Now(), Body: mulligan.TurnStarted{Turn: i, Agent: "x"}})
		s.Event(mulligan.Event{Session: "s", Number: int64(2*i + 3), Time: time.Now(), Body: mulligan.TurnEnded{Turn: i}})
		for len(told.spans) > maxQueue/2 {
			<-told.spans
		}
	}
}
