package telemetry

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are what the variables of OpenTelemetry say. They come from the person's environment alone.
type settings struct {
	traces, metrics *endpoint // nil: not wanted
	resource        []attribute
	ratio           float64 // of sessions that are traced
	delay           time.Duration
	interval        time.Duration
}

// An endpoint is where one signal goes.
type endpoint struct {
	url         *url.URL
	headers     map[string]string
	gzip        bool
	timeout     time.Duration
	certificate string // path of a file with the authorities to trust; "": the system's
}

const prefix = "OTEL_"

// isWanted reports whether a variable asks for telemetry. It is all that a process without telemetry does about it.
func isWanted(environ []string) bool {
	return slices.ContainsFunc(environ, func(kv string) bool {
		if !strings.HasPrefix(kv, prefix) {
			return false
		}
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT":
			return value != ""
		case "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER":
			return strings.Contains(value, "otlp")
		}
		return false
	})
}

// readSettings reads the variables. What cannot be used is left out, and noted.
func readSettings(environ []string, version string) (s settings, notes []string) {
	v := variables{}
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); strings.HasPrefix(name, prefix) {
			v[name] = strings.TrimSpace(value)
		}
	}
	if strings.EqualFold(v["OTEL_SDK_DISABLED"], "true") {
		return s, nil
	}
	for _, signal := range []struct {
		name, path string
		to         **endpoint
	}{{"TRACES", "/v1/traces", &s.traces}, {"METRICS", "/v1/metrics", &s.metrics}} {
		e, err := v.readEndpoint(signal.name, signal.path)
		if err != nil {
			notes = append(notes, fmt.Sprintf("no %s are sent: %v", strings.ToLower(signal.name), err))
			continue
		}
		*signal.to = e
	}
	s.ratio = v.readRatio()
	s.delay = v.readMillis("OTEL_BSP_SCHEDULE_DELAY", 5*time.Second)
	s.interval = v.readMillis("OTEL_METRIC_EXPORT_INTERVAL", time.Minute)
	s.resource = v.readResource(version)
	return s, notes
}

// variables are those whose names begin with OTEL_.
type variables map[string]string

// of returns the variable of a signal, or else that of all signals.
func (v variables) of(signal, name string) string {
	if own := v["OTEL_EXPORTER_OTLP_"+signal+"_"+name]; own != "" {
		return own
	}
	return v["OTEL_EXPORTER_OTLP_"+name]
}

// readEndpoint returns where a signal goes, or nil if nobody wants it.
func (v variables) readEndpoint(signal, path string) (*endpoint, error) {
	exporter := v["OTEL_"+signal+"_EXPORTER"]
	switch {
	case exporter == "none", exporter == "" && v.of(signal, "ENDPOINT") == "":
		return nil, nil
	case exporter != "" && exporter != "otlp":
		return nil, fmt.Errorf("OTEL_%s_EXPORTER is %q, and mulligan has otlp alone", signal, exporter)
	}
	if protocol := v.of(signal, "PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q, and mulligan has http/protobuf alone: collectors take it on port 4318", protocol)
	}
	address := v["OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT"] // as it is
	if address == "" {
		base := v["OTEL_EXPORTER_OTLP_ENDPOINT"]
		if base == "" {
			base = "http://localhost:4318"
		}
		address = strings.TrimSuffix(base, "/") + path
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("the endpoint is not an address that begins with http:// or https://")
	}
	e := &endpoint{url: u, headers: parsePairs(v.of(signal, "HEADERS")), certificate: v.of(signal, "CERTIFICATE"), timeout: 10 * time.Second}
	e.gzip = v.of(signal, "COMPRESSION") == "gzip"
	if millis, err := strconv.Atoi(v.of(signal, "TIMEOUT")); err == nil && millis > 0 {
		e.timeout = min(time.Duration(millis)*time.Millisecond, time.Minute)
	}
	return e, nil
}

// readRatio returns which part of the sessions is traced.
func (v variables) readRatio() float64 {
	switch strings.TrimPrefix(v["OTEL_TRACES_SAMPLER"], "parentbased_") {
	case "always_off":
		return 0
	case "traceidratio":
		if ratio, err := strconv.ParseFloat(v["OTEL_TRACES_SAMPLER_ARG"], 64); err == nil {
			return min(max(ratio, 0), 1)
		}
	}
	return 1
}

func (v variables) readMillis(name string, usual time.Duration) time.Duration {
	if millis, err := strconv.Atoi(v[name]); err == nil && millis > 0 {
		return time.Duration(millis) * time.Millisecond
	}
	return usual
}

// readResource returns what every span and metric is of.
func (v variables) readResource(version string) []attribute {
	given := parsePairs(v["OTEL_RESOURCE_ATTRIBUTES"])
	if given["service.name"] == "" {
		given["service.name"] = "mulligan"
	}
	if name := v["OTEL_SERVICE_NAME"]; name != "" {
		given["service.name"] = name
	}
	given["service.version"] = version
	given["telemetry.sdk.name"], given["telemetry.sdk.language"], given["telemetry.sdk.version"] = "mulligan", "go", version
	var list []attribute
	for _, key := range slices.Sorted(maps.Keys(given)) {
		list = append(list, attribute{key, given[key]})
	}
	return list
}

// parsePairs parses key=value,key=value, as in baggage: values may be percent-encoded.
func parsePairs(text string) map[string]string {
	pairs := map[string]string{}
	for one := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(one, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			continue
		}
		value = strings.TrimSpace(value)
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		pairs[key] = value
	}
	return pairs
}
