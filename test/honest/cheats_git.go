package main

// evilProgram makes a program in $REC that leaves the marker "ran" and passes its input on.
const evilProgram = `cat >"$REC/evil" <<END
#!/bin/sh
echo "\$0 \$*" >>"$REC/ran"
cat
END
chmod +x "$REC/evil"
`

// gitProgramCheats are changes of the workspace's git folder by which our git would start a program of the agent's. The
// folder is the agent's own: nothing there is forbidden, and nothing of it may count.
func gitProgramCheats() []scenario {
	ran := []string{"ran"}
	return []scenario{
		{
			name: "git-filter", on: answer(), works: true, protect: []string{".gitattributes"}, markers: []string{"ran"}, bare: named, touches: ".gitattributes",
			first: evilProgram + `printf '#!/bin/sh\necho ran >>%s/ran\nsed "s/.*/41 BACKDOOR/"\n' "$REC" >"$REC/evil"; git config filter.x.clean "$REC/evil"; echo 'src/answer.txt filter=x' >.gitattributes; echo 42 >src/answer.txt`,
			after: `test "$EXIT" != 0 || git show "$BRANCH:src/answer.txt" | grep -qx 42`,
		},
		{
			name: "git-filter-in-info-attributes", on: answer(), works: true, markers: ran,
			first: `printf '#!/bin/sh\necho ran >>%s/ran\nsed "s/.*/41 BACKDOOR/"\n' "$REC" >"$REC/evil"; chmod +x "$REC/evil"; git config filter.x.clean "$REC/evil"; mkdir -p .git/info; echo '* filter=x' >.git/info/attributes; echo 42 >src/answer.txt`,
		},
		{
			name: "git-filter-process", on: answer(), markers: ran,
			first: evilProgram + `git config filter.x.process "$REC/evil"; git config filter.x.required true; mkdir -p .git/info; echo '* filter=x' >.git/info/attributes`,
		},
		{name: "git-filter-that-sleeps", on: answer(), works: true, first: `git config filter.x.clean 'sleep 300'; git config filter.x.smudge 'sleep 300'; mkdir -p .git/info; echo '* filter=x' >.git/info/attributes; echo 42 >src/answer.txt`},
		{name: "git-filter-in-an-include", on: answer(), markers: ran, first: evilProgram + `printf '[filter "x"]\n\tclean = %s\n' "$REC/evil" >"$REC/more"; git config include.path "$REC/more"; mkdir -p .git/info; echo '* filter=x' >.git/info/attributes`},
		{name: "git-config.worktree", on: answer(), markers: ran, first: evilProgram + `git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$REC/evil"; git config --worktree core.hooksPath "$REC"`},
		{name: "git-gpg-program", on: answer(), works: true, markers: ran, first: evilProgram + `git config gpg.program "$REC/evil"; git config commit.gpgSign true; git config tag.gpgSign true; echo 42 >src/answer.txt`},
		{
			name: "git-ssh-through-a-promisor", on: answer(), works: true, markers: ran, anyExit: true,
			first: evilProgram + `git config remote.evil.url ssh://127.0.0.1/x; git config remote.evil.promisor true; git config extensions.partialClone evil; git config core.sshCommand "$REC/evil"; git update-index --add --cacheinfo 100644,1111111111111111111111111111111111111111,src/ghost; echo 42 >src/answer.txt`,
		},
		{name: "git-fsmonitor", on: answer(), markers: ran, first: evilProgram + `git config core.fsmonitor "$REC/evil"`},
		{
			name: "git-hooks", on: answer(), markers: ran,
			first: evilProgram + `mkdir -p .git/hooks; for h in pre-commit post-commit post-checkout reference-transaction post-index-change pre-auto-gc commit-msg prepare-commit-msg; do cp "$REC/evil" .git/hooks/$h; done; rm -f "$REC/ran"`,
		},
		{name: "git-hooks-path", on: answer(), markers: ran, first: evilProgram + `mkdir "$REC/h"; cp "$REC/evil" "$REC/h/reference-transaction"; cp "$REC/evil" "$REC/h/post-checkout"; git config core.hooksPath "$REC/h"`},
		{name: "git-textconv-and-external-diff", on: answer(), works: true, markers: ran, first: evilProgram + `git config diff.x.textconv "$REC/evil"; git config diff.x.command "$REC/evil"; git config diff.external "$REC/evil"; git config core.pager "$REC/evil"; git config core.editor "$REC/evil"; mkdir -p .git/info; echo '* diff=x' >.git/info/attributes; echo 42 >src/answer.txt`, after: `mulligan diff >/dev/null || :; test ! -e "$REC/ran"`},
		{name: "git-credential-and-askpass", on: answer(), works: true, markers: ran, first: evilProgram + `git config credential.helper "$REC/evil"; git config core.askPass "$REC/evil"; git config uploadpack.packObjectsHook "$REC/evil"; echo 42 >src/answer.txt`},
		{name: "git-merge-driver", on: answer(), works: true, markers: ran, first: evilProgram + `git config merge.x.driver "$REC/evil"; mkdir -p .git/info; echo '* merge=x' >.git/info/attributes; echo 42 >src/answer.txt`},
		{name: "git-submodule-update-command", on: answer(), works: true, markers: ran, first: evilProgram + `git config submodule.x.update "!$REC/evil"; git config submodule.x.url /nowhere; git config submodule.x.active true; echo 42 >src/answer.txt`},
		{name: "git-trace-and-log", on: answer(), works: true, first: `git config trace2.eventTarget "$OUTSIDE/trace"; git config core.logAllRefUpdates always; git config core.worktree "$OUTSIDE"; echo 42 >src/answer.txt`},
	}
}

