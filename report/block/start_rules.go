package block

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strconv"
	"sync"
)

// A startRule is how the blocks of a family of tools begin. The line has to match; what its groups
// name, file and number hold tells the block apart.
type startRule struct {
	first string   // the bytes of which one begins the line; "" for any
	has   features // of which the line has one; 0 for any
	line  string   // a regular expression, for the line with its indentation if it begins with ^, else for what follows that
	not   string   // another one, which must not match; "" for none
	tier  Tier
	kind  string
	mode  mode
	also  func(*Scanner, *line, *start) bool // what no expression tells; nil for nothing
}

// The first bytes of the marks ✕ ● × and their like.
const marks = "\xE2\xC3"

// runnerRules are the marks of test runners and build tools.
var runnerRules = []startRule{
	{"-", 0, `---- .* std(?:out|err) ----$`, ``, Failure, "cargo test", cargoTest, nil},
	{"-", 0, `-- .*\.elm$`, ``, Failure, "elm", paragraph, nil},
	{"_", 0, pytestTitle, ``, Failure, "pytest", pytestBlock, nil},
	{marks, 0, `^[ \t]{0,4}● `, `● (?:Console|Deprecation|Validation Warning)`, Failure, "jest", jestBlock, shareHeader},
	{marks, 0, `(?:✕|✗|✖|✘|×|❌|⨯) *(?P<name>[^ ].*)`, `^[ \t]*[✕✗✖✘×❌⨯] *(?:\d.*(?: problem| error)|failing tests)`, Failure, "mark", indented, nil},
	{"[", 0, `(?P<name>\[  FAILED  \] [^.]+\..*?),?$`, ``, Failure, "gtest", single, nil},
	{"[", 0, `\[ ?FAIL`, ``, Failure, "mark", indented, nil},
	{"[", 0, `\[ERROR\] +(?P<name>[^ ].*)`, ``, Complaint, "maven", mavenBlock, classifyMaven},
	{"0123456789", 0, `\d{1,4}\) (?P<name>.*)`, ``, Failure, "test", numbered, nil},
	{"0123456789", 0, `\d.*\((?:Failed|Timeout|SEGFAULT)\)$`, ``, Failure, "ctest", single, nil},
	{"n", 0, `not ok `, `# (?:TODO|SKIP|todo|skip)`, Failure, "tap", tap, nil},
	{"#", 0, `#[# ]*(?P<name>Failed test.*)`, ``, Failure, "tap", tap, nil},
	{"T", 0, `Traceback \(most recent call last\)`, ``, Failure, "traceback", traceback, nil},
	{"p", 0, `panic: `, ``, Failure, "panic", panicking, nil},
	{"f", 0, `^fatal error: `, `\.h:`, Failure, "panic", panicking, nil},
	{"t", 0, `thread '.*['\)] panicked at`, ``, Failure, "panic", paragraph, nil},
	{"I", 0, `In .* line .*:$`, ``, Warning, "shellcheck", paragraph, nil},
	{"C", 0, `CMake Error`, ``, Failure, "cmake", indented, nil},
	{"+", 0, `\+\+\+ (?P<file>[^\t]*)`, ``, Complaint, "diff", diffBlock, isBelowDashes},
	{"*", 0, `\* What went wrong:`, ``, Failure, "gradle", paragraph, nil},
	{"EW", 0, `(?:ERROR|WARNING): .{0,24}Sanitizer: `, ``, Failure, "sanitizer", sanitizer, nil},
	{"E", 0, `ERROR: `, ``, Failure, "test", unittest, isBelowRule},
	{"E", 0, `ERROR in `, ``, Failure, "bundle", bundle, nil},
	{"E", 0, `ERROR (?P<name>.*(?:::|\.py).*)`, ``, Complaint, "summary", single, classifySummary},
	{"F", 0, `FAIL\t`, ``, Complaint, "package", single, classifyPackage},
	{"F", 0, `FAIL  (?:.* > |.* \]$)`, ``, Failure, "vitest", vitestBlock, nil},
	{"F", 0, `FAIL: `, ``, Failure, "test", unittest, isBelowRule},
	{"F", 0, `FAIL: `, ``, Failure, "test", indented, nil},
	{"F", 0, `FAILED: `, ``, Failure, "target", paragraph, nil},
	{"F", 0, `FAILED (?P<name>.*)`, ``, Complaint, "summary", single, classifySummary},
	{"F", 0, `^[ \t]{2,}Failed .*\]$`, ``, Failure, "dotnet", dotnet, nil},
	{"F", 0, `^[ \t]+FAIL +(?P<name>.*)`, ``, Complaint, "summary", indented, namesNoFile},
	{"F", 0, `File "(?P<file>[^"]*)", line (?P<number>\d+)`, `, in `, Failure, "source", fileLine, nil},
	{">", 0, `> Task .* FAILED$`, ``, Complaint, "task", single, nil},
	{">", 0, `> \[.*:$`, ``, Complaint, "stage", stage, nil},
	{"", hasFail, `.* > .* FAILED$`, ``, Failure, "gradle test", indented, nil},
	{"", hasFail, `.*\[FAIL\]$`, ``, Failure, "xunit", indented, nil},
	{"", hasStars, `.{0,55}(?:make|Makefile|mk).{0,55}\*\*\* `, `\*\*\* (?:Waiting|Deleting)`, Complaint, "make", single, nil},
	{"ICUPSM", 0, `Invalid |Conditional jump|Use of uninit|Process terminating|Syscall param|Source and dest|Mismatched free`, ``, Failure, "valgrind", valgrind, isValgrind},
	{"0123456789", 0, `.*(?:definitely|possibly|indirectly) lost in`, ``, Failure, "valgrind", valgrind, isValgrind},
}

