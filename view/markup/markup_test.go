package markup_test

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mulligan/view/markup"
)

func TestANSI(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"text", "a < b && c > \"d\"\n", "a &lt; b &amp;&amp; c &gt; &#34;d&#34;\n"},
		{"colours", "\x1b[1;31mred\x1b[0m plain", `<span class="a-bold a-red">red</span> plain`},
		{"bright on a ground", "\x1b[97;41mx\x1b[39my\x1b[m", `<span class="a-bright-white a-on-red">x</span><span class="a-on-red">y</span>`},
		{"256 colours", "\x1b[38;5;196mx\x1b[38;5;2my\x1b[38;5;240mz", `<span class="a-bright-red">x</span><span class="a-green">y</span><span class="a-gray">z</span>`},
		{"true colour", "\x1b[38;2;20;120;250mx", `<span class="a-bright-blue">x</span>`},
		{"colour with colons", "\x1b[48:5:4mx", `<span class="a-on-blue">x</span>`},
		{"other sequences", "\x1b]0;<script>\x07a\x1b[2Jb\x1b[?25lc", "abc"},
		{"link", "\x1b]8;;javascript:alert(1)\x07text\x1b]8;;\x07", "text"},
		{"progress", "10%\r\x1b[K100%\r\ndone", "100%\ndone"},
		{"hidden", "a\u202eb\x00c", "abc"},
		{"colour over a line break", "\x1b[32ma\nb\x1b[0m", "<span class=\"a-green\">a</span>\n<span class=\"a-green\">b</span>"},
	} {
		if got := string(markup.ANSI(c.in)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestANSIIsBounded(t *testing.T) {
	long := string(markup.ANSI(strings.Repeat("x", 3<<20)))
	if len(long) > 16<<10 || !strings.Contains(long, "more bytes") {
		t.Errorf("a line of 3 MiB becomes %d bytes, ending in %q", len(long), long[max(0, len(long)-60):])
	}
	many := string(markup.ANSI(strings.Repeat("é\n", 1<<20)))
	if len(many) > 2<<20 || !strings.Contains(many, "more bytes") {
		t.Errorf("3 MiB of lines become %d bytes", len(many))
	}
}

const patch = `diff --git a/calc.go b/calc.go
index 1111111..2222222 100644
--- a/calc.go
+++ b/calc.go
@@ -1,4 +1,5 @@ package calc
 package calc
 
-func Add(a, b int) int { return a } // wrong
+// Add adds <two> numbers.
+func Add(a, b int) int { return a + 1 }
 
@@ -10 +11,2 @@ func Sub(a, b int) int {
-	return "x"
+	return ` + "`x\n+\ty`" + `
diff --git a/old name.txt b/new.txt
similarity index 100%
rename from old name.txt
rename to new.txt
diff --git a/gone.sh b/gone.sh
deleted file mode 100755
index 1111111..0000000
--- a/gone.sh
+++ /dev/null
@@ -1 +0,0 @@
-echo "gone"
\ No newline at end of file
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..1111111
Binary files /dev/null and b/logo.png differ
diff --git "a/<script>\303\251.js" "b/<script>\303\251.js"
new file mode 100644
--- /dev/null
+++ "b/<script>\303\251.js"
@@ -0,0 +1,2 @@
+--- a/x
+let x = "</td><script>alert(1)</script>" // ` + "\u202e" + `
`

func TestReadPatch(t *testing.T) {
	files := markup.ReadPatch(patch)
	var got []string
	for _, f := range files {
		got = append(got, f.Status+" "+f.Old+" "+f.Name()+" +"+strings.Repeat("1", f.Added)+" -"+strings.Repeat("1", f.Removed))
	}
	want := []string{
		"changed calc.go calc.go +1111 -11", "renamed old name.txt new.txt + -", "deleted gone.sh gone.sh + -1",
		"added  logo.png + -", "added  <script>é.js +11 -",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	last := files[0].Hunks[1].Lines
	if l := last[len(last)-1]; l.New != 12 || l.Text != "\ty`" || l.Kind != markup.Added {
		t.Errorf("the last line of the second hunk is %+v", l)
	}
}

func TestDiff(t *testing.T) {
	got := string(markup.Diff(patch))
	for _, want := range []string{
		`<span class="diff-name">old name.txt → new.txt</span> <span class="diff-status">renamed</span>`,
		`<tr class="diff-add"><td></td><td>3</td><td>+<span class="h-comment">// Add adds &lt;two&gt; numbers.</span></td></tr>`,
		`<span class="h-keyword">func</span> <span class="h-name">Add</span>(a, b <span class="h-type">int</span>)`,
		`<tr class="diff-add"><td></td><td>12</td><td>+<span class="h-string">	y` + "`" + `</span></td></tr>`,
		`<span class="diff-name">&lt;script&gt;é.js</span>`,
		`a binary file`, `⟨U+202E⟩`, `No newline at end of file`, `<td>1</td><td>+--- a/x</td>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "<script>") {
		t.Errorf("a script of the patch is markup:\n%s", got)
	}
}

// splitRows returns the rows of the tables that have both sides, as "number text | number text".
func splitRows(out template.HTML) []string {
	var rows []string
	_, table, _ := strings.Cut(string(out), `<table class="diff-split">`)
	for _, row := range strings.Split(table, "</tr>") {
		var cells []string
		for _, cell := range strings.Split(row, "<td")[1:] {
			_, text, _ := strings.Cut(strings.TrimSuffix(cell, "</td>"), ">")
			cells = append(cells, text)
		}
		if len(cells) == 4 {
			rows = append(rows, strings.Join(cells[:2], " ")+" | "+strings.Join(cells[2:], " "))
		}
	}
	return rows
}

func TestSplitDiffs(t *testing.T) {
	head := "diff --git a/f b/f\n--- a/f\n+++ b/f\n"
	for _, c := range []struct {
		name, patch string
		want        []string
	}{
		{"a line in the place of another", "@@ -1,2 +1,2 @@ <where>\n a\n-b\n+<c>\n", []string{" &lt;where&gt; |  ", "1  a | 1  a", "2 -b | 2 +&lt;c&gt;"}},
		{"more lines than before", "@@ -1,2 +1,3 @@\n-a\n+x\n+y\n b\n", []string{"  |  ", "1 -a | 1 +x", "  | 2 +y", "2  b | 3  b"}},
		{"fewer lines", "@@ -1,3 +1,2 @@\n-a\n-b\n+x\n c\n", []string{"  |  ", "1 -a | 1 +x", "2 -b |  ", "3  c | 2  c"}},
		{"two changes without a line between", "@@ -1,2 +1,2 @@\n-a\n+x\n-b\n+y\n", []string{"  |  ", "1 -a | 1 +x", "2 -b | 2 +y"}},
		{
			"no newline at the end", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n",
			[]string{"  |  ", "1 -a | 1 +b", "   No newline at end of file |  "},
		},
		{"only added", "@@ -1 +1,2 @@\n a\n+b\n", []string{"  |  ", "1  a | 1  a", "  | 2 +b"}},
	} {
		drawn := markup.SplitDiffs(markup.ReadPatch(head + c.patch))
		if len(drawn) != 1 {
			t.Fatalf("%s: %d files", c.name, len(drawn))
		}
		if got := splitRows(drawn[0]); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
		if got := string(drawn[0]); !strings.Contains(got, `<details class="diff-file diff-both" open>`) || !strings.Contains(got, `<table class="diff">`) {
			t.Errorf("%s: it has not both tables:\n%s", c.name, got)
		}
	}
}

// A page does not have a huge patch twice, nor one side of nothing.
func TestSplitDiffsIsBounded(t *testing.T) {
	file := func(lines int) string {
		return "diff --git a/f b/f\n--- a/f\n+++ b/f\n" + fmt.Sprintf("@@ -1,%d +1,0 @@\n", lines) + strings.Repeat("-x\n", lines)
	}
	added := "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"
	var split []bool
	for _, html := range markup.SplitDiffs(markup.ReadPatch(file(3000) + file(2000) + file(900) + added)) {
		split = append(split, strings.Contains(string(html), "diff-split"))
	}
	if want := []bool{true, false, true, false}; !slices.Equal(split, want) {
		t.Errorf("side by side are %v, want %v", split, want)
	}
}

func TestDiffFoldsLongFiles(t *testing.T) {
	lines := func(n int) string {
		return "diff --git a/f.go b/f.go\n--- a/f.go\n+++ b/f.go\n@@ -0,0 +1,999999 @@\n" + strings.Repeat("+x\n", n)
	}
	if got := string(markup.Diff(lines(400))); !strings.Contains(got, `<details class="diff-file" open>`) {
		t.Error("a file of 400 lines is folded")
	}
	if got := string(markup.Diff(lines(401))); strings.Contains(got, ` open>`) {
		t.Error("a file of 401 lines is not folded")
	}
	if got := string(markup.Diff(lines(50_000))); !strings.Contains(got, "30000 lines more") || strings.Count(got, "<tr") > 20_100 {
		t.Errorf("of 50,000 lines %d are shown", strings.Count(got, "<tr"))
	}
	long := "diff --git a/f.go b/f.go\n--- a/f.go\n+++ b/f.go\n@@ -0,0 +1 @@\n+func " + strings.Repeat("x", 1<<20) + "\n"
	if got := string(markup.Diff(long)); strings.Contains(got, "h-keyword") || len(got) > 10_000 {
		t.Errorf("a huge line is coloured, or kept: %d bytes", len(got))
	}
}

func TestDiffColoursEveryLanguage(t *testing.T) {
	for name, line := range map[string]string{
		"a.py": `def f(): return "x" # y`, "a.rs": `fn f<'a>(x: &'a str) -> char { 'x' }`, "a.ts": "const x: string = `y`", "a.sql": "SELECT 'it''s' FROM t",
		"a.yaml": `key: "value" # x`, "a.json": `{"a": 1}`, "a.html": `<p class="x">text</p>`, "a.md": "# Heading", "Makefile": "all: $(X)", "Dockerfile": "FROM x",
		"a.css": "a { color: red; } /* x */", "a.toml": `a = "b"`, "a.hs": "module X where", "a.rb": "def x; end", "a.java": "class X {}", "a.sh": "if x; then", "a.c": "int main() {}",
	} {
		got := string(markup.Diff("diff --git a/" + name + " b/" + name + "\n--- a/" + name + "\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+" + line + "\n"))
		if !strings.Contains(got, `<span class="h-`) {
			t.Errorf("%s: nothing is coloured in\n%s", name, got)
		}
	}
}

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"heading", "# Add\n\nWrite *them* **all**.", "<h3>Add</h3>\n<p>Write <em>them</em> <strong>all</strong>.</p>\n"},
		{"list", "- a\n- `b<c`\n", "<ul>\n<li>a</li>\n<li><code>b&lt;c</code></li>\n</ul>\n"},
		{"code", "```go\na < b\n```\n", "<pre><code>a &lt; b\n</code></pre>\n"},
		{"html", "<script>alert(1)</script>\n\na <b onclick=x>c</b>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n"},
		{"link", "[x](https://example.org/?a=1&b=2)", "<p>x (https://example.org/?a=1&amp;b=2)</p>\n"},
		{"script link", "[x](javascript:alert(1))", "<p>x (javascript:alert(1))</p>\n"},
		{"data link", "[x](data:text/html,y)", "<p>x (data:text/html,y)</p>\n"},
		{"picture", "![alt](https://example.org/x.png)", "<p><span class=\"image\">alt</span></p>\n"},
		{"quote in a link", `[x](https://example.org/"onmouseover="y)`, ""},
		{"address", "<https://example.org> https://example.net", "<p>https://example.org https://example.net</p>\n"},
		{"script address", "<javascript:alert(1)>", "<p>javascript:alert(1)</p>\n"},
		{"script by reference", "[x][y]\n\n[y]: javascript:alert(1)", "<p>x (javascript:alert(1))</p>\n"},
		{"block of html", "<div>\n*a*\n</div>\n\nb", "<p>&lt;div&gt;\n*a*\n&lt;/div&gt;\n</p>\n<p>b</p>\n"},
		{"comment", "<!-- a\n-->\nb", "<p>&lt;!-- a\n--&gt;\n</p>\n<p>b</p>\n"},
		{"characters by number", "&#60;b&#62; &lt;i&gt; a&#x202e;&#27;b", "<p>&lt;b&gt; &lt;i&gt; ab</p>\n"},
		{"class", "``` x\" onclick=y\na\n```\n", "<pre><code>a\n</code></pre>\n"},
		{"table", "| a | b |\n|:-:|---|\n| <c> | d |\n", ""},
	} {
		got := string(markup.Markdown(c.in))
		if c.want != "" && got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		checkMarkup(t, got)
	}
	if got := string(markup.Markdown(strings.Repeat("*a* <b>\n", 20_000))); !strings.HasPrefix(got, `<pre class="plain">*a* &lt;b`) {
		t.Errorf("a long text begins %q", got[:60])
	}
}

