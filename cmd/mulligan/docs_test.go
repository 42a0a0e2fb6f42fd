package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan/internal/process"
)

// notRun is how many blocks of commands in the documentation carry a comment <!-- not run: REASON -->. One more
// needs a reason that is as good.
const notRun = 10

// A docBlock is a fenced block of a page.
type docBlock struct {
	page, language string
	line           int
	begins         string // what a config has before the block, from a comment <!-- begins: … -->
	notRun         string // why it cannot run
	text           string
}

// TestDocs runs every block of commands in README.md and docs, in a repository of its own with an agent that is
// a script, and validates every config in them with the real program.
func TestDocs(t *testing.T) {
	t.Parallel()
	skipped := 0
	for _, b := range readDocBlocks(t) {
		name := fmt.Sprintf("%s-%d", strings.TrimSuffix(filepath.Base(b.page), ".md"), b.line) // short: sockets have it in their paths
		switch {
		case b.notRun != "":
			skipped++
		case b.language == "yaml":
			t.Run(name, func(t *testing.T) { t.Parallel(); validateBlock(t, b) })
		case len(b.commands()) > 0:
			t.Run(name, func(t *testing.T) { t.Parallel(); runBlock(t, b) })
		}
	}
	if skipped != notRun {
		t.Errorf("%d blocks say that they cannot run, want %d", skipped, notRun)
	}
}

// readDocBlocks returns the fenced blocks of the documentation.
func readDocBlocks(t *testing.T) []docBlock {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("the documentation is not there: %v, %v", pages, err)
	}
	var blocks []docBlock
	for _, page := range append([]string{"../../README.md"}, pages...) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		for i := 0; i < len(lines); i++ {
			language, ok := strings.CutPrefix(lines[i], "```")
			if !ok {
				continue
			}
			end := i + 1 + slices.Index(lines[i+1:], "```")
			if end <= i {
				t.Fatalf("%s:%d: the block has no end", page, i+1)
			}
			b := docBlock{page: page, language: language, line: i + 1, text: strings.Join(lines[i+1:end], "\n")}
			b.readComment(lines[:i])
			blocks, i = append(blocks, b), end
		}
	}
	return blocks
}

// readComment reads the HTML comment that stands directly above a block, if there is one.
func (b *docBlock) readComment(above []string) {
	if len(above) == 0 || !strings.HasSuffix(above[len(above)-1], "-->") {
		return
	}
	from := len(above) - 1
	for from > 0 && !strings.HasPrefix(above[from], "<!--") {
		from--
	}
	comment := strings.TrimSuffix(strings.TrimPrefix(strings.Join(above[from:], "\n"), "<!--"), "-->")
	if why, ok := strings.CutPrefix(strings.TrimSpace(comment), "not run:"); ok {
		b.notRun = strings.TrimSpace(why)
	}
	if begins, ok := strings.CutPrefix(strings.TrimSpace(comment), "begins:"); ok {
		b.begins = strings.Trim(begins, "\n") + "\n"
	}
}

var (
	commandLine = regexp.MustCompile(`^(mulligan|go|make|cd|git|source|claude) `)
	// described is what follows a command in a column of its own.
	described = regexp.MustCompile(`\s{2,}[^#].*$`)
	optional  = regexp.MustCompile(` \[[^\]]*\]`)
)

// commands returns the commands of a block, or nil if it shows something else. Where some lines have a prompt,
// the others are what the commands print.
func (b docBlock) commands() []string {
	lines := strings.Split(b.text, "\n")
	if b.language == "sh" && !strings.HasPrefix(b.text, "#!") {
		return []string{b.text}
	}
	if b.language != "" {
		return nil
	}
	var prompted, plain []string
	for _, line := range lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			prompted = append(prompted, command)
		}
		if commandLine.MatchString(line) {
			plain = append(plain, optional.ReplaceAllString(described.ReplaceAllString(line, ""), ""))
		}
	}
	if len(prompted) > 0 {
		return prompted
	}
	if !commandLine.MatchString(lines[0]) {
		return nil
	}
	return plain
}

