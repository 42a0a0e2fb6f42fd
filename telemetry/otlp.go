package telemetry

import (
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of fields are those of opentelemetry-proto 1.x. Few messages are needed, and writing them by hand costs no
// initialiser; docs/decisions/0012-telemetry.md has the figures.

// An attribute is a key with a string, an int64, a float64 or a bool.
type attribute struct {
	key   string
	value any
}

// A span is one that has ended.
type span struct {
	trace      [16]byte
	id, parent [8]byte // parent is zero for a root
	name       string
	client     bool // it is a call of something else: an agent
	began      time.Time
	ended      time.Time
	attributes []attribute
	failed     bool
	failure    string // a word, never text from outside
}

func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

func appendString(b []byte, field protowire.Number, s string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendVarint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func appendFixed(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), v)
}

func appendTime(b []byte, field protowire.Number, t time.Time) []byte {
	return appendFixed(b, field, uint64(t.UnixNano()))
}

// appendAttributes appends KeyValues.
func appendAttributes(b []byte, field protowire.Number, list []attribute) []byte {
	for _, a := range list {
		var value []byte
		switch v := a.value.(type) {
		case string:
			if v == "" {
				continue // it says nothing
			}
			value = appendString(nil, 1, v)
		case bool:
			value = appendVarint(nil, 2, protowire.EncodeBool(v))
		case int64:
			value = appendVarint(nil, 3, uint64(v))
		case float64:
			value = appendFixed(nil, 4, math.Float64bits(v))
		}
		b = appendMessage(b, field, appendMessage(appendString(nil, 1, a.key), 2, value))
	}
	return b
}

// encodeScope returns an InstrumentationScope.
func encodeScope(version string) []byte {
	return appendString(appendString(nil, 1, "mulligan"), 2, version)
}

// encodeSpans returns an ExportTraceServiceRequest.
func encodeSpans(resource []attribute, version string, spans []span) []byte {
	scope := appendMessage(nil, 1, encodeScope(version))
	for _, s := range spans {
		scope = appendMessage(scope, 2, s.encode())
	}
	return appendMessage(nil, 1, appendMessage(appendMessage(nil, 1, appendAttributes(nil, 1, resource)), 2, scope))
}

func (s span) encode() []byte {
	const internal, client, statusOK, statusError = 1, 3, 1, 2
	b := appendMessage(nil, 1, s.trace[:])
	b = appendMessage(b, 2, s.id[:])
	if s.parent != [8]byte{} {
		b = appendMessage(b, 4, s.parent[:])
	}
	kind := uint64(internal)
	if s.client {
		kind = client
	}
	b = appendVarint(appendString(b, 5, s.name), 6, kind)
	b = appendTime(appendTime(b, 7, s.began), 8, s.ended)
	b = appendAttributes(b, 9, s.attributes)
	status := appendVarint(nil, 3, statusOK)
	if s.failed {
		status = appendVarint(appendString(nil, 2, s.failure), 3, statusError)
	}
	return appendMessage(b, 15, status)
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

const (
	cumulative = 2
	monotonic  = 1
)

// encodeMetrics returns an ExportMetricsServiceRequest of all that was counted between two times.
func encodeMetrics(resource []attribute, version string, from, to time.Time, metrics []metric) []byte {
	scope := appendMessage(nil, 1, encodeScope(version))
	for _, m := range metrics {
		if len(m.points) > 0 {
			scope = appendMessage(scope, 2, m.encode(from, to))
		}
	}
	return appendMessage(nil, 1, appendMessage(appendMessage(nil, 1, appendAttributes(nil, 1, resource)), 2, scope))
}

func (m metric) encode(from, to time.Time) []byte {
	b := appendString(appendString(appendString(nil, 1, m.name), 2, m.help), 3, m.unit)
	var data []byte
	for _, p := range m.points {
		if m.bounds == nil {
			data = appendMessage(data, 1, p.encodeNumber(from, to))
		} else {
			data = appendMessage(data, 1, p.encodeHistogram(from, to, m.bounds))
		}
	}
	data = appendVarint(data, 2, cumulative)
	if m.bounds == nil {
		return appendMessage(b, 7, appendVarint(data, 3, monotonic))
	}
	return appendMessage(b, 9, data)
}

func (p point) encodeNumber(from, to time.Time) []byte {
	b := appendTime(appendTime(nil, 2, from), 3, to)
	return appendAttributes(appendFixed(b, 4, math.Float64bits(p.sum)), 7, p.attributes)
}

func (p point) encodeHistogram(from, to time.Time, bounds []float64) []byte {
	b := appendTime(appendTime(nil, 2, from), 3, to)
	b = appendFixed(appendFixed(b, 4, p.count), 5, math.Float64bits(p.sum))
	var counts, limits []byte
	for _, n := range p.buckets {
		counts = protowire.AppendFixed64(counts, n)
	}
	for _, limit := range bounds {
		limits = protowire.AppendFixed64(limits, math.Float64bits(limit))
	}
	b = appendMessage(appendMessage(b, 6, counts), 7, limits)
	return appendAttributes(b, 9, p.attributes)
}