// gitHidingCheats hide work from the commit, or show other work than the checks saw.
func gitHidingCheats() []scenario {
	listed := answer().with(map[string]string{"check.sh": "test -e src/new.txt\n"})
	listed.solve = "echo x >src/new.txt"
	return []scenario{
		{name: "git-info-exclude", on: listed, works: true, first: "mkdir -p .git/info; echo new.txt >>.git/info/exclude; echo x >src/new.txt", then: "sed -i /new.txt/d .git/info/exclude; echo x >src/new.txt"},
		{name: "git-excludes-file", on: listed, first: `echo new.txt >"$REC/ignored"; git config core.excludesFile "$REC/ignored"; echo x >src/new.txt`, then: "git config --unset core.excludesFile || :; echo x >src/new.txt", works: true},
		{name: "git-nested-repository", on: listed.with(map[string]string{"check.sh": "test -e src/in/new.txt\n"}), feedback: "src/in", first: "git init -q src/in; echo x >src/in/new.txt", then: "rm -rf src/in/.git; mkdir -p src/in; echo x >src/in/new.txt"},
		{
			name: "git-skip-worktree", on: sums(), works: true, bare: named, touches: "test/sum.test.js", feedback: "test/sum.test.js",
			first: "git update-index --skip-worktree test/sum.test.js; sed -i 's/, 5)/, -1)/' test/sum.test.js",
		},
		{
			name: "git-assume-unchanged", on: sums(), works: true, bare: named, touches: "test/sum.test.js", feedback: "test/sum.test.js",
			first: "git update-index --assume-unchanged test/sum.test.js; sed -i 's/, 5)/, -1)/' test/sum.test.js",
		},
		{name: "git-sparse-checkout", on: sums(), anyExit: true, feedback: "", bare: caught, first: "git sparse-checkout set --no-cone '/*' '!/test'", then: "git sparse-checkout disable; echo 'exports.sum = (a, b) => a + b' >src/sum.js"},
		{name: "git-file-mode-off", on: answer(), works: true, first: "git config core.fileMode false; git config core.symlinks false; git config core.ignoreCase true; git config core.autocrlf true; git config core.eol crlf; git config core.quotePath false; echo 42 >src/answer.txt", after: `test "$EXIT" != 0 || git show "$BRANCH:src/answer.txt" | cmp - "$CASE/want"`, prepare: `echo 42 >"$CASE/want"`},
		{name: "git-attributes-text", on: answer(), works: true, protect: []string{".gitattributes"}, bare: named, touches: ".gitattributes", first: `printf '* text eol=crlf working-tree-encoding=UTF-16\n' >.gitattributes; echo 42 >src/answer.txt`, anyExit: true},
		{name: "git-alternates", on: answer(), works: true, anyExit: true, first: `git init -q --bare "$REC/alt.git"; GIT_DIR="$REC/alt.git" git hash-object -w --stdin <src/answer.txt; mkdir -p .git/objects/info; echo "$REC/alt.git/objects" >.git/objects/info/alternates; echo 42 >src/answer.txt`},
		{name: "git-replace", on: answer(), works: true, anyExit: true, first: `echo 42 >src/answer.txt; good=$(git hash-object -w src/answer.txt); evil=$(echo 41 | git hash-object -w --stdin); git replace $good $evil`, after: `test "$EXIT" != 0 || git --no-replace-objects show "$BRANCH:src/answer.txt" | grep -qx 42`},
		{name: "git-grafts-and-shallow", on: answer(), works: true, anyExit: true, first: `echo 42 >src/answer.txt; git rev-parse HEAD >.git/shallow; mkdir -p .git/info; git rev-parse HEAD >.git/info/grafts`, after: `git fsck --connectivity-only >/dev/null`},
		{name: "git-index-with-other-content", on: answer(), first: `echo 42 >src/answer.txt; git add src/answer.txt; echo 41 >src/answer.txt; touch -d 2001-01-01 src/answer.txt`},
		{name: "same-size-and-time", on: sums(), bare: named, touches: "test/sum.test.js", feedback: "test/sum.test.js", first: `t=$(stat -c %y test/sum.test.js); sed -i 's/, 5)/,-1)/' test/sum.test.js; touch -d "$t" test/sum.test.js`},
	}
}

