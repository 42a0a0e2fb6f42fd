package jetstream

import (
	"strings"
	"testing"

	"mulligan"
)

// TestCheckListed: a month whose list lacks a session that has frames is not deleted.
func TestCheckListed(t *testing.T) {
	sums := []mulligan.Summary{{ID: "20261115-000000-aaaa"}, {ID: "20261115-000000-cccc"}}
	counts := map[string]uint64{"20261115-000000-aaaa": 1, "20261115-000000-cccc": 3}
	if err := checkListed("202611", counts, sums); err != nil {
		t.Error(err)
	}
	counts["20261115-000000-bbbb"] = 2
	if err := checkListed("202611", counts, sums); err == nil || !strings.Contains(err.Error(), "20261115-000000-bbbb") {
		t.Errorf("got %v", err)
	}
}
