package layout

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mulligan/internal/process"
)

// What all initialisers together may do before main. Bytes and allocations are the same
// in every run to a fraction of a percent, so they are what holds the line; what they take
// is logged.
const (
	maxInitBytes  = 768 << 10
	maxInitAllocs = 8_000
	maxOneBytes   = 320 << 10 // of a single package
)

type initialiser struct {
	pkg           string
	millis        float64
	bytes, allocs int
}

// TestStartUpIsLean builds the program as users get it and sums GODEBUG=inittrace=1.
func TestStartUpIsLean(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "mulligan")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	build := process.Tool{Dir: repositoryRoot(t), Argv: []string{"go", "build", "-o", bin, "./cmd/mulligan"}}
	if _, err := build.Output(t.Context()); err != nil {
		t.Fatal(err)
	}
	var least []initialiser
	for range 5 {
		trace := initialisers(t, bin)
		if least == nil || total(trace).millis < total(least).millis {
			least = trace
		}
	}
	sum := total(least)
	t.Logf("%d initialisers, %.2f ms, %d bytes, %d allocations", len(least), sum.millis, sum.bytes, sum.allocs)
	if sum.bytes > maxInitBytes || sum.allocs > maxInitAllocs {
		t.Errorf("initialisers took %.2f ms, %d bytes, %d allocations; at most %d and %d; the largest:\n%s",
			sum.millis, sum.bytes, sum.allocs, maxInitBytes, maxInitAllocs, largest(least))
	}
	for _, one := range least {
		if one.bytes > maxOneBytes {
			t.Errorf("%s allocates %d bytes before main; at most %d: load it when it is needed", one.pkg, one.bytes, maxOneBytes)
		}
	}
}

func initialisers(t *testing.T, bin string) []initialiser {
	t.Helper()
	home := t.TempDir()
	// The trace is on standard error, which a tool that ends well keeps to itself.
	trace := process.Tool{
		Argv: []string{"sh", "-c", `"$0" version 2>&1 >/dev/null`, bin},
		Env:  []string{"GODEBUG=inittrace=1", "HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_RUNTIME_DIR=" + home},
	}
	out, err := trace.Output(t.Context())
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	all := parseTrace(string(out))
	if len(all) == 0 {
		t.Fatalf("no initialiser in the trace:\n%s", out)
	}
	return all
}

func parseTrace(text string) []initialiser {
	line := regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, (\d+) bytes, (\d+) allocs$`)
	var all []initialiser
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		// The expression lets only numbers through.
		millis, _ := strconv.ParseFloat(m[2], 64)
		size, _ := strconv.Atoi(m[3])
		allocs, _ := strconv.Atoi(m[4])
		all = append(all, initialiser{pkg: m[1], millis: millis, bytes: size, allocs: allocs})
	}
	return all
}

func total(all []initialiser) (sum initialiser) {
	for _, one := range all {
		sum.millis += one.millis
		sum.bytes += one.bytes
		sum.allocs += one.allocs
	}
	return sum
}

func largest(all []initialiser) string {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b initialiser) int { return cmp.Compare(b.bytes, a.bytes) })
	var b strings.Builder
	for _, one := range sorted[:min(8, len(sorted))] {
		fmt.Fprintf(&b, "  %-50s %6.2f ms %8d bytes %6d allocations\n", one.pkg, one.millis, one.bytes, one.allocs)
	}
	return b.String()
}

func TestParseTrace(t *testing.T) {
	got := parseTrace("mulligan 1.0\ninit a/b @0.5 ms, 0.25 ms clock, 1024 bytes, 3 allocs\nfork\ninit c @1 ms, 0 ms clock, 8 bytes, 1 allocs\n")
	want := []initialiser{{"a/b", 0.25, 1024, 3}, {"c", 0, 8, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