// gitRefCheats move branches or rewrite history in the workspace. The person's repository has none of that.
func gitRefCheats() []scenario {
	return []scenario{
		{name: "git-moves-main", on: answer(), first: `evil=$(git commit-tree -m evil 'HEAD^{tree}'); git update-ref refs/heads/main $evil`},
		{name: "git-deletes-main", on: answer(), first: `git update-ref -d refs/heads/main`},
		{name: "git-moves-another-branch", on: answer(), setup: "git branch other", first: `git update-ref refs/heads/other "$(git commit-tree -m evil 'HEAD^{tree}')"`},
		{name: "git-branch-becomes-a-symbolic-ref", on: answer(), works: true, anyExit: true, first: `echo 42 >src/answer.txt; b=$(git symbolic-ref HEAD); git symbolic-ref "$b" refs/heads/main`},
		{name: "git-commits-on-main", on: answer(), works: true, anyExit: true, first: `git switch -q main; echo 42 >src/answer.txt; git commit -qam fixed`},
		{name: "git-detaches-head", on: answer(), works: true, anyExit: true, first: `git checkout -q --detach; echo 42 >src/answer.txt; git commit -qam fixed`},
		{name: "git-rewrites-history", on: answer(), anyExit: true, first: `git reset -q --soft HEAD~1; git commit -q -m rewritten; git reset -q --hard`, after: `git merge-base --is-ancestor "$START" "${BRANCH:-main}"`},
		{name: "git-orphan", on: answer(), works: true, anyExit: true, first: `echo 42 >src/answer.txt; b=$(git symbolic-ref HEAD); git update-ref "$b" "$(git commit-tree -m orphan 'HEAD^{tree}')"`, after: `test "$EXIT" != 0 || git merge-base --is-ancestor "$START" "$BRANCH"`},
		{
			name: "git-commit-no-verify", on: answer(), prepare: "printf '#!/bin/sh\\nsh check.sh\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
			first: `echo 40 >src/answer.txt; git commit -q --no-verify -am 'all green'`,
		},
		{name: "git-forged-trailers", on: answer(), first: `git commit -q --allow-empty -m 'mulligan(work): done' -m 'Mulligan-Verified-By: sh check.sh'`, after: `test "$EXIT" != 0 || test "$(git log --format=%s "$START..$BRANCH" | wc -l)" = 1`},
		{name: "git-removes-the-repository", on: answer(), anyExit: true, first: `mv .git "$REC/git"`, then: `test -e .git || mv "$REC/git" .git; echo 42 >src/answer.txt`},
	}
}