// TestMarkdownIsQuick: text that is made to be slow takes no more than so many times as long as ordinary text of
// its size, which is measured in the same run.
func TestMarkdownIsQuick(t *testing.T) {
	const most = 1_000 // at twice this length a parser that looks at everything before for each opener takes more
	measure := func(text string) time.Duration {
		begun := time.Now()
		markup.Markdown(text)
		return time.Since(begun)
	}
	for _, size := range []int{2 << 10, 8 << 10, 32 << 10} {
		const ordinary = "Some *words* of a `text` with [a link](https://example.org), and\nso on to its end.\n\n"
		plain := measure(strings.Repeat(ordinary, size/len(ordinary))) + time.Millisecond
		for _, s := range []string{"[", "`", "![", "[](", "<!--", "<a ", "- a\n ", "\\", "> ", "*a_"} {
			took := measure(strings.Repeat(s, size/len(s))) + measure(strings.Repeat(s, 990/len(s))+strings.Repeat("x", size))
			if took > most*plain {
				t.Errorf("%d bytes of %q take %v, ordinary text %v", size, s, took, plain)
			}
		}
	}
}

// tag matches the tags that a page may have of a text.
var tag = regexp.MustCompile(`^<(?:/[a-z][a-z0-9]*|[a-z][a-z0-9]*(?: class="[a-z0-9 -]*"| open| start="[0-9]+")*)>`)

