package report

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mulligan"
)

// What is remembered of tests that are not over yet.
const (
	maxTests    = 5000
	maxTestName = 300 // bytes
)

// golang reads go test (plain, -v, -json), go build and go vet.
type golang struct {
	list   list
	counts mulligan.Counts
	test   bool // go test was recognised
	built  bool // a compiler's or vet's errors were

	pkg   string           // of a -json event; "" in text
	tests map[string]*test // by package and name, until the package ends
	cur   *test            // whose output comes
	trace trace
	build build
}

// test is a test whose package is not over.
type test struct {
	name   string
	parent bool   // it has subtests: what failed is one of those
	item   *found // it failed
	log    block  // what it logged before its result
	place  string // of its first line of log
	depth  int    // indentation of the last line that named a place
}

func newGolang() *golang { return &golang{tests: map[string]*test{}} }

func (g *golang) report() (Report, bool) {
	r := Report{Runner: "go test", Counts: g.counts}
	if !g.test {
		r.Runner = "go build"
	}
	r.Failing, r.More = g.list.report()
	return r, g.test || g.built
}

func (g *golang) line(line []byte) {
	if isEvent(line) {
		g.event(line)
		return
	}
	g.text(line)
}

// text reads a line as go test prints it without -json.
func (g *golang) text(line []byte) {
	if len(line) == 0 || g.trace.line(line) {
		return
	}
	g.settle()
	switch line[0] {
	case '=':
		g.announced(line)
	case '-':
		g.result(line)
	case ' ':
		if rest := bytes.TrimLeft(line, " "); len(rest) > 4 && rest[0] == '-' && g.result(rest) {
			return
		}
		g.logged(line)
	case '\t':
		if !g.build.continued(line) {
			g.logged(line)
		}
	case 'o', 'F', '?':
		g.packageEnd(line)
	case 'p', 'f':
		if !g.panicked(line) {
			g.compiled(line)
		}
	default:
		g.compiled(line)
	}
}

// announced reads `=== RUN   TestA/sub` and its like.
func (g *golang) announced(line []byte) {
	rest, ok := bytes.CutPrefix(line, []byte("=== "))
	if !ok {
		return
	}
	verb, name, ok := bytes.Cut(rest, []byte(" "))
	if !ok {
		return
	}
	switch string(verb) {
	case "RUN", "NAME", "CONT", "PAUSE":
		g.test = true
		g.cur = g.get(string(bytes.TrimSpace(name)))
	}
}

// get is the test of that name in the present package. Its parents have a subtest now.
func (g *golang) get(name string) *test {
	name = clip(name, maxTestName)
	key := g.key(name)
	t := g.tests[key]
	if t != nil {
		return t
	}
	t = &test{name: name}
	if len(g.tests) >= maxTests {
		return t
	}
	g.tests[key] = t
	if i := strings.LastIndexByte(name, '/'); i > 0 {
		g.bears(g.get(name[:i]))
	}
	return t
}

// key names a test over all packages. In text, packages come one after the other.
func (g *golang) key(name string) string {
	if g.pkg == "" {
		return name
	}
	return g.pkg + "\x00" + name
}

func (g *golang) bears(parent *test) {
	if parent.parent {
		return
	}
	parent.parent = true
	if parent.item != nil {
		g.list.remove(parent.item)
		g.counts.Failed--
		parent.item = nil
	}
}

// result reads `--- FAIL: TestA/sub (0.00s)`.
func (g *golang) result(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("--- "))
	if !ok {
		return false
	}
	verb, name, ok := bytes.Cut(rest, []byte(": "))
	if !ok || len(verb) != 4 {
		return false
	}
	if i := bytes.LastIndex(name, []byte(" (")); i > 0 {
		name = name[:i]
	}
	t := g.get(string(name))
	switch string(verb) {
	case "FAIL":
		g.failed(t)
	case "PASS":
		g.passed(t, &g.counts.Passed)
	case "SKIP":
		g.passed(t, &g.counts.Skipped)
	default:
		return false
	}
	g.test = true
	return true
}

func (g *golang) passed(t *test, count *int) {
	if !t.parent {
		*count++
	}
	delete(g.tests, g.key(t.name))
	g.cur = nil
}

func (g *golang) failed(t *test) {
	g.cur = t
	if t.parent || t.item != nil {
		return
	}
	g.counts.Failed++
	t.item = g.list.add(t.name, g.pkg, t.place)
	t.item.message = t.log
	t.log = block{}
}

// logged reads a line that a test logged, `    calc_test.go:12: text`, or one that
// belongs to it. What a test prints itself is passed over.
func (g *golang) logged(line []byte) {
	t := g.cur
	if t == nil {
		return
	}
	in := indent(line)
	place, rest, ok := cutPlace(line[in:])
	log := &t.log
	if t.item != nil {
		log = &t.item.message
	}
	switch {
	case ok && bytes.HasSuffix(file(place), []byte(".go")):
		t.depth = in
		t.setPlace(string(place))
		log.add(bytes.TrimPrefix(rest, []byte(" ")))
	case !log.empty() && in > t.depth:
		log.add(line[min(in, t.depth+4):])
	}
}

func (t *test) setPlace(place string) {
	if t.place != "" {
		return
	}
	t.place = place
	if t.item != nil {
		t.item.place = clip(place, maxName)
	}
}

// packageEnd reads `ok  	pkg	0.1s`, `FAIL	pkg	0.1s`, `FAIL	pkg [build failed]`.
func (g *golang) packageEnd(line []byte) {
	verb, rest, ok := bytes.Cut(line, []byte("\t"))
	if !ok {
		g.compiled(line)
		return
	}
	name, detail, _ := bytes.Cut(rest, []byte("\t"))
	switch string(bytes.TrimRight(verb, " ")) {
	case "ok", "?":
	case "FAIL":
		g.packageFailed(string(name), string(detail))
	default:
		return
	}
	g.test = true
	g.endPackage(string(name))
}

// packageFailed adds an item for a package in which nothing else failed.
func (g *golang) packageFailed(name, detail string) {
	if g.list.more > 0 || g.built && strings.HasSuffix(name, " failed]") {
		return
	}
	for _, f := range g.list.items {
		if f.scope == g.pkg {
			return
		}
	}
	f := g.list.add(name, name, "")
	if !strings.HasSuffix(name, "]") {
		f.message.add([]byte("the package failed, though no test of it did (" + detail + ")"))
	}
}

// endPackage forgets the tests of a package, and tells its items where they are from.
func (g *golang) endPackage(name string) {
	g.cur = nil
	for _, f := range g.list.items {
		if f.scope == "" {
			f.scope = clip(name, maxName)
		}
	}
	if g.pkg == "" {
		clear(g.tests)
		return
	}
	for key := range g.tests {
		if strings.HasPrefix(key, g.key("")) {
			delete(g.tests, key)
		}
	}
}

// head is as much of a line as a message may need, as a string.
func head(line []byte) string {
	return clip(string(line[:min(len(line), maxLine+utf8.UTFMax)]), maxLine)
}
