package block

import (
	"slices"
	"strings"
	"testing"
)

// scanEverywhere is scan without its skipping.
func scanEverywhere(s *featureScanner, p []byte) features {
	var f features
	s.first = len(p)
	for i := range p {
		f = s.scanAt(p, i, f)
	}
	return f
}

func checkScan(t *testing.T, s *featureScanner, line string) {
	t.Helper()
	want := scanEverywhere(s, []byte(line))
	first := s.first
	if got := s.scan([]byte(line)); got != want || s.first != first {
		t.Errorf("%q: features %b, the first word at %d; want %b, %d", line, got, s.first, want, first)
	}
	if want != 0 && !hasTelltale(line) {
		t.Errorf("%q has features %b and none of Telltales", line, want)
	}
}

var allTelltales = Telltales()

// hasTelltale reports whether one of Telltales stands in a line.
func hasTelltale(line string) bool {
	return slices.ContainsFunc(allTelltales, func(places []string) bool {
		for i := 0; i+len(places) <= len(line); i++ {
			n := 0
			for n < len(places) && strings.IndexByte(places[n], line[i+n]) >= 0 {
				n++
			}
			if n == len(places) {
				return true
			}
		}
		return false
	})
}

// What tells something is found wherever it stands.
func TestScanSkipsNothing(t *testing.T) {
	s := newFeatureScanner()
	telling := []string{"x:1y", "(2 ", "*** ", ":9", "(0"}
	for _, words := range makeTelltales() {
		for _, w := range words {
			telling = append(telling, w.before+w.word, strings.ToUpper(w.before+w.word), strings.ToUpper(w.before+w.word[:2])+w.word[2:])
		}
	}
	for _, text := range telling {
		found := false
		for n := range 20 {
			for _, after := range []string{"", "y", " and more"} {
				line := strings.Repeat("z", n) + text + after
				checkScan(t, s, line)
				found = found || s.scan([]byte(line)) != 0
			}
		}
		if !found {
			t.Errorf("%q has no feature anywhere", text)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add("src/main.c:12:5: error: undefined reference (3) *** failed, cannot open, not found")
	f.Add("eRrOr FAILnot found: 1(2")
	s := newFeatureScanner()
	f.Fuzz(func(t *testing.T, line string) { checkScan(t, s, line) })
}