// pytestTitle matches the name of a test between rules. A long one has a single character of the
// rule on each side; `_ _ _ _` parts frames.
const pytestTitle = `^_+ (?:ERROR (?:collecting|at setup of|at teardown of) )?(?P<name>[^ ]*[^ _].*) _+$`

// wordRules are words that hardly stand in an output where nothing is wrong.
var wordRules = []startRule{
	{"", hasUndef | hasDoubt, `.*(?:undefined reference to|undefined symbol|Undefined symbols|multiple definition of)`, ``, Failure, "link", single, nil},
	{"", hasFatal, `.*(?:Segmentation fault|core dumped|Aborted)`, ``, Complaint, "signal", single, nil},
	{"", hasDoubt, `.*(?:command not found|No rule to make target|: not found|Assertion ` + "`" + `|Assertion failed)`, ``, Complaint, "command", single, nil},
	{"", hasDoubt, `.* (?:differ$|differ:|differs from )`, ``, Complaint, "differ", single, nil},
	{"", hasExit, `.*(?:exit (?:code|status)(?:[:=] ?| )|exited with (?:code |status )?)0*[1-9]`, ``, Complaint, "exit", single, nil},
	{"", hasError | hasFail | hasFatal | hasExcept | hasUndef | hasDoubt, `.`, ``, Hint, "hint", single, nameByShape},
}

// compiledRules are rules by the first byte of a line, ready to be used.
type compiledRules [256][]compiledRule

type compiledRule struct {
	startRule
	begin string // what every line that matches begins with
	holds []byte // what every line that matches has in it
	match *regexp.Regexp
	veto  *regexp.Regexp // nil for none
}

var (
	runners = sync.OnceValue(func() *compiledRules { return compileRules(runnerRules) })
	words   = sync.OnceValue(func() *compiledRules { return compileRules(wordRules) })
)

func compileRules(rules []startRule) *compiledRules {
	var out compiledRules
	for _, rule := range rules {
		c := compiledRule{startRule: rule}
		expr := rule.line
		if expr[0] != '^' {
			c.begin, _ = regexp.MustCompile(expr).LiteralPrefix()
			expr = `^[ \t]*(?:` + expr + `)`
		}
		c.match, c.holds = regexp.MustCompile(expr), []byte(findLiteral(expr))
		if rule.not != "" {
			c.veto = regexp.MustCompile(rule.not)
		}
		for i := range out {
			if rule.first == "" || bytes.IndexByte([]byte(rule.first), byte(i)) >= 0 {
				out[i] = append(out[i], c)
			}
		}
	}
	return &out
}

// findLiteral returns the longest text that stands in all that an expression matches, or "" if it finds none.
func findLiteral(expr string) (longest string) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return ""
	}
	for parts := []*syntax.Regexp{tree}; len(parts) > 0; {
		part := parts[0]
		parts = parts[1:]
		switch part.Op {
		case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
			parts = append(parts, part.Sub...)
		case syntax.OpLiteral:
			if text := string(part.Rune); part.Flags&syntax.FoldCase == 0 && len(text) > len(longest) {
				longest = text
			}
		default:
		}
	}
	return longest
}

// classifyBy judges a line by rules, of which the first that fits counts.
func (s *Scanner) classifyBy(rules *compiledRules, l *line) (start, bool) {
	for i := range rules[l.text[0]] {
		if st, ok := s.apply(&rules[l.text[0]][i], l); ok {
			return st, true
		}
	}
	return start{}, false
}

