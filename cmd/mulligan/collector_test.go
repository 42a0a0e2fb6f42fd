package main

import (
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector FILE starts an OpenTelemetry collector on loopback, and puts its address into COLLECTOR. Spans and metrics are
// lines of the file, as the standard's own code decodes them. Below /down it refuses everything.
func collector(ts *testscript.TestScript, neg bool, args []string) {
	file := ts.MkAbs(args[0])
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		lines, err := decodeOTLP(r)
		if err == nil {
			err = appendTo(file, lines)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("COLLECTOR", server.URL)
}

// decodeOTLP returns what a request has, in lines.
func decodeOTLP(r *http.Request) (string, error) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		plain, err := gzip.NewReader(r.Body)
		if err != nil {
			return "", err
		}
		body = plain
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return "", err
	}
	if got := r.Header.Get("Content-Type"); got != "application/x-protobuf" {
		return "", fmt.Errorf("content type %s", got)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "request %s key=%s\n", r.URL.Path, r.Header.Get("X-Key"))
	switch r.URL.Path {
	case "/v1/traces":
		// A request has the same form as the data of a file.
		var traces tracepb.TracesData
		if err := proto.Unmarshal(data, &traces); err != nil {
			return "", err
		}
		writeSpans(&b, &traces)
	case "/v1/metrics":
		var metrics metricspb.MetricsData
		if err := proto.Unmarshal(data, &metrics); err != nil {
			return "", err
		}
		writeMetrics(&b, &metrics)
	default:
		return "", fmt.Errorf("no such place: %s", r.URL.Path)
	}
	return b.String(), nil
}

func writeSpans(b *strings.Builder, traces *tracepb.TracesData) {
	for _, resource := range traces.ResourceSpans {
		fmt.Fprintf(b, "resource%s\n", formatAttributes(resource.Resource.Attributes))
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				fmt.Fprintf(b, "span %s trace=%s id=%s parent=%s kind=%s status=%s %q whole=%v%s\n", s.Name, hex.EncodeToString(s.TraceId), hex.EncodeToString(s.SpanId),
					hex.EncodeToString(s.ParentSpanId), s.Kind, s.Status.Code, s.Status.Message, s.StartTimeUnixNano > 0 && s.EndTimeUnixNano >= s.StartTimeUnixNano, formatAttributes(s.Attributes))
			}
		}
	}
}

func writeMetrics(b *strings.Builder, metrics *metricspb.MetricsData) {
	for _, resource := range metrics.ResourceMetrics {
		for _, scope := range resource.ScopeMetrics {
			for _, m := range scope.Metrics {
				for _, p := range m.GetSum().GetDataPoints() {
					fmt.Fprintf(b, "metric %s unit=%s %s sum=%v%s\n", m.Name, m.Unit, m.GetSum().AggregationTemporality, p.GetAsDouble(), formatAttributes(p.Attributes))
				}
				for _, p := range m.GetHistogram().GetDataPoints() {
					fmt.Fprintf(b, "metric %s unit=%s count=%d whole=%v%s\n", m.Name, m.Unit, p.Count, len(p.BucketCounts) == len(p.ExplicitBounds)+1, formatAttributes(p.Attributes))
				}
			}
		}
	}
}

func formatAttributes(list []*commonpb.KeyValue) string {
	var b strings.Builder
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			fmt.Fprintf(&b, " %s=%q", a.Key, v.StringValue)
		case *commonpb.AnyValue_IntValue:
			fmt.Fprintf(&b, " %s=%d", a.Key, v.IntValue)
		case *commonpb.AnyValue_BoolValue:
			fmt.Fprintf(&b, " %s=%v", a.Key, v.BoolValue)
		case *commonpb.AnyValue_DoubleValue:
			fmt.Fprintf(&b, " %s=%v", a.Key, v.DoubleValue)
		default:
			fmt.Fprintf(&b, " %s=?", a.Key)
		}
	}
	return b.String()
}

// scrape ADDRESS FILE gets the page whose address the first file has, as Prometheus does, and wants it to be refused under
// another host's name.
func scrape(ts *testscript.TestScript, neg bool, args []string) {
	address := strings.TrimSpace(ts.ReadFile(args[0]))
	get := func(host string) (int, string) {
		r, err := http.NewRequest(http.MethodGet, address, nil)
		ts.Check(err)
		if host != "" {
			r.Host = host
		}
		answer, err := http.DefaultClient.Do(r)
		ts.Check(err)
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		ts.Check(err)
		return answer.StatusCode, string(body)
	}
	if code, _ := get("evil.example:80"); code != http.StatusForbidden {
		ts.Fatalf("another host's name is answered with %d", code)
	}
	code, body := get("")
	if code != http.StatusOK {
		ts.Fatalf("%d: %s", code, body)
	}
	ts.Check(appendTo(ts.MkAbs(args[1]), body))
}
