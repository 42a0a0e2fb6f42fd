package report

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"mulligan/report/block"
)

// What is remembered of tests that are not over yet.
const (
	maxTests    = 5000
	maxTestName = 300 // bytes
)

// A golang reads go test (plain, -v, -json), go build and go vet.
type golang struct {
	tally
	test  bool // go test was recognised
	built bool // a compiler's or vet's errors were
	json  bool // the events of -json come: they name every test
	named int  // how many tests had been named when the package before ended

	pkg   string            // of a -json event; "" in text, where packages come one after the other
	tests map[testKey]*test // until their package ends
	cur   *test             // whose output comes
	trace trace
	build buildErrors
}

type testKey struct{ pkg, name string }

// A test is one whose package is not over.
type test struct {
	name   string
	parent bool         // it has subtests: what failed is one of those
	item   *failure     // it failed
	log    messageBlock // what it logged before its result
	place  string       // of its first line of log
	depth  int          // indentation of the last line that named a place
}

func (g *golang) makeReport() (Report, bool) {
	g.runner, g.known, g.counted = "go build", g.test || g.built, g.test
	if g.test {
		g.runner = "go test"
	}
	return g.tally.makeReport()
}

func (g *golang) readLine(line []byte) {
	if line[0] == '{' {
		if e, ok := block.ReadGoEvent(line); ok {
			g.readEvent(e)
			return
		}
	}
	g.readText(line)
}

// readText reads a line as go test prints it without -json.
func (g *golang) readText(line []byte) {
	if len(line) == 0 || g.trace.readLine(line) {
		return
	}
	g.settlePanic()
	switch line[0] {
	case '=':
		g.readAnnouncement(line)
	case '-':
		g.readResult(line)
	case ' ':
		if rest := bytes.TrimLeft(line, " "); len(rest) > 4 && rest[0] == '-' && g.readResult(rest) {
			return
		}
		g.readLog(line)
	case '\t':
		if !g.build.addContinuation(line) {
			g.readLog(line)
		}
	case 'o', 'F', '?':
		g.readPackageEnd(line)
	case 'p', 'f':
		if !g.startPanic(line) {
			g.readCompilerError(line)
		}
	default:
		g.readCompilerError(line)
	}
}

// readAnnouncement reads `=== RUN   TestA/sub` and its like.
func (g *golang) readAnnouncement(line []byte) {
	rest, announces := bytes.CutPrefix(line, []byte("=== "))
	verb, name, ok := bytes.Cut(rest, []byte(" "))
	if !announces || !ok {
		return
	}
	switch string(verb) {
	case "RUN", "NAME", "CONT", "PAUSE":
		g.test = true
		g.cur = g.findTest(string(bytes.TrimSpace(name)))
	}
}

// findTest returns the test of that name in the present package. Its parents have a subtest now.
func (g *golang) findTest(name string) *test {
	name = clipBytes(name, maxTestName)
	key := testKey{g.pkg, name}
	if t := g.tests[key]; t != nil {
		return t
	}
	t := &test{name: name}
	if len(g.tests) >= maxTests {
		return t
	}
	g.tests[key] = t
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		g.markParent(g.findTest(name[:i]))
	}
	return t
}

// markParent notes that a test has subtests: if it failed, one of those is what failed.
func (g *golang) markParent(parent *test) {
	if parent.parent {
		return
	}
	parent.parent = true
	if parent.item != nil {
		g.list.removeItem(parent.item)
		g.counts.Failed--
		parent.item = nil
	}
}

// readResult reads `--- FAIL: TestA/sub (0.00s)`, and reports whether the line is such a result.
func (g *golang) readResult(line []byte) bool {
	rest, ends := bytes.CutPrefix(line, []byte("--- "))
	verb, name, ok := bytes.Cut(rest, []byte(": "))
	if !ends || !ok || len(verb) != 4 {
		return false
	}
	if i := bytes.LastIndex(name, []byte(" (")); i > 0 {
		name = name[:i]
	}
	t := g.findTest(string(name))
	switch string(verb) {
	case "FAIL":
		g.failTest(t)
	case "PASS":
		g.endNamedTest(t, &g.counts.Passed)
	case "SKIP":
		g.endNamedTest(t, &g.counts.Skipped)
	default:
		return false
	}
	g.test = true
	return true
}