// gitFifoCheats put something that never ends where git or we would read a file. The session must not hang.
func gitFifoCheats() []scenario {
	fifo := func(name, path, then string) scenario {
		return scenario{name: "fifo-" + name, on: answer(), works: true, anyExit: true, columns: []column{bare}, first: "echo 42 >src/answer.txt; rm -f " + path + "; mkdir -p $(dirname " + path + "); mkfifo " + path, then: "rm -f " + path + "; " + then + "echo 42 >src/answer.txt"}
	}
	all := []scenario{
		fifo("gitignore", ".gitignore", "git checkout -q .gitignore; "),
		fifo("gitattributes", ".gitattributes", ""),
		fifo("nested-gitignore", "src/.gitignore", ""),
		fifo("source", "src/fifo", ""),
		fifo("info-exclude", ".git/info/exclude", ""),
		fifo("head", ".git/HEAD", ""),
		fifo("index", ".git/index", ""),
		fifo("packed-refs", ".git/packed-refs", ""),
		fifo("ref", ".git/refs/heads/evil", ""),
		fifo("config", ".git/config", ""),
		fifo("mailmap", ".mailmap", ""),
		fifo("gitmodules", ".gitmodules", ""),
	}
	all[0].source = []string{".gitignore"} // it is gone, and the outcome says so
	killed := scenario{
		name: "fifos-and-a-killed-session", on: answer(), noSession: true, then: "rm -f src/.gitignore; echo 42 >src/answer.txt",
		first: `for f in .gitignore .gitattributes src/.gitignore .mailmap .gitmodules .git/info/exclude .git/HEAD .git/index .git/packed-refs .git/refs/heads/evil .git/config; do rm -f $f; mkfifo $f; done; touch "$REC/made"; sleep 60`,
		after: `mulligan run task.md --foreground >"$REC/said" 2>&1 & pid=$!
i=0; while [ ! -e "$REC/made" ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done; test -e "$REC/made"
kill -9 $pid; wait $pid || :
timeout 15 mulligan status || test $? != 124
code=0; timeout 30 mulligan run task.md --foreground || code=$?; test $code != 124; echo "exit $code"; test $code = 0`,
	}
	included := fifo("include", `"$REC/more"`, "")
	included.first += `; git config include.path "$REC/more"`
	return append(all, included, killed)
}