// ruleWidth is how much of a line rules look at.
const ruleWidth = 1000

func (s *Scanner) apply(rule *compiledRule, l *line) (start, bool) {
	if rule.has != 0 && l.bits&rule.has == 0 || !hasPrefix(l.text, rule.begin) {
		return start{}, false
	}
	body := l.body[:min(len(l.body), ruleWidth)]
	if !bytes.Contains(body, rule.holds) {
		return start{}, false
	}
	found := rule.match.FindSubmatch(body)
	if found == nil || rule.veto != nil && rule.veto.Match(body) {
		return start{}, false
	}
	st := start{tier: rule.tier, kind: rule.kind, mode: rule.mode}
	for i, name := range rule.match.SubexpNames() {
		switch name {
		case "name":
			st.name = found[i]
		case "file":
			st.file = found[i]
		case "number":
			st.number, _ = strconv.Atoi(string(found[i]))
		}
	}
	return st, rule.also == nil || rule.also(s, l, &st)
}

func shareHeader(s *Scanner, _ *line, st *start) bool {
	st.file, st.shared = []byte(s.header), true
	return true
}

func isBelowDashes(s *Scanner, _ *line, _ *start) bool {
	return hasPrefix([]byte(s.prev[3].Text), "--- ")
}

func isBelowRule(s *Scanner, _ *line, _ *start) bool {
	return isMadeOf([]byte(s.prev[3].Text), '=', 30) || isMadeOf(s.banner, '=', 30)
}

func isValgrind(_ *Scanner, l *line, _ *start) bool { return l.raw[0] == '=' }

func namesNoFile(_ *Scanner, _ *line, st *start) bool {
	named := !isFileHeader(st.name)
	st.name = nil
	return named
}

func nameByShape(_ *Scanner, l *line, st *start) bool {
	st.kind = "hint " + clipEnd(shapeOf(l.text), 30)
	return len(l.text) > 8 && !isAllClear(l.text[:min(len(l.text), ruleWidth)])
}

// isAllClear reports whether a line tells that there were none, or is a title or a rule, which tells nothing.
func isAllClear(t []byte) bool {
	return hasAnyPrefix(t, "===", "---", "___", "***") ||
		containsAny(t, " 0 error", " 0 fail", " 0 Error", "0 failed", "0 failures", "no error", "No error", "Errors: 0", "failures=0", "without error", "PASS", "passed", "✓", "✔", "... ok", " differ")
}

// classifyPackage reads go test's `FAIL	pkg`: where tests of it failed, those tell more.
func classifyPackage(s *Scanner, l *line, st *start) bool {
	if s.tests.fails > 0 && !hasSuffix(l.text, "failed]") {
		st.tier = Hint
	}
	s.tests.fails = 0
	return true
}

// classifySummary reads a line of pytest's summary, which names what a block describes:
// `tests/test_a.py::TestB::test_c - text`.
func classifySummary(s *Scanner, _ *line, st *start) bool {
	st.name, _, _ = bytes.Cut(st.name, []byte(" - "))
	_, inner, ok := bytes.Cut(st.name, []byte("::"))
	if !ok {
		inner = st.name
	}
	if s.store.has(Failure, hashText(hashSeed, trimTiming(bytes.ReplaceAll(inner, []byte("::"), []byte("."))))) {
		st.tier = Hint
	}
	return true
}

var (
	mavenAdvice = lazily(`^(?:-|To see the full|Re-run Maven|For more information|After correcting|Failures:|Errors:|COMPILATION ERROR|` +
		`Please refer to|See |\[Help |Tests run:|There are test failures)`)
	mavenFailure = lazily(`<<< (?:FAILURE|ERROR)!`)
	mavenSummary = lazily(`^[^:]+:\d`)
)

// classifyMaven reads what maven marks as an error, apart from its advice.
func classifyMaven(_ *Scanner, l *line, st *start) bool {
	deeper := hasPrefix(l.text, "[ERROR]  ")
	switch at, ok := readPlace(st.name); {
	case mavenAdvice().Match(st.name):
		return false
	case mavenFailure().Match(st.name):
		st.tier, st.kind = Failure, "surefire"
	case hasPrefix(st.name, "Failed to execute goal"):
		st.kind = "goal"
	case ok:
		st.tier, st.kind, st.file, st.number = Failure, "javac "+readCode(at.rest), at.file, at.line
	case deeper && mavenSummary().Match(st.name):
		st.tier, st.kind = Failure, "surefire summary"
	case deeper:
		return false
	}
	return true
}
