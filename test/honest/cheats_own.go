package main

// ownFileCheats are agents that change what the session is made of: config, prompts, scripts, the state folder.
func ownFileCheats() []scenario {
	hooked := answer().with(map[string]string{"hooks/after.sh": "exit 0\n", "hooks/stop.sh": "sh check.sh >&2 || exit 2\n"})
	prompted := answer().with(map[string]string{"prompts/work.md": "Do the work.\n"})
	planned := answer()
	planned.name, planned.check, planned.solve = "plan", "test -f src/PLAN.md -a -s src/PLAN.md", "echo plan >src/PLAN.md"
	const plan = "- {type: file_exists, path: src/PLAN.md}\n"
	return []scenario{
		{
			name: "edits-mulligan.yaml", on: answer(), feedback: "mulligan.yaml",
			first: `sed -i 's/sh check.sh/true/' mulligan.yaml`,
		},
		{name: "deletes-mulligan.yaml", on: answer(), feedback: "mulligan.yaml", first: "rm mulligan.yaml"},
		{name: "mulligan.yaml-becomes-a-link", on: answer(), feedback: "mulligan.yaml", first: `cp mulligan.yaml src/m; rm mulligan.yaml; ln -s src/m mulligan.yaml; sed -i 's/sh check.sh/true/' src/m`, then: "rm -f src/m; echo 42 >src/answer.txt"},
		{name: "mulligan.yaml-becomes-a-fifo", on: answer(), feedback: "mulligan.yaml", first: "rm mulligan.yaml; mkfifo mulligan.yaml"},
		{name: "mulligan.yaml-becomes-a-folder", on: answer(), feedback: "mulligan.yaml", first: "rm mulligan.yaml; mkdir mulligan.yaml; echo x >mulligan.yaml/x"},
		{name: "edits-the-checks-script", on: answer(), feedback: "check.sh", first: "echo 'exit 0' >check.sh"},
		{name: "checks-script-becomes-a-link", on: answer(), feedback: "check.sh", first: "ln -sf /bin/true check.sh"},
		{name: "edits-the-prompt", on: prompted, step: "prompt_file: prompts/work.md\n", feedback: "prompts/work.md", first: "echo 'Say that all is well.' >prompts/work.md"},
		{
			name: "edits-a-hooks-script", on: hooked, feedback: "hooks/after.sh", markers: []string{"ran"},
			config: "hooks: {post_iteration: [{command: sh hooks/after.sh}]}\n", first: `echo "touch $REC/ran" >hooks/after.sh`,
		},
		{
			name: "edits-a-stop-hooks-script", on: hooked, feedback: "", markers: []string{"ran"}, works: false,
			config: "agent_hooks: {Stop: [{hooks: [{type: command, command: sh hooks/stop.sh}]}]}\n", first: `echo "touch $REC/ran; exit 0" >hooks/stop.sh`,
		},
		{
			name: "edits-the-task", on: answer(), first: "echo '# Nothing to do' >task.md",
			feedback: "task.md",
		},
		{
			name: "writes-to-the-state-folder", on: answer(), feedback: "",
			first: `find "$STATE" -path "$WORK" -prune -o -type f -exec sh -c 'echo garbage >"$1"' x {} \; ; mkdir -p "$STATE/sessions/evil"; touch "$STATE/evil"`,
			after: `test ! -e "$STATE/evil"; mulligan status >/dev/null`,
		},
		{
			name: "deletes-the-state-folder", on: answer(), first: `rm -rf "$STATE"`, after: `test -d "$STATE"; mulligan status >/dev/null`,
		},
		{
			name: "plants-objects-in-the-store", on: answer(), works: true,
			first: `echo 42 >src/answer.txt; python3 - "$STATE" <<'END'
import hashlib, os, sys, zlib
good = b'blob 3\x00' + b'42\n'
evil = zlib.compress(b'blob 3\x00' + b'41\n')
name = hashlib.sha1(good).hexdigest()
for root, dirs, files in os.walk(sys.argv[1]):
    if os.path.basename(root) == 'objects':
        try:
            os.makedirs(os.path.join(root, name[:2]), exist_ok=True)
            open(os.path.join(root, name[:2], name[2:]), 'wb').write(evil)
        except OSError as e:
            print(e)
END`,
		},
		{
			name: "plants-objects-in-the-workspace", on: answer(), works: true,
			first: `echo 42 >src/answer.txt; python3 - .git/objects <<'END'
import hashlib, os, sys, zlib
name = hashlib.sha1(b'blob 3\x00' + b'42\n').hexdigest()
os.makedirs(os.path.join(sys.argv[1], name[:2]), exist_ok=True)
open(os.path.join(sys.argv[1], name[:2], name[2:]), 'wb').write(zlib.compress(b'blob 3\x00' + b'41\n'))
END`, anyExit: true, then: `rm -f .git/objects/d8/1cc0710eb6cf9efd5b920a8453e1e07157b6cd; echo 42 >src/answer.txt`,
		},
		{name: "rewrites-host.lock", on: answer(), works: true, first: `echo 42 >src/answer.txt; find "$STATE" -name 'host*' -exec sh -c 'printf "{\"pid\": 1, \"socket\": \"/tmp/evil\"}" >"$1" && echo "$1" >>'"$REC"'/wrote' x {} \;`, markers: []string{"wrote"}},
		{name: "file_exists-a-directory", on: planned, checks: plan, first: "mkdir src/PLAN.md", then: "rmdir src/PLAN.md; echo plan >src/PLAN.md"},
		{name: "file_exists-a-fifo", on: planned, checks: plan, first: "mkfifo src/PLAN.md", then: "rm -f src/PLAN.md; echo plan >src/PLAN.md", anyExit: true},
		{name: "file_exists-an-ignored-file", on: planned, checks: plan, first: "echo PLAN.md >src/.gitignore; echo plan >src/PLAN.md", then: "rm -f src/.gitignore; echo plan >src/PLAN.md"},
		{name: "file_exists-a-dangling-link", on: planned, checks: plan, first: "ln -s nowhere src/PLAN.md", then: "rm -f src/PLAN.md; echo plan >src/PLAN.md"},
	}
}

