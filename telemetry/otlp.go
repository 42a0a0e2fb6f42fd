package telemetry

import (
	"strings"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// An attribute is a key with a string, an int64, a float64 or a bool.
type attribute struct {
	key   string
	value any
}

// makeKeyValues returns attributes as OTLP has them. An empty string says nothing and is left out. One that is not UTF-8,
// as a variable may be, would spoil the whole message and is repaired.
func makeKeyValues(list []attribute) (all []*commonpb.KeyValue) {
	for _, a := range list {
		value := &commonpb.AnyValue{}
		switch v := a.value.(type) {
		case string:
			if v == "" {
				continue
			}
			value.Value = &commonpb.AnyValue_StringValue{StringValue: strings.ToValidUTF8(v, "�")}
		case bool:
			value.Value = &commonpb.AnyValue_BoolValue{BoolValue: v}
		case int64:
			value.Value = &commonpb.AnyValue_IntValue{IntValue: v}
		case float64:
			value.Value = &commonpb.AnyValue_DoubleValue{DoubleValue: v}
		}
		all = append(all, &commonpb.KeyValue{Key: strings.ToValidUTF8(a.key, "�"), Value: value})
	}
	return all
}

// wrapSpans returns spans as a request has them: its form is that of the data in a file.
func (t *Telemetry) wrapSpans(spans []*tracepb.Span) *tracepb.TracesData {
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: makeKeyValues(t.resource)},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: t.scope(), Spans: spans}},
	}}}
}

// wrapMetrics returns what was counted until a time as a request has it. It must be called as meter.read.
func (t *Telemetry) wrapMetrics(until time.Time) *metricspb.MetricsData {
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource:     &resourcepb.Resource{Attributes: makeKeyValues(t.resource)},
		ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: t.scope(), Metrics: t.meter.read(t.began, until)}},
	}}}
}

func (t *Telemetry) scope() *commonpb.InstrumentationScope {
	return &commonpb.InstrumentationScope{Name: "mulligan", Version: t.version}
}

// A metric is a counter, or a histogram if it has bounds.
type metric struct {
	name, unit, help string
	bounds           []float64
	points           []*point
}

// A point is what a metric has for one set of attributes.
type point struct {
	attributes []attribute
	sum        float64
	count      uint64
	buckets    []uint64 // of a histogram, one more than it has bounds
}

// read returns the metrics that have counted something between two times. It must be called with mu held, until the
// metrics have been encoded: they share what is counted.
func (m *meter) read(from, to time.Time) (all []*metricspb.Metric) {
	began, ended := uint64(from.UnixNano()), uint64(to.UnixNano())
	for _, one := range m.metrics {
		var numbers []*metricspb.NumberDataPoint
		var spreads []*metricspb.HistogramDataPoint
		for _, p := range one.points {
			attributes := makeKeyValues(p.attributes)
			numbers = append(numbers, &metricspb.NumberDataPoint{
				Attributes: attributes, StartTimeUnixNano: began, TimeUnixNano: ended, Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: p.sum},
			})
			spreads = append(spreads, &metricspb.HistogramDataPoint{
				Attributes: attributes, StartTimeUnixNano: began, TimeUnixNano: ended,
				Count: p.count, Sum: &p.sum, BucketCounts: p.buckets, ExplicitBounds: one.bounds,
			})
		}
		const cumulative = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
		made := &metricspb.Metric{Name: one.name, Description: one.help, Unit: one.unit}
		made.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{DataPoints: numbers, AggregationTemporality: cumulative, IsMonotonic: true}}
		if one.bounds != nil {
			made.Data = &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{DataPoints: spreads, AggregationTemporality: cumulative}}
		}
		if len(one.points) > 0 {
			all = append(all, made)
		}
	}
	return all
}
