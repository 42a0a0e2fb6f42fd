// Package layout holds the tests that keep the repository's shape: which package may import
// which, what no file may contain, and what the keeper's program may cost before it does anything.
// They parse the files themselves: go test would cache the result of a test that asked the go
// tool.
package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const module = "mulligan"

// A layer is a set of packages that do not import each other. A package imports packages of
// lower layers only.
type layer int

const (
	ground      layer = iota // what every package may import, the root package included
	domain                   // the vocabulary
	folded                   // what a session's events come to
	pure                     // functions of what they are given, and the loop, which is given all that it uses
	combined                 // pure, and made of other pure parts
	children                 // starting and ending processes
	shared                   // what the adapters of one kind share
	adapter                  // one technology each
	assembled                // adapters put together, and what a command asks for
	surrounding              // what a command has of the world
	sessions                 // running sessions, reaching those of other processes, examining what one would meet
	serving                  // the local web page
	command                  // the command line
	program                  // main, and what drives the built program
)

// rooms are all the packages. A new one gets a line here, at the lowest layer that it can live in.
var rooms = map[string]layer{
	"internal/clock":               ground,
	"internal/durable":             ground,
	"internal/escape":              ground,
	"internal/jsonlines":           ground,
	"internal/lockfile":            ground,
	"internal/regular":             ground,
	"internal/regular/regulartest": ground,
	"internal/text":                ground,
	"internal/jsonsearch":          ground,
	"report/block":                 ground,

	"": domain,

	"state": folded,

	"config":             pure,
	"gate/writerules":    pure,
	"guard":              pure,
	"guard/transcript":   pure,
	"history":            pure,
	"journal":            pure,
	"loop":               pure,
	"report":             pure,
	"internal/redact":    pure,
	"internal/touched":   pure,
	"internal/turnlog":   pure,
	"internal/usererror": pure,
	"task":               pure,
	"test/corpus":        pure,

	"feedback":          combined,
	"retry":             combined,
	"history/past":      combined,
	"internal/protocol": combined,
	"view":              combined,

	"internal/process": children,

	"agent":              shared,
	"gate":               shared,
	"internal/capture":   shared,
	"internal/confine":   shared,
	"internal/gitfolder": shared,
	"internal/shellword": shared,
	"view/markup":        shared,
	"view/timeline":      shared,

	"internal/process/processtest": shared,

	"agent/acp":       adapter,
	"agent/aider":     adapter,
	"agent/claude":    adapter,
	"agent/codex":     adapter,
	"agent/program":   adapter,
	"agent/scripted":  adapter,
	"agent/agenttest": adapter,
	"gate/command":    adapter,
	"gate/files":      adapter,
	"gate/judge":      adapter,
	"internal/detect": adapter,
	"hook":            adapter,
	"hook/claudecode": adapter,
	"hook/settings":   adapter,
	"notify":          adapter,
	"test/modeltest":  adapter,
	"telemetry":       adapter,

	"telemetry/prometheus": adapter,

	"internal/crashpoint": adapter,
	"workspace":           adapter,
	"workspace/setup":     adapter,
	"task/door":           adapter,
	"journal/memory":      adapter,
	"journal/journaltest": adapter,
	"view/insights":       adapter,
	"view/plot":           adapter,
	"view/viewtest":       adapter,

	"internal/builtin":    assembled,
	"internal/validation": assembled,
	"internal/worklock":   assembled,
	"journal/jetstream":   assembled,

	"journal/jetstream/clustertest": assembled,
	"plan":                          assembled,
	"task/mcp":                      assembled,
	"view/plain":                    assembled,
	"view/sessionreport":            assembled,
	"view/tui":                      assembled,
	"view/web":                      assembled,

	"internal/environ":  surrounding,
	"internal/sessions": surrounding,

	"internal/changes":   sessions,
	"internal/client":    sessions,
	"internal/guardhook": sessions,
	"internal/doctor":    sessions,
	"internal/runner":    sessions,

	"internal/page": serving,

	"internal/cli": command,

	"cmd/mulligan":        program,
	"cmd/mulligan-keeper": program,
	"internal/layout":     program,
	"test/bench":          program,
	"test/browser":        program,
	"test/demo":           program,
	"test/distill":        program,
	"test/e2e":            program,
	"test/honest":         program,
	"test/retrysim":       program,
}

// forTests are packages that any test may import, whatever the layers say. The suites
// among them (agenttest …) are for nothing else.
var forTests = map[string]bool{
	"agent/agenttest":     true,
	"internal/process":    true,
	"journal/journaltest": true,

	"internal/process/processtest":  true,
	"internal/regular/regulartest":  true,
	"journal/jetstream/clustertest": true,

	"journal/memory": true,
	"test/modeltest": true,
	"view/viewtest":  true,
}

// technologies are modules that one room alone knows, so that each can be replaced.
var technologies = []struct {
	prefix string
	rooms  []string
}{
	{"os/exec", []string{"internal/process"}},
	{"github.com/nats-io/", []string{"journal/jetstream", "journal/jetstream/clustertest"}},
	{"github.com/spf13/", []string{"internal/cli"}},
	{"charm.land/", []string{"view/tui"}},
	{"github.com/charmbracelet/", []string{"view", "view/plain", "view/tui"}},
	{"github.com/modelcontextprotocol/", []string{"task/mcp"}},
	{"github.com/landlock-lsm/", []string{"internal/process"}},
	{"github.com/coder/acp-go-sdk", []string{"agent/acp"}},
	{"github.com/tailscale/hujson", []string{"hook/settings"}},
	{"github.com/alecthomas/chroma", []string{"view/markup"}},
	{"github.com/yuin/goldmark", []string{"view/markup"}},
	{"google.golang.org/protobuf", []string{"cmd/mulligan", "telemetry"}}, // cmd/mulligan in tests alone
	{"github.com/prometheus/", []string{"telemetry/prometheus"}},
	{"go.opentelemetry.io/", []string{"cmd/mulligan", "telemetry"}}, // cmd/mulligan in tests alone
}