// A docPlace is a repository with what a reader of the documentation has, in an emptied environment.
type docPlace struct {
	t    *testing.T
	repo string
	env  []string
}

// newDocPlace makes a repository with an agent that adds a line in each turn, and checks that want three.
func newDocPlace(t *testing.T, files map[string]string) *docPlace {
	base := t.TempDir()
	p := &docPlace{t: t, repo: filepath.Join(base, "your-repository")}
	p.env = []string{
		"PATH=" + filepath.Join(base, "programs") + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + filepath.Join(base, "home"),
		"XDG_STATE_HOME=" + filepath.Join(base, "state"), "XDG_CONFIG_HOME=" + filepath.Join(base, "config"), "XDG_RUNTIME_DIR=" + filepath.Join(base, "run"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LANG=C.UTF-8", "TERM=dumb",
	}
	for _, dir := range []string{"home", "state", "config", "run", "programs", "your-repository"} {
		p.check(os.Mkdir(filepath.Join(base, dir), 0o700))
	}
	for _, name := range []string{"go", "gofmt", "npm", "make", "golangci-lint", "mail", "my-agent", "python3"} {
		p.check(os.WriteFile(filepath.Join(base, "programs", name), []byte("#!/bin/sh\nexit 0\n"), 0o755))
	}
	for name, text := range files {
		path := filepath.Join(p.repo, name)
		p.check(os.MkdirAll(filepath.Dir(path), 0o755))
		p.check(os.WriteFile(path, []byte(text), 0o755))
	}
	p.run("git init -q -b main && git config user.name Ada && git config user.email ada@example.com && git add -A && git commit -q -m start")
	return p
}

func (p *docPlace) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// run runs a command by the shell and returns what it printed.
func (p *docPlace) run(command string) string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 2*time.Minute)
	defer cancel()
	out, err := process.Tool{Dir: p.repo, Env: p.env, Argv: []string{"bash", "-c", command}, Stdin: bytes.NewReader(nil)}.Output(ctx)
	if failed := new(process.ToolError); errors.As(err, &failed) {
		p.t.Fatalf("%s: %v\n%s%s", command, failed.Err, out, failed.Stderr)
	}
	p.check(err)
	return string(out)
}

// runBlock runs the commands of a block after a session that took three attempts.
func runBlock(t *testing.T, b docBlock) {
	p := newDocPlace(t, map[string]string{
		"mulligan.yaml": "version: 1\nagent: adder\nagents: {adder: {type: program, exec: [sh, ./add.sh]}}\n" +
			"pipelines: {default: [{name: implement, check: test $(wc -l <work.txt) -ge 3, retry: 3}]}\nloop: {iterations: 3, check: test -e work.txt}\n",
		"add.sh":             "cat >/dev/null\necho line >>work.txt\nmulligan complete done >/dev/null 2>&1 || :\n",
		"tasks/add-login.md": "Add a login page.\n", "tasks/login.md": "Add a login page, in other words.\n", "TASK.md": "Do it.\n", "SPEC.md": "Do all of it.\n", "tasks/first.md": "Begin.\n", "tasks/update-deps.md": "Update them.\n",
		"run-tests.sh":         "#!/bin/sh\n",
		"prompts/implement.md": "Do it.\n",
	})
	if filepath.Base(b.page) == "prompts.md" {
		p.run("mulligan loop SPEC.md") // pipelines have no prompt to look at before its time
	} else {
		p.run("mulligan run tasks/first.md")
	}
	session := regexp.MustCompile(`\d{8}-\d{6}-\w{4}`).FindString(p.run("mulligan sessions"))
	for _, command := range b.commands() {
		command = regexp.MustCompile(`\b(SESSION|ID)\b`).ReplaceAllString(command, session)
		if strings.Contains(command, "BRANCH") {
			command = strings.ReplaceAll(command, "BRANCH", strings.TrimSpace(p.run("git branch --list 'mulligan/*' --format '%(refname:short)'")))
		}
		if strings.Contains(command, "git commit") {
			p.run("date >changed.txt")
		}
		command = strings.ReplaceAll(command, " --detach", "") // it would outlive its folder
		t.Logf("%s:%d: %s", b.page, b.line, command)
		p.run(command)
	}
}