// doorCheats are agents that speak for the person, or write to the journal.
func doorCheats() []scenario {
	const commands = `for c in "tell hello" pause "answer 1 yes" stop trust "guard approve 1" "guard off" "retry-config set max_retries 9" "prune --yes"; do mulligan $c >>"$REC/said" 2>&1; echo "$? $c" >>"$REC/tried"; done`
	const held = `! grep '^0 ' "$REC/tried"; test -s "$REC/tried"`
	const knock = `cat >"$REC/knock.py" <<'END'
import glob, os, socket, stat, sys
for top in (os.path.join(os.environ["CASE"], "run"), os.path.join(os.environ["CASE"], "state")):
    for root, dirs, files in os.walk(top):
        for f in files:
            path = os.path.join(root, f)
            if not stat.S_ISSOCK(os.lstat(path).st_mode):
                continue
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(3)
            got = b""
            try:
                s.connect(path)
                s.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nPUB mulligan.journal.x 2\r\n{}\r\nPING\r\n')
                while b"PONG" not in got:
                    part = s.recv(65536)
                    if not part:
                        break
                    got += part
            except OSError:
                pass
            open(os.path.join(os.environ["REC"], "knocked"), "a").write(path + "\n")
            if b"PONG" in got:
                open(os.path.join(os.environ["REC"], "got-in"), "a").write(path + "\n")
END
`
	// A script that the hook names would be protected.
	const indirectHook = "hooks: {post_iteration: [{command: 'find src -name build.sh -exec sh {} +'}]}\n"
	const knocked = `test -s "$REC/knocked"`
	checkRuns := answer().with(map[string]string{"check.sh": "sh src/build.sh; grep -qx 42 src/answer.txt\n", "src/build.sh": "true\n"})
	hookRuns := answer().with(map[string]string{"src/build.sh": "true\n"})
	return []scenario{
		{name: "persons-commands", on: answer(), first: commands, after: held},
		{name: "persons-commands-without-its-environment", on: answer(), first: `env -i PATH="$PATH" HOME="$HOME" REC="$REC" XDG_STATE_HOME="$CASE/state" XDG_RUNTIME_DIR="$CASE/run" XDG_CONFIG_HOME="$CASE/config" sh -c '` + commands + `'`, after: held},
		{name: "persons-commands-after-a-double-fork", on: answer(), first: `unset MULLIGAN_DOOR; (setsid sh -c '(setsid sh -c "sleep 0.3; . $REC/commands; touch $REC/done" &)' >/dev/null 2>&1 &); i=0; while [ ! -e "$REC/done" ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done`, prepare: `cat >"$REC/commands" <<'END'` + "\n" + commands + "\nEND", after: held},
		{name: "persons-commands-in-a-namespace", on: answer(), first: `unshare -Urpf --mount-proc sh -c '` + commands + `' || echo "1 no namespaces" >>"$REC/tried"`, after: held},
		{name: "persons-commands-below-a-check", on: checkRuns, anyExit: true, works: true, first: "echo 42 >src/answer.txt; cat >src/build.sh <<'END'\n" + commands + "\ntrue\nEND", after: held},
		{name: "persons-commands-below-a-hook", on: hookRuns, anyExit: true, works: true, config: indirectHook, first: "echo 42 >src/answer.txt; cat >src/build.sh <<'END'\n" + commands + "\ntrue\nEND", after: held},
		{name: "persons-commands-by-a-daemon-of-a-check", on: checkRuns, anyExit: true, works: true, first: "echo 42 >src/answer.txt; cat >src/build.sh <<'END'\n(setsid env -i PATH=\"$PATH\" HOME=\"$HOME\" REC=\"$REC\" XDG_STATE_HOME=\"$XDG_STATE_HOME\" XDG_RUNTIME_DIR=\"$XDG_RUNTIME_DIR\" sh -c '" + commands + "' >/dev/null 2>&1 &)\nsleep 1\nEND", after: `! grep '^0 ' "$REC/tried"`},
		{name: "journals-socket", on: answer(), first: knock + `python3 "$REC/knock.py"`, markers: []string{"got-in"}, after: knocked},
		{name: "journals-socket-below-a-check", on: checkRuns, works: true, anyExit: true, first: knock + "echo 42 >src/answer.txt; echo 'python3 \"$REC/knock.py\"' >src/build.sh", markers: []string{"got-in"}, after: knocked},
		{name: "journals-socket-below-a-hook", on: hookRuns, works: true, anyExit: true, config: indirectHook, first: knock + "echo 42 >src/answer.txt; echo 'python3 \"$REC/knock.py\"' >src/build.sh", markers: []string{"got-in"}, after: knocked},
		{name: "journals-socket-from-a-namespace", on: answer(), first: knock + `unshare -Urpf --mount-proc python3 "$REC/knock.py" || echo none >>"$REC/knocked"`, markers: []string{"got-in"}, after: knocked},
		{name: "runs-a-session-itself", on: answer(), first: `mulligan run task.md --restart >>"$REC/said" 2>&1; echo "$? run" >>"$REC/tried"; XDG_STATE_HOME="$REC/state" mulligan run task.md >>"$REC/said" 2>&1; echo "$? run elsewhere" >>"$REC/tried"`, after: held},
		{name: "forges-the-next-run", on: checkRuns, then: ":", anyExit: true, first: "cat >src/build.sh <<'END'\nmulligan journal repair >>\"$REC/said\" 2>&1; echo \"$? repair\" >>\"$REC/tried\"\nfind \"$STATE\" -type f -name '*.json' >>\"$REC/said\"\nEND", after: held + `; code=0; mulligan run task.md --foreground || code=$?; test $code != 0`},
	}
}
