package main

import (
	"regexp"
	"testing"

	"mulligan"
	"mulligan/feedback"
	"mulligan/retry"
	"mulligan/test/corpus"
)

// changeRun returns an output as another run of the same failure prints it: in another folder, at another
// time, with other durations, addresses and large numbers.
func changeRun(output []byte) []byte {
	for _, r := range []struct{ match, with string }{
		{`\b\d+\.\d+ ?(s|ms)\b`, "9.87 ${1}"},
		{`(^|[^\w.])\d{5,}\b`, "${1}77777"},
		{`0x[0-9a-f]{6,}`, "0xabc12345"},
		{`\b\d\d:\d\d:\d\d\b`, "23:59:58"},
		{`/tmp/[\w.-]+`, "/tmp/other-zQ91"},
		{`(^|[\s"'(])/(home|root|src|app|build)/[\w.-]+/`, "${1}/home/somebody/"},
	} {
		output = regexp.MustCompile(r.match).ReplaceAll(output, []byte(r.with))
	}
	return output
}

// largest is how many bytes an output has at most.
const largest = 40 << 10

// R5: two runs of the same failure have one fingerprint, in the formats of all tools of the corpus.
func TestFingerprintsOfTheCorpus(t *testing.T) {
	fingerprint := func(output []byte) (string, string) {
		d := feedback.NewDistiller(0)
		_, _ = d.Write(output)
		f := d.Finish("/out").Finding("check", "exit status 1", "/out")
		a := mulligan.AttemptState{Status: mulligan.Fail, Verdicts: []mulligan.Verdict{{Gate: "check", Status: mulligan.Fail, Finding: f}}}
		return retry.Fingerprint(a), retry.DescribeFailure(a)
	}
	// Its lines are cut to a length in the middle, and paths of another length move the cut.
	known := map[string]bool{"phpunit-teamcity": true}
	for _, folder := range []string{"seen", "apart"} {
		cases, err := corpus.Load("../../feedback/testdata/corpus", folder)
		if err != nil || len(cases) == 0 {
			t.Fatal("no cases", err)
		}
		for i, c := range cases {
			if i%2 != 0 || len(c.Output) > largest || known[c.Name] { // half of them, and no megabytes, take seconds enough
				continue
			}
			a, first := fingerprint(c.Output)
			b, second := fingerprint(changeRun(c.Output))
			if a != b || a == "" {
				t.Errorf("%s: two runs of one failure differ:\n%s\n--\n%s", c.Name, first, second)
			}
		}
	}
}