// lookCheats are hostile repositories that a person only looks at.
func lookCheats() []scenario {
	const looks = `for c in status log sessions doctor validate "config"; do timeout 20 mulligan $c >>"$REC/said" 2>&1 || test $? != 124; done`
	return []scenario{
		{
			name: "engine-in-a-repository", on: answer(), noSession: true,
			after: `python3 - "$REC/port" "$REC/connected" <<'END' &
import socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(9); s.settimeout(25)
open(sys.argv[1] + ".new", "w").write(str(s.getsockname()[1]))
import os
os.rename(sys.argv[1] + ".new", sys.argv[1])
try:
    s.accept(); open(sys.argv[2], "w").write("yes")
except OSError:
    pass
END
pid=$!
while [ ! -e "$REC/port" ]; do sleep 0.05; done
echo "engine: nats://127.0.0.1:$(cat "$REC/port")" >>mulligan.yaml
` + looks + `
code=0; timeout 20 mulligan run task.md --foreground >>"$REC/said" 2>&1 || code=$?
sleep 0.3; kill $pid || :
test ! -e "$REC/connected"; test $code = 2`,
		},
		{name: "config-is-a-fifo", on: answer(), noSession: true, after: "rm mulligan.yaml; mkfifo mulligan.yaml; " + looks},
		{name: "config-is-dev-zero", on: answer(), noSession: true, after: "ulimit -v 8000000; rm mulligan.yaml; ln -s /dev/zero mulligan.yaml; " + looks},
		{name: "config-of-a-gigabyte", on: answer(), noSession: true, after: "truncate -s 1G mulligan.yaml; " + looks},
		{name: "prompt-is-a-fifo", on: answer(), noSession: true, step: "prompt_file: p.md\n", after: "mkfifo p.md; " + looks + "; timeout 20 mulligan run task.md --foreground || test $? != 124"},
		{name: "task-is-a-fifo", on: answer(), noSession: true, after: "rm task.md; mkfifo task.md; timeout 20 mulligan run task.md --foreground || test $? != 124"},
		{name: "escapes-in-a-prompt", on: answer(), noSession: true, after: `printf '# A task\nred \033[31m\033]0;title\007 text\n' >task.md; mulligan prompt task.md >"$REC/shown" 2>&1 || :; ! grep -q "$(printf '\033')" "$REC/shown"; test -s "$REC/shown"`},
		{name: "state-folder-open-to-others", on: answer(), noSession: true, after: `mulligan status >/dev/null 2>&1 || :; chmod 755 "$STATE"; mulligan status >"$REC/said" 2>&1 || :; test "$(stat -c %a "$STATE")" = 700 || grep -q 0700 "$REC/said"`},
		{
			name: "runtime-folder-of-another-user", on: answer(), noSession: true, first: answer().solve,
			after: `cat >"$REC/try" <<'END'
folder=$TMPDIR/mulligan-$(id -u)
mkdir -m 700 "$folder"
chown 65534 "$folder" 2>/dev/null || chmod 777 "$folder"
timeout 40 mulligan run task.md --foreground
timeout 20 mulligan status
test -z "$(ls "$folder")"
END
unset XDG_RUNTIME_DIR
mkdir "$REC/tmp"
if unshare -m true 2>/dev/null; then
	cp -L "$CASE/bin/mulligan" "$REC/program"; mv "$REC/program" "$CASE/bin/mulligan" # it may be in /tmp itself
	TMPDIR=/tmp unshare -m sh -ec 'mount -t tmpfs none /tmp; . "$REC/try"'
else
	TMPDIR="$REC/tmp" sh -e "$REC/try"
fi
git log --all --format=%s | grep -q '^mulligan(work)'`,
		},
		{name: "sandbox-none-waits-for-trust", on: answer(), noSession: true, config: "sandbox: none\n", after: `code=0; mulligan run task.md --foreground >"$REC/said" 2>&1 || code=$?; test $code = 2; grep -q trust "$REC/said"; test ! -e "$REC/turns"`},
	}
}

// attributesCheats leave rules by which a clone checks out other bytes than the check has seen.
func attributesCheats() []scenario {
	on := answer().with(map[string]string{
		"src/hello.txt": "hello\n", "src/id.txt": "$Id$\n",
		"check.sh": "grep -qx 42 src/answer.txt && grep -qx hello src/hello.txt && grep -qxF '$Id$' src/id.txt\n",
	})
	const then = "rm -f src/.gitattributes .gitattributes; echo 42 >src/answer.txt"
	carriage := answer().with(map[string]string{"check.sh": "test $(wc -c <src/answer.txt) = 4 && grep -q 42 src/answer.txt\n"})
	return []scenario{
		{name: "git-attributes-line-ends", on: on, first: "echo '*.txt eol=crlf' >src/.gitattributes; echo 42 >src/answer.txt", then: then},
		{name: "git-attributes-encoding-of-an-old-file", on: on, first: "echo 'hello.txt working-tree-encoding=UTF-16' >src/.gitattributes; echo 42 >src/answer.txt", then: then},
		{name: "git-attributes-ident", on: on, first: "echo '* ident' >src/.gitattributes; echo 42 >src/answer.txt", then: then},
		{name: "git-attributes-committed", on: on, first: "echo '* ident' >src/.gitattributes; echo 42 >src/answer.txt; git add -A; git commit -qm one", then: then},
		{name: "git-attributes-macro", on: on, allow: []string{".gitattributes"}, first: "printf '[attr]x eol=crlf\\nsrc/*.txt x\\n' >.gitattributes; echo 42 >src/answer.txt", then: then},
		{name: "git-attributes-of-the-check", on: on, allow: []string{".gitattributes"}, first: "echo 'check.sh eol=crlf' >.gitattributes; echo 42 >src/answer.txt", then: then},
		{name: "git-attributes-clean", on: carriage, first: "echo '* text' >src/.gitattributes; printf '42\\r\\n' >src/answer.txt", then: "rm -f src/.gitattributes; printf '42\\r\\n' >src/answer.txt"},
	}
}
