package touched

import (
	"bytes"
	"encoding/json"
	"strings"

	"mulligan"
)

// CompareTests returns how a test's file changed: the marks that skip a test and that it did not have, how many
// tests fewer it has, and whether none is left.
func CompareTests(before, after string) (change mulligan.TouchKind, skips, fewer int) {
	had := map[string]int{}
	for line := range strings.Lines(before) {
		had[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(after) {
		line = strings.TrimSpace(line)
		if had[line] > 0 {
			had[line]--
		} else if AddsSkip(line) {
			skips++
		}
	}
	had1, has := CountTests(before), CountTests(after)
	change = mulligan.FileChanged
	if strings.TrimSpace(after) == "" && strings.TrimSpace(before) != "" || had1 > 0 && has == 0 {
		change = mulligan.FileEmptied
	}
	return change, skips, max(had1-has, 0)
}

// steeringKeys are the keys of a package.json that steer how its checks run.
var steeringKeys = []string{"scripts", "jest", "vitest", "mocha", "ava", "nyc", "c8", "tap", "eslintConfig", "babel", "type", "workspaces", "overrides", "resolutions"}

// SteersPackage reports whether the keys of a package.json that steer checks differ. A text that is not JSON
// steers.
func SteersPackage(before, after []byte) bool {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(before, &a) != nil && len(before) > 0 || json.Unmarshal(after, &b) != nil {
		return true
	}
	for _, key := range steeringKeys {
		if !bytes.Equal(a[key], b[key]) {
			return true
		}
	}
	return false
}
