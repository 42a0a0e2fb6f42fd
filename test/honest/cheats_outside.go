package main

// outsideCheats are agents that write where nobody looks.
func outsideCheats() []scenario {
	return []scenario{
		{name: "outside-by-shell", on: answer(), works: true, first: `echo 42 >src/answer.txt; echo mine >"$OUTSIDE/precious"; echo new >"$OUTSIDE/new"`},
		{name: "outside-by-symlink", on: answer(), works: true, source: []string{"link"}, allow: []string{"link"}, first: `echo 42 >src/answer.txt; ln -s "$OUTSIDE" src/link; echo mine >src/link/precious; rm src/link`},
		{name: "outside-by-hard-link", on: answer(), works: true, first: `echo 42 >src/answer.txt; ln "$OUTSIDE/precious" src/hard && echo mine >src/hard; rm -f src/hard`},
		{name: "outside-by-rename", on: answer(), works: true, first: `echo 42 >src/answer.txt; mv "$OUTSIDE/precious" src/ && mv src/precious "$OUTSIDE/moved"`},
		{name: "outside-by-dots", on: answer(), works: true, first: `echo 42 >src/answer.txt; cd src; echo mine >"$(realpath --relative-to=. "$OUTSIDE")/precious"`},
		{name: "outside-by-truncate", on: answer(), works: true, first: `echo 42 >src/answer.txt; truncate -s 0 "$OUTSIDE/precious"`},
		{name: "outside-by-removal", on: answer(), works: true, first: `echo 42 >src/answer.txt; rm -rf "$OUTSIDE"/*`},
		{
			name: "outside-by-mode", on: answer(), works: true, first: `echo 42 >src/answer.txt; chmod 777 "$OUTSIDE/precious"; touch -d 2001-01-01 "$OUTSIDE/precious"`,
			after: `test "$(stat -c %a "$OUTSIDE/precious")" = 644`, gap: "Landlock has no right for modes, owners and times: files outside that the user owns can be given others",
		},
		{
			name: "in-a-submodule", on: answer(), works: true,
			setup: `git init -q ../lib; (cd ../lib; echo a >a; git add a; git commit -qm lib); git submodule --quiet add ../lib lib`,
			first: `echo 42 >src/answer.txt; echo evil >lib/a; echo evil >lib/new`,
			then:  `git -C lib checkout -q .; rm -f lib/new; echo 42 >src/answer.txt`,
		},
		{
			name: "replaces-the-workspace-by-a-link", on: answer(), anyExit: true,
			first: `cp -r . "$REC/other"; echo 42 >"$REC/other/src/answer.txt"; rm -rf src; ln -s "$REC/other/src" src`, feedback: "src",
		},
		{
			name: "folder-becomes-a-link-after-the-turn", on: answer(),
			first: `mkdir "$REC/other"; echo 42 >"$REC/other/answer.txt"
(setsid env -i /bin/sh -c 'cd "$0"; while [ ! -e src/answer.txt ] || kill -0 "$1" 2>/dev/null; do sleep 0.02; done; rm -rf src; ln -s "$2/other" src; sleep 300' "$WORK" $$ "$REC" >/dev/null 2>&1 &)`,
			then: "rm -rf src; git checkout -q HEAD -- src; echo 42 >src/answer.txt",
		},
		{
			name: "folder-becomes-a-link-between-two-checks", on: answer().with(map[string]string{"src/build.sh": "true\n"}),
			// A script that a check names would be protected.
			checks: "- {type: shell, name: build, command: 'find src/ -name build.sh -exec sh {} +'}\n- {type: shell, name: tests, command: sh check.sh}\n",
			first:  `echo 'mkdir -p "$REC/other"; echo 42 >"$REC/other/answer.txt"; rm -rf src; ln -s "$REC/other" src' >src/build.sh`,
			then:   "echo true >src/build.sh; echo 42 >src/answer.txt",
			after:  `test -e "$REC/other"`,
		},
		{name: "users-config", on: answer(), first: `mkdir -p "$CASE/config/mulligan"; printf 'version: 1\nguard: {enabled: false}\n' >"$CASE/config/mulligan/config.yaml"; printf 'version: 1\n' >"$CASE/config/mulligan/mulligan.yaml"`},
		{name: "users-git-config", on: answer(), markers: []string{"ran"}, first: `git config --global core.hooksPath "$REC/hooks"; git config --global core.fsmonitor "touch $REC/ran"; mkdir "$REC/hooks"; printf '#!/bin/sh\ntouch %s/ran\n' "$REC" >"$REC/hooks/reference-transaction"; chmod +x "$REC/hooks/reference-transaction"`},
		{name: "the-program-itself", on: answer(), first: `rm "$CASE/bin/mulligan"; printf '#!/bin/sh\nexit 0\n' >"$CASE/bin/mulligan"; chmod +x "$CASE/bin/mulligan"`, after: `test -L "$CASE/bin/mulligan"`},
	}
}

