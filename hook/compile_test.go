package hook

import (
	"errors"
	"strings"
	"testing"

	"mulligan"
)

func TestCompile(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{`echo {{error}}`, `echo "${MULLIGAN_ERROR}"`},
		{`echo {{ error }}`, `echo "${MULLIGAN_ERROR}"`},
		{"echo {{\tsession}}x", `echo "${MULLIGAN_SESSION}"x`},
		{`echo '{{error}}'`, `echo ''"${MULLIGAN_ERROR}"''`},
		{`echo 'a {{ session }} b'`, `echo 'a '"${MULLIGAN_SESSION}"' b'`},
		{`echo "{{error}}"`, `echo "${MULLIGAN_ERROR}"`},
		{`echo "it's {{session}}"`, `echo "it's ${MULLIGAN_SESSION}"`},
		{`echo pre{{session}}post`, `echo pre"${MULLIGAN_SESSION}"post`},
		{`echo {{session}}{{iteration}}`, `echo "${MULLIGAN_SESSION}""${MULLIGAN_ITERATION}"`},
		{`echo {{{session}}}`, `echo {"${MULLIGAN_SESSION}"}`},
		{`echo $(echo {{error}})`, `echo $(echo "${MULLIGAN_ERROR}")`},
		{`echo "$(echo {{error}} "{{error}}" '{{error}}')"`, `echo "$(echo "${MULLIGAN_ERROR}" "${MULLIGAN_ERROR}" ''"${MULLIGAN_ERROR}"'')"`},
		{"echo `echo {{error}}` {{error}}", "echo `echo \"${MULLIGAN_ERROR}\"` \"${MULLIGAN_ERROR}\""},
		{"echo \"`echo {{error}}`\"", "echo \"`echo \"${MULLIGAN_ERROR}\"`\""},
		{`x={{error}} y`, `x="${MULLIGAN_ERROR}" y`},
		{`export X={{session}}`, `export X="${MULLIGAN_SESSION}"`},
		{`x > log-{{session}} 2>&1`, `x > log-"${MULLIGAN_SESSION}" 2>&1`},
		{`case {{error}} in {{session}}|"{{session}}"*) x;; esac`, `case "${MULLIGAN_ERROR}" in "${MULLIGAN_SESSION}"|"${MULLIGAN_SESSION}"*) x;; esac`},
		{`for f in {{error}} b; do echo "$f"; done`, `for f in "${MULLIGAN_ERROR}" b; do echo "$f"; done`},
		{`f() { echo {{error}}; }; f`, `f() { echo "${MULLIGAN_ERROR}"; }; f`},
		{`if [ {{error}} = x ]; then y; fi`, `if [ "${MULLIGAN_ERROR}" = x ]; then y; fi`},
		{`! test -n {{error}} && (x {{error}}) || { y {{error}}; } | z &`, `! test -n "${MULLIGAN_ERROR}" && (x "${MULLIGAN_ERROR}") || { y "${MULLIGAN_ERROR}"; } | z &`},
		{"cat <<EOF {{error}}\nbody\nEOF\n", "cat <<EOF \"${MULLIGAN_ERROR}\"\nbody\nEOF\n"},
		{`echo "$${{session}}" \${{session}} "\${{session}}"`, `echo "$$${MULLIGAN_SESSION}" \$"${MULLIGAN_SESSION}" "\$${MULLIGAN_SESSION}"`},
		{`echo \\{{session}} "\\{{session}}" '\{{session}}'`, `echo \\"${MULLIGAN_SESSION}" "\\${MULLIGAN_SESSION}" '\'"${MULLIGAN_SESSION}"''`},
		{`echo \$'{{session}}' $$'{{session}}'`, `echo \$''"${MULLIGAN_SESSION}"'' $$''"${MULLIGAN_SESSION}"''`},
		{`echo é{{session}}é`, `echo é"${MULLIGAN_SESSION}"é`},
		{`{{error}}`, `"${MULLIGAN_ERROR}"`},
		{`( (x {{error}}); y)`, `( (x "${MULLIGAN_ERROR}"); y)`},
		{`[[ {{iteration}} -gt 3 ]]`, `[[ "${MULLIGAN_ITERATION}" -gt 3 ]]`},
		{`~{{session}}/*`, `~"${MULLIGAN_SESSION}"/*`},
		// What reads its arguments as commands may have what mulligan made, and arguments besides them.
		{`sh -c 'echo "$1"' sh {{error}}`, `sh -c 'echo "$1"' sh "${MULLIGAN_ERROR}"`},
		{`bash -c "echo {{iteration}}"`, `bash -c "echo ${MULLIGAN_ITERATION}"`},
		{`sh notify.sh -x {{error}}; grep -c {{error}} log`, `sh notify.sh -x "${MULLIGAN_ERROR}"; grep -c "${MULLIGAN_ERROR}" log`},
	} {
		got, err := Compile(tt.command, mulligan.OnError)
		if err != nil || got != tt.want {
			t.Errorf("Compile(%q) =\n\t%s, %v\nwant\n\t%s", tt.command, got, err, tt.want)
		}
	}
}