// endNamedTest ends a test that a line of text names. Where events name the tests, such a line is what a
// test printed, or the event follows.
func (g *golang) endNamedTest(t *test, count *int) {
	if !g.json {
		g.endTest(t, count)
	}
}

func (g *golang) endTest(t *test, count *int) {
	if !t.parent {
		*count++
	}
	delete(g.tests, testKey{g.pkg, t.name})
	g.cur = nil
}

func (g *golang) failTest(t *test) {
	g.cur = t
	if t.parent || t.item != nil {
		return
	}
	g.counts.Failed++
	t.item = g.list.addItem(t.name, g.pkg, t.place)
	t.item.message = t.log
	t.log = messageBlock{}
}

// readLog reads a line that a test logged, `    calc_test.go:12: text`, or one that belongs to
// it. It ignores what a test prints itself.
func (g *golang) readLog(line []byte) {
	t := g.cur
	if t == nil {
		return
	}
	in := countIndent(line)
	place, rest, ok := cutPlace(line[in:])
	log := &t.log
	if t.item != nil {
		log = &t.item.message
	}
	switch {
	case ok && bytes.HasSuffix(placeFile(place), []byte(".go")):
		t.depth = in
		if t.place == "" {
			t.place = string(place)
			if t.item != nil {
				t.item.place = clipBytes(t.place, maxName)
			}
		}
		log.addLine(bytes.TrimPrefix(rest, []byte(" ")))
	case !log.isEmpty() && in > t.depth:
		log.addLine(line[min(in, t.depth+4):])
	}
}

// readPackageEnd reads `ok  	pkg	0.1s`, `FAIL	pkg	0.1s`, `FAIL	pkg [build failed]`.
func (g *golang) readPackageEnd(line []byte) {
	verb, rest, ok := bytes.Cut(line, []byte("\t"))
	if !ok {
		g.readCompilerError(line)
		return
	}
	name, detail, _ := bytes.Cut(rest, []byte("\t"))
	switch string(bytes.TrimRight(verb, " ")) {
	case "ok", "?":
		g.countPackage(detail)
	case "FAIL":
		g.uncounted = g.uncounted || !g.json && g.counts.Passed+g.counts.Skipped == 0
		g.addPackageFailure(string(name), string(detail))
	default:
		return
	}
	g.test = true
	g.endPackage(string(name))
}

// countPackage notes whether the tests of a package that ended well were named. Without -v and -json they
// are not, except where there were none.
func (g *golang) countPackage(detail []byte) {
	named := g.counts.Passed + g.counts.Failed + g.counts.Skipped
	none := bytes.Contains(detail, []byte("[no test files]")) || bytes.Contains(detail, []byte("[no tests to run]"))
	g.uncounted = g.uncounted || !g.json && !none && named == g.named
	g.named = named
}

// addPackageFailure adds an item for a package in which nothing else failed.
func (g *golang) addPackageFailure(name, detail string) {
	hasFailure := slices.ContainsFunc(g.list.items, func(f *failure) bool { return f.scope == g.pkg })
	if hasFailure || g.list.more > 0 || g.built && strings.HasSuffix(name, " failed]") {
		return
	}
	f := g.list.addItem(name, name, "")
	if !strings.HasSuffix(name, "]") {
		f.message.addLine([]byte("the package failed, though no test of it did (" + detail + ")"))
	}
}

// endPackage forgets the tests of a package, and sets the scope of its items.
func (g *golang) endPackage(name string) {
	g.cur = nil
	for _, f := range g.list.items {
		if f.scope == "" {
			f.scope = clipBytes(name, maxName)
		}
	}
	maps.DeleteFunc(g.tests, func(key testKey, _ *test) bool { return g.pkg == "" || key.pkg == g.pkg })
}