// objection returns why a file of room from may not import path, or "" if it may.
func objection(from, path string, test bool) string {
	for _, t := range technologies {
		if strings.HasPrefix(path, t.prefix) && !slices.Contains(t.rooms, from) {
			return fmt.Sprintf("only %s may", strings.Join(t.rooms, ", "))
		}
	}
	to, ours := roomOf(path)
	switch {
	case !ours && (rooms[from] <= folded && rooms[from] >= domain || from == "loop") && !test && strings.Contains(firstPart(path), "."):
		return "the vocabulary, the state and the loop import the standard library only"
	case !ours, to == from && test, test && forTests[to]:
		return ""
	}
	above, known := rooms[to]
	switch {
	case !known:
		return fmt.Sprintf("the layout does not know %s: give it a layer in internal/layout", path)
	case from == "loop" && test && above <= combined:
		// The loop is tested with the real policy and the real prompts.
		return ""
	case from == "test/bench" && (to == "test/modeltest" || to == "internal/process/processtest"):
		return "" // it measures the real programs, and their model and a person's terminal are played as in tests
	case !test && strings.HasSuffix(to, "test") && !strings.HasSuffix(from, "test"):
		return "a suite is for tests"
	case above == rooms[from]:
		return "they are on one layer: what both need is an interface of the root's, or belongs lower"
	case above > rooms[from]:
		return "it points upwards"
	}
	return ""
}

// roomOf returns the folder of an import path, and whether it is one of this module.
func roomOf(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func firstPart(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

func TestImportsPointDownwards(t *testing.T) {
	for _, f := range goFiles(t) {
		if _, known := rooms[f.room]; !known {
			continue // TestEveryPackageHasItsLayer fails for it
		}
		for _, imp := range f.imports() {
			if why := objection(f.room, imp.path, f.test); why != "" {
				t.Errorf("%s:%d: imports %s: %s", f.path, imp.line, imp.path, why)
			}
		}
	}
}

func TestEveryPackageHasItsLayer(t *testing.T) {
	for _, f := range goFiles(t) {
		if _, ok := rooms[f.room]; !ok {
			t.Errorf("%s: the layout does not know %q: give it a layer in internal/layout", f.path, f.room)
		}
	}
}

func TestObjection(t *testing.T) {
	tests := []struct {
		from, path string
		test       bool
		refused    bool
	}{
		{"cmd/mulligan", "mulligan/internal/cli", false, false},
		{"internal/cli", "mulligan/journal/jetstream", false, false},
		{"agent/program", "mulligan/agent", false, false},
		{"agent/program", "mulligan/internal/process", false, false},
		{"gate/command", "mulligan/feedback", false, false},
		{"feedback", "mulligan/report", false, false},
		{"retry", "mulligan/report", false, false},
		{"journal/memory", "mulligan/journal", false, false},
		{"journal/jetstream", "mulligan/journal/journaltest", true, false},
		{"loop", "mulligan/journal/memory", true, false},
		{"loop", "mulligan/retry", true, false},
		{"loop", "mulligan/state", false, false},
		{"config", "mulligan/config", true, false},
		{"config", "github.com/goccy/go-yaml/ast", false, false},

		{"", "mulligan/internal/text", false, false},
		{"internal/text", "mulligan", false, true},
		{"", "mulligan/retry", false, true},
		{"", "mulligan/internal/cli", true, true},
		{"", "mulligan/state", false, true},
		{"state", "mulligan/loop", false, true},
		{"guard", "mulligan/loop", false, true},
		{"", "golang.org/x/sync/errgroup", false, true},
		{"loop", "golang.org/x/sync/errgroup", false, true},
		{"history", "mulligan/report", false, true},
		{"view/plain", "mulligan/agent", true, false},
		{"view", "mulligan/agent", false, true},
		{"view/plain", "mulligan/view/tui", false, true},
		{"view/tui", "mulligan/journal/jetstream", false, true},
		{"agent/program", "mulligan/agent/scripted", true, true},
		{"gate/files", "mulligan/agent/program", false, true},
		{"plan", "mulligan/internal/cli", false, true},
		{"config", "mulligan/internal/process", false, true},
		{"internal/cli", "mulligan/internal/unheard", false, true},
		{"internal/cli", "mulligan/agent/agenttest", false, true},
		{"internal/cli", "mulligan/test/modeltest", false, true},
		{"test/bench", "mulligan/test/modeltest", false, false},
		{"internal/cli", "os/exec", false, true},
		{"workspace", "os/exec", false, true},
		{"journal", "github.com/nats-io/nats.go", false, true},
	}
	for _, test := range tests {
		why := objection(test.from, test.path, test.test)
		if (why != "") != test.refused {
			t.Errorf("%q imports %s (test file: %v): objection %q", test.from, test.path, test.test, why)
		}
	}
}