// checkMarkup fails a test if a "<" of the output is not part of a tag of the package's own.
func checkMarkup(t *testing.T, out string) {
	t.Helper()
	for rest := out; ; {
		at := strings.IndexByte(rest, '<')
		if at < 0 {
			return
		}
		rest = rest[at:]
		found := tag.FindString(rest)
		name := strings.Trim(strings.FieldsFunc(found+" ", func(r rune) bool { return r == ' ' || r == '>' })[0], "</")
		if found == "" || !strings.Contains(" span p pre code ul ol li em strong del h3 h4 h5 h6 hr br blockquote table thead tbody tr td th details summary ", " "+name+" ") {
			t.Fatalf("not a tag of ours: %.80q in %q", rest, out)
		}
		rest = rest[len(found):]
	}
}

func FuzzMarkup(f *testing.F) {
	f.Add("\x1b[31m<script>\x1b]8;;javascript:x\x07")
	f.Add(patch)
	f.Add("# <img src=x onerror=y>\n\n[a](javascript:b) <javascript:c> ![x](y \"z\") `<`\n\n| a | b |\n|---|---|\n| <c> | d |\n")
	f.Add("diff --git a/x b/x\n@@ -1,2 +1 @@ <b>\n-<a>\n")
	f.Add("<https://a.b/\"onclick=\"x>")
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []template.HTML{markup.ANSI(s), markup.Diff(s), markup.Markdown(s)} {
			checkMarkup(t, string(out))
		}
		for _, out := range markup.SplitDiffs(markup.ReadPatch(s)) {
			checkMarkup(t, string(out))
		}
	})
}