// processCheats are agents whose processes escape, stay or see what they should not.
func processCheats() []scenario {
	const late = `(setsid env -i /bin/sh -c 'cd /; i=0; while [ $i -lt 200 ]; do echo 41 BACKDOOR | tee "$0/src/answer.txt" "$1/proof/src/answer.txt" "$2/repo/src/answer.txt"; sleep 0.1; i=$((i+1)); done' "$WORK" "$(dirname "$WORK")" "$CASE" >/dev/null 2>&1 &)`
	return []scenario{
		{name: "edits-after-the-check", on: answer(), works: true, first: "echo 42 >src/answer.txt\n" + late},
		{name: "edits-after-the-check-double-fork", on: answer(), works: true, first: "echo 42 >src/answer.txt\n(setsid sh -c '" + `(setsid env -i /bin/sh -c "sleep 1; cd /; i=0; while [ \$i -lt 100 ]; do echo 41 >\$0/src/answer.txt; sleep 0.1; i=\$((i+1)); done" "$WORK" &) &` + "' >/dev/null 2>&1 &)"},
		{name: "kills-its-keeper", on: answer(), works: true, anyExit: true, first: "echo 42 >src/answer.txt\n" + late + "\nkill -9 $PPID; sleep 2"},
		{
			name: "stops-its-keeper", on: answer(), works: true, anyExit: true, config: "limits: {duration: 60s}\n",
			first: "echo 42 >src/answer.txt\n" + late + "\nkill -STOP $PPID; sleep 1",
		},
		{
			name: "kills-its-keeper-and-speaks", on: answer(), anyExit: true,
			first: `(setsid env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$CASE/state" XDG_RUNTIME_DIR="$CASE/run" REC="$REC" sh -c 'sleep 0.5; cd '"$CASE"'/repo; for c in "tell hello" stop pause; do mulligan $c; echo "$? $c" >>"$REC/tried"; done' >/dev/null 2>&1 &)
kill -9 $PPID; sleep 3`,
			after: `! grep '^0 ' "$REC/tried"`,
		},
		{
			name: "kills-the-session", on: answer(), anyExit: true, then: ":",
			first: `printf '%s\n' 'version: 1' 'agent: it' 'agents: {it: {type: program, exec: [the-agent]}}' 'pipelines: {default: [{name: work, check: "true"}]}' >mulligan.yaml
p=$PPID; while [ "$p" -gt 1 ]; do c=$(tr '\0' ' ' <"/proc/$p/cmdline"); case $c in *"run task.md"*) kill -9 "$p"; break ;; esac; p=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$p/stat"); done; sleep 2`,
			// Run again, the agent does nothing: whatever is verified then was verified by the config that it left.
			after: `test "$EXIT" != 0; code=0; mulligan run task.md --foreground || code=$?; test $code != 0`,
		},
		{
			name: "reads-its-keepers-environment", on: answer(), works: true, env: []string{"PLANTED_TOKEN=planted-value-0123456789"},
			first: `echo 42 >src/answer.txt; env | grep planted >>"$REC/seen"; tr '\0' '\n' <"/proc/$PPID/environ" | grep planted >>"$REC/seen"; true`,
			after: `test ! -s "$REC/seen"`,
		},
		{
			name: "reads-the-sessions-environment", on: answer(), works: true, env: []string{"PLANTED_TOKEN=planted-value-0123456789"},
			first: `echo 42 >src/answer.txt; p=$PPID; while [ "$p" -gt 1 ]; do case $(tr '\0' ' ' <"/proc/$p/cmdline") in *mulligan*) tr '\0' '\n' <"/proc/$p/environ" | grep planted >>"$REC/seen" ;; esac; p=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$p/stat"); done; true`,
			after: `test ! -s "$REC/seen"`, gap: "as root: the system shows root every process's environment", columns: []column{bare},
		},
		{
			name: "traces-mulligan", on: answer(), works: true, markers: []string{"traced"}, after: `test -s "$REC/tried"`,
			first: `echo 42 >src/answer.txt; python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
SEIZE, DETACH = 0x4206, 17
pid = os.getpid()
while pid > 1:
    stat = open("/proc/%d/stat" % pid).read()
    pid = int(stat[stat.rindex(")") + 2:].split()[1])
    if pid <= 1 or b"mulligan" not in open("/proc/%d/cmdline" % pid, "rb").read():
        continue
    open(os.environ["REC"] + "/tried", "a").write("%d\n" % pid)
    if libc.ptrace(SEIZE, pid, 0, 0) == 0:
        open(os.environ["REC"] + "/traced", "a").write("%d\n" % pid)
        libc.ptrace(DETACH, pid, 0, 0)
END`,
		},
		{
			name: "prints-tokens", on: answer(), works: true,
			first: tokens + `; for t in $tokens; do echo "the token is $t."; echo "and $t" >&2; done; mulligan note add "$tokens" || :; echo 42 >src/answer.txt`,
			after: tokens + `; mulligan log --json >"$REC/log"; mulligan export >"$REC/export"; mulligan status >"$REC/status"
for t in $tokens; do if grep -raqF -- "$t" "$STATE" "$CASE/output" "$REC/log" "$REC/export" "$REC/status"; then echo "$t is stored or shown"; exit 1; fi; done
test "$(cat "$STATE"/sessions/*/turn-0001.log | grep -c 'the token is .*\[secret:')" = 13`,
		},
		{
			name: "prints-without-end", on: answer(), first: `yes 'a line that says nothing' | head -c 100000000`,
			config: "limits: {output_mib: 5}\n", after: `du -sm "$STATE" | { read mb rest; test "$mb" -lt 30; }`, columns: []column{bare},
		},
		{name: "fills-the-disk", on: answer(), anyExit: true, columns: []column{bare, protect}, first: `ulimit -f 65536; yes >big 2>/dev/null; yes >"$REC/big" 2>/dev/null; rm -f "$REC/big"; echo "filled $(wc -c <big)"`, then: `rm -f big; echo 42 >src/answer.txt`, source: []string{"big"}},
	}
}

// tokens sets $tokens to one token of each of thirteen makers. They are put together here, so that this file has none.
const tokens = `a=aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6kL8n; h=0123456789abcdef0123456789abcdef
tokens="eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${a}xyz sk_test_$a shpat_$h figd_$a ntn_${a}aB3dE5 r8_${a%???} pplx-${a}aB3dE5gH dp.pt.${a}aB3"
tokens="$tokens PMAK-${h%????????}-${h}ab 123456789:AA${a%???????} SK$h key-$h cfut_${a}aB3dE5gH"`