var (
	topKey    = regexp.MustCompile(`(?m)^(\w+):`)
	namedFile = regexp.MustCompile(`(?m)(?:prompt_file|feedback_file|hook_feedback_file|script): *([\w./-]+)`)
)

// validateBlock validates the configs that a block shows.
func validateBlock(t *testing.T, b docBlock) {
	for _, text := range splitForms(b.begins + b.text) {
		files := map[string]string{".claude/settings.json": "{}\n", ".codemie/claude.json": "{}\n", "my-agent": "", "run-tests.sh": "#!/bin/sh\n", "tell-the-team.sh": "#!/bin/sh\n"}
		for _, m := range namedFile.FindAllStringSubmatch(text, -1) {
			files[m[1]] = "Do it.\n"
		}
		files["mulligan.yaml"] = completeConfig(text, files)
		p := newDocPlace(t, files)
		if out := p.run("mulligan validate"); !strings.Contains(out, "the config is right") {
			t.Errorf("%s:%d: %s", b.page, b.line, out)
		}
	}
}

// splitForms returns the forms of a value that a block shows one after the other, by the same key.
func splitForms(text string) []string {
	var forms []string
	seen, from := map[string]bool{}, 0
	for _, m := range topKey.FindAllStringSubmatchIndex(text, -1) {
		if key := text[m[2]:m[3]]; seen[key] {
			forms, from, seen = append(forms, text[from:m[0]]), m[0], map[string]bool{key: true}
		} else {
			seen[key] = true
		}
	}
	return append(forms, text[from:])
}

// completeConfig returns a whole config with what a block shows of one. A script of the scripted agent it puts
// into files.
func completeConfig(text string, files map[string]string) string {
	var keys []string
	for _, m := range topKey.FindAllStringSubmatch(text, -1) {
		keys = append(keys, m[1])
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(names, key) })
	}
	script := has("steps", "recovery")
	switch {
	case has("version"):
		return text + "\n"
	case script && !has("steps"):
		text += "\nturns: [[say: done]]"
		fallthrough
	case script:
		files["rehearsal.yaml"] = text + "\n"
		text = "agent: play\nagents: {play: {type: scripted, script: rehearsal.yaml}}"
		keys = []string{"agent", "agents"}
	case has("check", "file_access"):
		text = "pipelines:\n  default:\n    - name: implement\n      " + strings.ReplaceAll(text, "\n", "\n      ")
		keys = []string{"pipelines"}
	}
	text = "version: 1\n" + text + "\n"
	if strings.Contains(text, "script: rehearsal.yaml") && files["rehearsal.yaml"] == "Do it.\n" {
		files["rehearsal.yaml"] = "turns: [[say: done]]\n"
	}
	if !has("agent") {
		text += "agent: claude\n"
	}
	if !has("agents") {
		text += "agents:\n"
		for _, name := range []string{"big", "judge", "reviewer"} {
			text += "  " + name + ": {type: claude, model: some-model}\n"
		}
	}
	if !has("pipelines") {
		text += "pipelines: {default: [{name: plan, check: \"true\"}, {name: implement, check: \"true\"}]}\n"
	}
	return text
}

// Every key of the config is explained on a page besides the reference, which is made from the table itself.
func TestEveryKeyIsExplained(t *testing.T) {
	reference, err := os.ReadFile("../../docs/config-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := filepath.Glob("../../docs/*.md")
	var explained []byte
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(page) != "config-reference.md" {
			explained = append(explained, data...)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllSubmatch(reference, -1)
	if len(rows) < 100 {
		t.Fatalf("the reference has only %d keys", len(rows))
	}
	for _, row := range rows {
		key := string(row[1])
		if strings.HasPrefix(key, "agent_hooks.") {
			continue // moments of Claude Code's own
		}
		last := strings.TrimSuffix(key[strings.LastIndex(key, ".")+1:], "[]")
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(last) + `\b`).Match(explained) {
			t.Errorf("%s is explained by no page", key)
		}
	}
}