// Text that is not ours stays byte for byte.
func TestCompileLeavesAlone(t *testing.T) {
	for _, command := range []string{
		`docker ps --format '{{.State}}'`, `docker ps --format {{.State}}`, `x '{{ .Foo }}' "{{json .}}"`,
		`docker inspect -f '{{range .Networks}}{{.IP}}{{end}}' x`, `x '{{if .A}}a{{ else }}b{{end}}'`,
		`echo {a,b} {{a,b}} {{}} {{ }} { {error}} {{error} {error}`, `echo {{error2}} {{a.b}} {{a b}}`,
		`echo \{\{error}} "{""{error}}" '{''{error}}'`,
		"echo x # {{error}} {{nonsense}}\n# {{task_id}}\n", "x && # {{error}}\ny", "f() {\n\t# {{error}}\n\tx\n}",
		"echo \"a\tb\"  \\\n  c;   d", "  x\t&&\ty\n\n", "echo $((1 + 2)) ${x:-y} $'a' `b \\`c\\``",
		"cat <<'EOF'\n{{.X}}\nEOF\n", "[[ a == b ]]",
	} {
		got, err := Compile(command, mulligan.OnError)
		if err != nil || got != command {
			t.Errorf("Compile(%q) = %q, %v", command, got, err)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct {
		command   string
		line, col int
		says      []string
	}{
		{"cat <<EOF\n{{error}}\nEOF\n", 2, 1, []string{"{{error}}", "in a here-document", "${MULLIGAN_ERROR}"}},
		{"cat <<'EOF'\nx {{error}}\nEOF\n", 2, 3, []string{"in a here-document", "printf"}},
		{"cat <<-EOF\n\t$(echo {{error}})\n\tEOF\n", 2, 9, []string{"in a here-document"}},
		{"cat <<{{error}}\nx\n{{error}}\n", 1, 7, []string{"delimiter"}},
		{"echo $(( {{iteration}} + 1 ))", 1, 10, []string{"in arithmetic", "MULLIGAN_ITERATION there"}},
		{"echo $(( {{error}} ))", 1, 10, []string{"in arithmetic", "no number"}},
		{"echo ${x:-{{error}}}", 1, 11, []string{"inside ${…}", "$MULLIGAN_ERROR"}},
		{`echo "${x#"{{error}}"}"`, 1, 12, []string{"inside ${…}"}},
		{"echo ${{error}}", 1, 7, []string{"name of a variable", `"$MULLIGAN_ERROR"`}},
		{"echo ${{{error}}}", 1, 8, []string{"name of a variable"}},
		{`echo "a ${{error}}"`, 1, 10, []string{"name of a variable"}},
		{"echo $'x{{error}}'", 1, 9, []string{"$'…'", "'…'"}},
		{`echo a$"x{{error}}"`, 1, 10, []string{`$"…"`}},
		{"{{error}}() { x; }", 1, 1, []string{"name of a function"}},
		{"{{error}}=1 x", 1, 1, []string{"name of a variable", "x={{error}}"}},
		{"X{{error}}=1", 1, 2, []string{"name of a variable"}},
		{"for {{error}} in a; do x; done", 1, 5, []string{"loop's variable"}},
		{"echo `echo \\`echo {{error}}\\``", 1, 19, []string{"backquotes", "$(…)"}},
		{"echo \"`echo \\\"{{error}}\\\"`\"", 1, 15, []string{"backquotes", "$(…)"}},
		{`echo \{{error}}`, 1, 7, []string{"after a backslash", `'{''{error}}'`}},
		{`echo "\\\{{error}}"`, 1, 10, []string{"after a backslash"}},
		{`eval "x {{error}}"`, 1, 9, []string{"eval reads as commands", `eval '… "$MULLIGAN_ERROR" …'`}},
		{`command eval x {{error}}`, 1, 16, []string{"eval reads as commands"}},
		{`alias x='y {{error}}'`, 1, 12, []string{"alias reads as commands"}},
		{`trap 'echo {{error}}' EXIT`, 1, 12, []string{"trap reads as commands"}},
		{`bash -c "echo {{error}}"`, 1, 15, []string{"bash -c reads as commands", `"$MULLIGAN_ERROR"`}},
		{`sudo -u me /bin/sh -ec 'echo {{error}}'`, 1, 30, []string{"sh -ec reads as commands"}},
		{`x | xargs sh -c 'echo {{error}}'`, 1, 23, []string{"sh -c reads as commands"}},
		{`echo "$(bash -o pipefail -c {{error}})"`, 1, 29, []string{"bash -c reads as commands"}},
		{`ssh host logger {{error}}`, 1, 17, []string{"another machine's shell", "pipe it"}},
		{`[[ {{error}} -eq 1 ]]`, 1, 4, []string{"in [[", "use [ … ]"}},
		{`let x={{error}}`, 1, 7, []string{"in let", "arithmetic"}},
		{`(({{error}}))`, 1, 3, []string{"in ((…))", "a blank"}},
		{`((x; y {{iteration}}); z)`, 1, 8, []string{"in ((…))", "a blank"}},

		// H2: a text that an agent writes is a whole word, or a program could read it as its own code.
		{`python3 -c "print('{{error}}')"`, 1, 20, []string{"inside a longer word", "could run it as code", "environment variable MULLIGAN_ERROR"}},
		{`awk 'BEGIN {print "{{error}}"}'`, 1, 20, []string{"inside a longer word"}},
		{`echo pre{{error}}`, 1, 9, []string{"inside a longer word"}},
		{`echo "{{error}} {{error}}"`, 1, 7, []string{"inside a longer word"}},
		{`echo "{{error}}"'{{error}}'`, 1, 7, []string{"inside a longer word"}},
		{`echo {{error}}{{session}}`, 1, 6, []string{"inside a longer word"}},
		{`psql -c "$(printf %s '{{error}}, x')"`, 1, 23, []string{"inside a longer word"}},
		{`gh issue create --title={{error}}`, 1, 25, []string{"inside a longer word"}},
		{`export X={{error}}`, 1, 10, []string{"inside a longer word"}},
		{`x="a {{error}}" y`, 1, 6, []string{"inside a longer word"}},
		{`x > log-{{error}}`, 1, 9, []string{"inside a longer word"}},

		{"echo {{eror}}", 1, 6, []string{"no variable {{eror}}", "did you mean {{error}}?"}},
		{"echo {{Error}}", 1, 6, []string{"did you mean {{error}}?"}},
		{"é\necho é {{tablerender}}", 2, 8, []string{"no variable {{tablerender}}", "on_error has {{session}}, {{iteration}} and {{error}}", `'{''{tablerender}}'`}},
		{"echo {{task_id}}", 1, 6, []string{"on_error has no {{task_id}}", "{{session}}, {{iteration}} and {{error}}"}},

		{"", 1, 1, []string{"empty"}},
		{" \n\t", 1, 1, []string{"empty"}},
		{"# later", 1, 1, []string{"only comments"}},
		{"\n # {{error}}\n#x", 1, 1, []string{"only comments", "take the hook out"}},
		{"echo a\x00b", 1, 7, []string{"NUL"}},
		{"x\nif y; then", 2, 7, []string{"the shell cannot read the command", "`then` must be followed"}},
		{"echo \xff", 1, 6, []string{"invalid UTF-8"}},
		{`echo "{{error}}`, 1, 6, []string{"the shell cannot read the command"}},
		{"echo )", 1, 6, []string{"the shell cannot read the command"}},
		{"cat <<< {{error}}", 1, 5, []string{"this is bash and not plain sh", "herestring", "bash SCRIPT"}},
		{"diff <(a) <(b)", 1, 6, []string{"this is bash"}},
		{"a=(1 2)", 1, 3, []string{"this is bash"}},
	} {
		got, err := Compile(tt.command, mulligan.OnError)
		e, ok := errors.AsType[*CommandError](err)
		if !ok {
			t.Errorf("Compile(%q) = %q, %v", tt.command, got, err)
			continue
		}
		if e.Line != tt.line || e.Col != tt.col {
			t.Errorf("Compile(%q): at %d:%d, want %d:%d: %v", tt.command, e.Line, e.Col, tt.line, tt.col, err)
		}
		for _, want := range tt.says {
			if !strings.Contains(e.Message, want) {
				t.Errorf("Compile(%q): %q lacks %q", tt.command, e.Message, want)
			}
		}
		if strings.Contains(e.Message, "QQ") {
			t.Errorf("Compile(%q): %q shows the filling", tt.command, e.Message)
		}
	}
}

func TestVariablesOfMoments(t *testing.T) {
	want := map[mulligan.Moment]string{
		mulligan.SessionStart:   "session",
		mulligan.PreIteration:   "session iteration",
		mulligan.PostIteration:  "session iteration",
		mulligan.OnTaskComplete: "session task_id task_content",
		mulligan.OnError:        "session iteration error",
		mulligan.SessionEnd:     "session",
	}
	for _, moment := range mulligan.Moments() {
		has := Variables(moment)
		if got := strings.Join(has, " "); got != want[moment] {
			t.Errorf("%s has %q, want %q", moment, got, want[moment])
		}
		for _, name := range allVariables {
			_, err := Compile("echo {{"+name+"}}", moment)
			if known := strings.Contains(" "+want[moment]+" ", " "+name+" "); known != (err == nil) {
				t.Errorf("%s, {{%s}}: %v", moment, name, err)
			}
		}
	}
}

// FuzzCompile: nothing panics, text without variables stays as it is, and a script has no
// variables left to be compiled.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		`echo {{error}} '{{error}}' "{{error}}"`, "cat <<EOF\n{{error}}\nEOF", "`{{error}}`", "${{error}}", "$(({{error}}))",
		"x[{{error}}]=1", "a=({{error}})", "case x in {{error}}) esac", "\\{{error}}", "# {{error}}", "$'{{error}}'", "{{ error",
		"cat <<a <<b\na\nb", "echo \\\n{{error}}\r\n", "if {{error}}; then {{error}}; fi", "<<{{error}}", "(({{error}}))", "[[ {{error}} ]]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		script, err := Compile(command, mulligan.OnError)
		if err != nil {
			if _, ok := errors.AsType[*CommandError](err); !ok {
				t.Fatalf("%q: %v", command, err)
			}
			return
		}
		if len(findMentions(command)) == 0 && script != command {
			t.Fatalf("%q became %q", command, script)
		}
		again, err := Compile(script, mulligan.OnError)
		if err != nil || again != script {
			t.Fatalf("%q became %q, and that %q, %v", command, script, again, err)
		}
	})
}
