package main

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

func TestRanOutOfTime(t *testing.T) {
	const late = "fuzz: elapsed: 3s, execs: 40304 (0/sec), new interesting: 104 (total: 108)\n" +
		"--- FAIL: FuzzOne (3.20s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\tp\t3.202s\n"
	tests := []struct {
		name, output string
		want         bool
	}{
		{"its time was over", late, true},
		{"another target's", "--- FAIL: FuzzOther (3.20s)\n    context deadline exceeded\nFAIL\n", false},
		{"an input", late + "    Failing input written to testdata/fuzz/FuzzOne/771e938e4458e983\n", false},
		{"an input that takes too long for the target itself", "--- FAIL: FuzzOne (0.10s)\n    --- FAIL: FuzzOne (0.00s)\n        a_test.go:9: context deadline exceeded\n    \n    Failing input written to testdata/fuzz/FuzzOne/7\nFAIL\n", false},
		{"a seed", "--- FAIL: FuzzOne (0.00s)\n    --- FAIL: FuzzOne/seed#0 (0.00s)\n        a_test.go:9: context deadline exceeded\nFAIL\n", false},
		{"a hang", "--- FAIL: FuzzOne (3.20s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\nFAIL\n", false},
		{"a panic", "panic: context deadline exceeded\n" + late, false},
		{"it did not build", "FAIL\tp [build failed]\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := ranOutOfTime("FuzzOne", test.output); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestFuzzedCountsInOrder(t *testing.T) {
	var out bytes.Buffer
	r := run{out: &out}
	err := r.countFuzz([]target{{"a", "FuzzOne"}, {"b", "FuzzTwo"}, {"c", "FuzzThree"}}, []error{nil, errors.New("boom"), nil})
	if !errors.Is(err, errTests) || r.tally.passed != 2 || !slices.Equal(r.tally.failing, []string{"b FuzzTwo"}) || out.String() != "boom\n" {
		t.Errorf("%v, %+v, shown %q", err, r.tally, &out)
	}
}
