package hook

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"mulligan"
	"mulligan/internal/process/processtest"
)

// hostile returns values that a shell would make something else of, if it read them.
func hostile() []string {
	return append(worst(),
		"plain", " ", "`touch pwned`", "; touch pwned #", "\"$(touch pwned)\"", "}; touch pwned; ${x", "ends\n", "/*", "~root", "-", "--help", "\\n", "\\\\\\",
		"%s%d", "!!", "a=b", "$MULLIGAN_SESSION", "${HOME}", "$((1+1))", "&& touch pwned", "| touch pwned", "> pwned", "{a,b}", "[a-z]*", "#x", "\t", "\r\n", "é€𝄞", "\x01\x1b[31m", "EOF",
	)
}

func worst() []string {
	return []string{
		"", "$(touch pwned); '\"{{error}}", "a  b", "'\"$(touch pwned)\"'", "' ; touch pwned ; '", `" ; touch pwned ; "`, "line\nline", "ends\n\n\n", "*", "~", "-n", "\\", "\xff\xfe",
	}
}

// TestValueIsExact (H2): in every place that Compile allows the shell sees exactly the value.
func TestValueIsExact(t *testing.T) {
	b := newBench(t)
	places := []struct{ command, before, after string }{
		{`printf %s {{error}}`, "", ""},
		{`printf %s '{{error}}'`, "", ""},
		{`printf %s "{{ error }}"`, "", ""},
		{`printf %s%s%s a {{error}} b`, "a", "b"},
		{`printf %s%s ~{{session}}* {{error}}`, "~s1*", ""},
		{`printf %s%s%s 'it"s ' "{{error}}" \''{{session}}'`, `it"s `, "'s1"},
		{`x={{error}}; printf %s "$x"`, "", ""},
		{`X={{error}}; export X; printf %s "$X"`, "", ""},
		{`X={{error}} sh -c 'printf %s "$X"'`, "", ""},
		{`for x in {{error}}; do printf %s "<$x>"; done`, "<", ">"},
		{`f() { printf %s "$#$1"; }; f {{error}}`, "1", ""},
		{`case {{error}} in "{{error}}") case {{error}} in {{error}}) printf %s {{error}};; esac;; esac`, "", ""},
		{`test {{error}} = "{{error}}" && printf %s '{{error}}'`, "", ""},
		{`printf %s "$(printf '%s.' {{error}})"`, "", "."},
		{`printf %s "$(printf "%s." "{{error}}")"`, "", "."},
		{`printf %s "$(printf '%s'. '{{error}}')"`, "", "."},
		{"printf %s \"`printf %s. {{error}}`\"", "", "."},
		{"printf %s \"`printf %s. '{{error}}'`\"", "", "."},
		{"x=`printf %s. \"{{error}}\"`; printf %s \"$x\"", "", "."},
		{"cat <<EOF >/dev/null; printf %s {{error}}\nbody\nEOF\n", "", ""},
		{`printf %s {{error}} | cat`, "", ""},
		{`(printf %s {{error}}) # {{error}} 'x`, "", ""},
		{`if :; then { printf %s {{error}}; } 2>/dev/null; fi`, "", ""},
		{`set -- {{error}} b; printf %s "$#$1"`, "2", ""},
	}
	for i, p := range places {
		values := worst()
		if i < 6 {
			values = hostile()
		}
		for _, value := range values {
			b.call.Error = value
			res := b.run(p.command)
			if want := p.before + value + p.after; !res.OK || b.whole() != want {
				t.Errorf("%s: %s: %q, want %q", p.command, res.Exit, b.whole(), want)
			}
		}
	}
	b.call.Error = "it's"
	b.run(`echo x > "{{error}}"; cat {{error}}`)
	if got := b.whole(); got != "x\n" {
		t.Errorf("a redirection's target: %q", got)
	}
	if entries, err := os.ReadDir(b.call.Dir); err != nil || len(entries) != 1 {
		t.Errorf("something was run: %v, %v", entries, err)
	}
}

// TestReferenceIsWhereItStands: commands of every nesting of quotes and substitutions print
// with a hostile value what they print with a plain word written into them by hand.
func TestReferenceIsWhereItStands(t *testing.T) {
	pool := processtest.Pool(t)
	random := rand.New(rand.NewPCG(1, 2))
	const word, value = "WORD", "$(touch pwned) '\"*\n`\\ ~;WORD"
	for range 60 {
		command := "printf '[%s]' " + someWord(random, 3) + " {{session}} " + someWord(random, 2)
		script, err := Compile(command, mulligan.OnError)
		if err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		dir := t.TempDir()
		for _, sh := range shells() {
			plain := output(t, pool, dir, sh, strings.ReplaceAll(command, "{{session}}", word))
			want := strings.ReplaceAll(plain, word, value)
			if got := output(t, pool, dir, sh, script, "MULLIGAN_SESSION="+value); got != want {
				t.Errorf("%s: %s\nas %s\ngives %q, want %q", sh, command, script, got, want)
			}
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Fatalf("%s: something was run: %v, %v", command, entries, err)
		}
	}
}

// someWord returns a word that mentions the session here and there, in substitutions of that depth.
func someWord(random *rand.Rand, depth int) string {
	var word strings.Builder
	for range 1 + random.IntN(4) {
		word.WriteString(somePart(random, depth))
	}
	return word.String()
}

func somePart(random *rand.Rand, depth int) string {
	switch n := random.IntN(9); {
	case n == 0 && depth > 0:
		return fmt.Sprintf(`"$(printf '%%s.' %s)%s"`, someWord(random, depth-1), inDoubleQuotes(random))
	case n == 1 && depth > 0:
		return "\"`printf %s. a{{session}} '{{session}}' \"{{session}}\"`\""
	case n <= 3:
		return "{{session}}"
	case n == 4:
		return `'{{session}} "$x" \'`
	case n == 5:
		return `'{{session}}'`
	case n == 6:
		return `\"\'\\`
	case n == 7:
		return "a-{{session}}-b"
	}
	return `"` + inDoubleQuotes(random) + `"`
}

func inDoubleQuotes(random *rand.Rand) string {
	pieces := []string{"it's", "{{session}}", `\"`, `\$`, "$#", "x", `\\`, "{{.X}}", " ", "#"}
	var text strings.Builder
	for range random.IntN(5) {
		text.WriteString(pieces[random.IntN(len(pieces))])
	}
	return text.String()
}

// FuzzValue: any value in any quoting.
func FuzzValue(f *testing.F) {
	for _, value := range hostile() {
		f.Add(value)
	}
	b := newBench(f)
	f.Fuzz(func(t *testing.T, value string) {
		if strings.ContainsRune(value, 0) || len(value) > 100_000 {
			t.Skip("no environment can have it")
		}
		const all = `printf '%s.' {{error}} '{{error}}' "{{error}}" "$(printf '%s.' '{{error}}')"`
		script, err := Compile(all, mulligan.OnError)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Repeat(value+".", 4) + "."
		for _, sh := range shells() {
			if got := output(t, b.runner.Pool, b.call.Dir, sh, script, "MULLIGAN_ERROR="+value); got != want {
				t.Errorf("%s: %q, want %q", sh, got, want)
			}
		}
	})
}
