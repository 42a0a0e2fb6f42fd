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

// What all initialisers of the keeper's program together may do before main. Bytes and allocations are the same
// in every run to a few percent, so they are what holds the line; what they take is logged.
const (
	maxInitBytes  = 8 << 10
	maxInitAllocs = 110
)

type initialiser struct {
	pkg           string
	millis        float64
	bytes, allocs int
}

// TestKeeperStartsLean builds the keeper's program as users get it and sums GODEBUG=inittrace=1.
func TestKeeperStartsLean(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "mulligan-keeper")
	if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	build := process.Tool{Dir: repositoryRoot(t), Argv: []string{"go", "build", "-o", bin, "./cmd/mulligan-keeper"}}
	if _, err := build.Output(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := initialisers(t, bin)
	sum := total(all)
	t.Logf("%d initialisers, %.2f ms, %d bytes, %d allocations", len(all), sum.millis, sum.bytes, sum.allocs)
	if sum.bytes > maxInitBytes || sum.allocs > maxInitAllocs {
		t.Errorf("initialisers took %.2f ms, %d bytes, %d allocations; at most %d and %d; the largest:\n%s",
			sum.millis, sum.bytes, sum.allocs, maxInitBytes, maxInitAllocs, largest(all))
	}
}

// TestKeeperImportsLittle: besides the standard library, the keeper's program is made of internal/process, what that
// imports of ours, and golang.org/x/sys.
func TestKeeperImportsLittle(t *testing.T) {
	imports := map[string][]imported{}
	for _, s := range goFiles(t) {
		if !s.test {
			imports[s.room] = append(imports[s.room], s.imports()...)
		}
	}
	rooms := []string{"cmd/mulligan-keeper"}
	for i := 0; i < len(rooms); i++ {
		for _, imp := range imports[rooms[i]] {
			room, ours := roomOf(imp.path)
			switch {
			case ours && !slices.Contains(rooms, room):
				rooms = append(rooms, room)
			case !ours && strings.Contains(firstPart(imp.path), ".") && !strings.HasPrefix(imp.path, "golang.org/x/sys/"):
				t.Errorf("%s imports %s, which is too much for the keeper's program", rooms[i], imp.path)
			}
		}
	}
	if want := []string{"cmd/mulligan-keeper", "internal/process", "internal/text"}; !slices.Equal(rooms, want) {
		t.Errorf("the keeper's program is made of %q, not %q", rooms, want)
	}
}

func initialisers(t *testing.T, bin string) []initialiser {
	t.Helper()
	// The trace is on standard error, which a tool that ends well keeps to itself. The keeper has no socket, and says so.
	trace := process.Tool{Argv: []string{"sh", "-c", `"$0" keeper 2>&1 || true`, bin}, Env: []string{"GODEBUG=inittrace=1"}}
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
