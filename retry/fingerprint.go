package retry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"mulligan"
	"mulligan/report"
)

const (
	fingerprintSize = 8    // bytes of the hash, two digits each
	maxTold         = 30   // lines of an output whose format is not known
	lastTold        = 5    // of one in which no line tells what is wrong
	maxClassed      = 8000 // bytes of messages; a report with more may lack those of some items
)

// Fingerprint returns what makes the failure of an attempt the same as another's, in 16 hexadecimal
// digits, or "" if the attempt has no evidence of a failure. The attempt has ended: its status and its
// reason are set.
func Fingerprint(a mulligan.AttemptState) string {
	failure := DescribeFailure(a)
	if failure == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(failure))
	return hex.EncodeToString(sum[:fingerprintSize])
}

// DescribeFailure returns the text that Fingerprint is made of: which check failed, which items and
// the class of each one's error, without what differs between two runs of the same failure.
func DescribeFailure(a mulligan.AttemptState) string {
	v := a.Last()
	switch {
	case a.Status == mulligan.Pass:
		return ""
	case a.Result.Ending == mulligan.Refused:
		return "refused: " + report.ErrorClass(a.Result.Reason)
	case v != nil && v.Status != mulligan.Pass:
		return strings.Join(append([]string{"check: " + v.Gate}, describeVerdict(v)...), "\n")
	case a.Status == mulligan.Fail: // Stop hooks or the guard did not let it end
		return "ended: " + report.ErrorClass(a.Reason)
	}
	return ""
}

// describeVerdict returns what a gate found, a line each, in an order that does not depend on that of
// the output.
func describeVerdict(v *mulligan.Verdict) []string {
	f := v.Finding
	switch {
	case v.Judge != nil: // it words the same objection differently each time
		return []string{"judged: " + string(v.Status)}
	case f == nil:
		return []string{"summary: " + report.ErrorClass(v.Summary)}
	}
	var lines []string
	if f.CutShort {
		lines = append(lines, "ended: "+report.Normalize(f.Exit))
	}
	if len(f.Failing) == 0 && f.Counts.Failed == 0 {
		return append(lines, describeOutput(v)...)
	}
	lines = append(lines, describeItems(f.Failing)...)
	if f.Counts.Failed > len(f.Failing) { // the list was cut, or the runner gave no names
		lines = append(lines, fmt.Sprintf("failed: %d", f.Counts.Failed))
	}
	return lines
}

// describeItems returns the failing items. Where there are so many that the report may not have all
// messages, the items' names alone count: which of them have one depends on the order of the output.
func describeItems(items []mulligan.Item) []string {
	size := 0
	for _, it := range items {
		size += len(it.Message)
	}
	lines := make([]string, 0, len(items))
	for _, it := range items {
		if size > maxClassed {
			it.Message = ""
		}
		lines = append(lines, "item: "+report.ItemClass(it))
	}
	slices.Sort(lines) // repetitions stay: one error fewer is progress
	return lines
}

// describeOutput returns the lines of an output of no known format that tell what is wrong, else its
// last lines, else how the command ended.
func describeOutput(v *mulligan.Verdict) []string {
	var telling, all []string
	for line := range strings.Lines(v.Finding.Text) {
		normal := report.Normalize(line)
		if normal == "" || strings.HasPrefix(normal, "[… ") || strings.HasPrefix(normal, "… ") {
			continue // blank, or what the distiller says of what it left out
		}
		if report.IsTelling(line) {
			telling = append(telling, "line: "+normal)
		}
		all = append(all, "line: "+normal)
	}
	switch {
	case len(telling) > 0:
		return sortDistinct(telling[:min(len(telling), maxTold)])
	case len(all) > 0:
		return sortDistinct(all[max(len(all)-lastTold, 0):])
	}
	return []string{"exit: " + v.Finding.Exit, "summary: " + report.ErrorClass(v.Summary)}
}

func sortDistinct(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}
