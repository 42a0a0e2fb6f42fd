package browser

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A finding is one of axe's.
type finding struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// axeSource returns axe-core, or skips the test.
func axeSource(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip("it needs axe-core: `npm ci` in test/browser")
	}
	return string(text)
}

// examine runs axe on a page. Its script is put in by the debugger, whom the page's policy does not bind.
func examine(b *tab, axe, name string) {
	b.t.Helper()
	eval[bool](b, axe+";true")
	text := eval[string](b, "axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations))")
	var found []finding
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		b.t.Fatal(err)
	}
	for _, f := range found {
		if f.Impact != "serious" && f.Impact != "critical" {
			continue
		}
		for _, n := range f.Nodes[:min(3, len(f.Nodes))] {
			b.t.Errorf("%s: %s (%s): %s\n%s\n%s", name, f.ID, f.Impact, f.Help, n.HTML, n.Summary)
		}
	}
}

// playOut plays a session to its end, and returns its id.
func playOut(t *testing.T, s *stage, want int, task string) string {
	t.Helper()
	s.run(want, "run", "--foreground", "--quiet", task)
	lines := strings.Split(strings.TrimSpace(s.run(0, "sessions", "--json")), "\n")
	var last struct{ ID string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	return last.ID
}

// TestLooks opens every page in both colours and three widths: nothing scrolls sideways, and axe finds nothing
// serious.
func TestLooks(t *testing.T) {
	t.Parallel()
	axe := axeSource(t)
	s := newPlay(t, "10ms")
	id := playOut(t, s, 0, "task.md")
	address, _ := s.serve()
	base := baseOf(t, address)
	page := newTab(t, newBrowser(t))
	page.open(address)
	page.await("Ended")
	s.sawLast(time.Now().Add(-time.Hour))
	page.open(base)
	page.await("Ended since your last visit")
	for _, p := range []struct{ name, path string }{
		{"overview", "/"},
		{"session", "/s/" + id},
		{"attempt", "/s/" + id + "/a/2"},
		{"diff", "/s/" + id + "/diff"},
		{"tasks", "/s/" + id + "/tasks"},
		{"notes", "/s/" + id + "/notes"},
		{"events", "/s/" + id + "/events"},
		{"output", "/s/" + id + "/output/turn-0002.log"},
		{"settings", "/settings"},
		{"insights", "/insights"},
	} {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int{390, 800, 1280} {
				name := fmt.Sprintf("%s-%d-%s", p.name, width, scheme)
				page.look(width, scheme)
				page.open(base + p.path)
				page.awaitTrue("document.readyState === 'complete'")
				if over := eval[int](page, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
					t.Errorf("%s scrolls sideways by %d pixels: %s", name, over, eval[string](page,
						"[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 160)).join('\\n')"))
				}
				if p.name == "diff" || p.name == "attempt" {
					checkSides(page, name, width >= 1100)
				}
				if width != 800 {
					examine(page, axe, name)
				}
				page.picture(name)
			}
		}
	}
}

// sawLast has the browsers that are logged in have looked at that time, and not since.
func (s *stage) sawLast(at time.Time) {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.home, "state", "mulligan", "page", "logins", "*"))
	if err != nil || len(files) == 0 {
		s.t.Fatalf("no browser is logged in: %v", err)
	}
	for _, file := range files {
		s.put(file, fmt.Sprintf("%d 0 %d", time.Now().Add(time.Hour).Unix(), at.Unix()))
	}
}

// checkSides checks that the changes of a file are shown once: side by side, or line by line.
func checkSides(b *tab, name string, sides bool) {
	b.t.Helper()
	shown := func(selector string) int {
		b.t.Helper()
		return eval[int](b, fmt.Sprintf("[...document.querySelectorAll('.diff-both %s')].filter((e) => e.offsetParent).length", selector))
	}
	split, unified := shown("table.diff-split"), shown("table.diff")
	if split+unified == 0 || (split > 0) != sides || (unified > 0) == sides {
		b.t.Errorf("%s: %d files side by side, %d line by line", name, split, unified)
	}
	if over := eval[int](b, "Math.max(0, ...[...document.querySelectorAll('.changed-file:has(.diff-both)')].map((e) => e.scrollWidth - e.clientWidth))"); sides && over > 0 {
		b.t.Errorf("%s: a file scrolls sideways by %d pixels", name, over)
	}
}

const planted = `<script>planted=1</script><img src=x onerror=planted=1>`

// TestPlantedScript: what an agent, a task, a file and a branch are called stays text.
func TestPlantedScript(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{
		"play.yaml": `steps:
  plan:
    - - say: '` + planted + `'
      - write: {path: PLAN.md, content: '` + planted + `'}
      - write: {path: '<script>planted=1<\script>.md', content: '` + planted + `'}
      - task: {add: '` + planted + `'}
      - note: '` + planted + `'
      - say: '` + planted + `'
  implement:
    - - say: '` + planted + `'
    - - say: '` + planted + `'
`, "test.sh": "printf '%s\\n' '" + planted + "'; exit 1\n",
		"task <script>planted=1<.md": "# " + planted + "\n\n" + planted + "\n",
		"mulligan.yaml":              strings.ReplaceAll(usualConfig, "retry: 3", "retry: 0"),
	})
	s.git("switch", "-qc", "<script>planted=1<x>")
	id := playOut(t, s, 3, "task <script>planted=1<.md")
	address, _ := s.serve()
	base := baseOf(t, address)
	page := newTab(t, newBrowser(t))
	page.open(address)
	page.await("gave up")
	for _, path := range []string{"/", "/s/" + id, "/s/" + id + "/a/1", "/s/" + id + "/a/2", "/s/" + id + "/diff", "/s/" + id + "/tasks", "/s/" + id + "/notes", "/s/" + id + "/events", "/s/" + id + "/output/turn-0001.log"} {
		page.open(base + path)
		page.awaitTrue("document.readyState === 'complete'")
		page.await("script>planted=1<")
		if ran := eval[bool](page, "typeof planted !== 'undefined' || document.querySelectorAll('script:not([src]), img').length > 0"); ran {
			t.Errorf("%s: it ran, or is there as markup", path)
		}
	}
}

// TestStrangers: what does not come from our own page is refused, seen from outside.
func TestStrangers(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"play.yaml": "turns: [[{say: x}]]\n", "test.sh": "exit 0\n"})
	address, _ := s.serve()
	base := baseOf(t, address)
	ask := func(method, url string, headers map[string]string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range headers {
			if r.Header.Set(name, value); name == "Host" {
				r.Host = value
			}
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	for _, tt := range []struct {
		name, method, path string
		headers            map[string]string
		want               int
	}{
		{"a foreign host", "GET", "/", map[string]string{"Host": "evil.example"}, http.StatusMisdirectedRequest},
		{"a foreign origin", "POST", "/s/x/stop", map[string]string{"Origin": "http://evil.example"}, http.StatusForbidden},
		{"nobody", "GET", "/", nil, http.StatusUnauthorized},
	} {
		if code, _ := ask(tt.method, base+tt.path, tt.headers); code != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, code, tt.want)
		}
	}
	page := newTab(t, newBrowser(t))
	page.open(address)
	page.await("Nothing has run here yet")
	code, body := ask("GET", address, nil)
	if code != http.StatusUnauthorized || !strings.Contains(body, "mulligan ui") {
		t.Errorf("the token, used again: %d\n%s", code, body)
	}
}
