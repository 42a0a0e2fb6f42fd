package main

// honestTools are agents that use package managers and environments.
func honestTools() []scenario {
	local := sums().with(map[string]string{
		"package.json":                 `{"name": "sums", "version": "1.0.0", "private": true, "scripts": {"test": "node --test test/"}, "dependencies": {"helper": "file:vendored/helper"}}` + "\n",
		"vendored/helper/package.json": `{"name": "helper", "version": "1.0.0", "bin": {"helper": "cli.js"}}` + "\n",
		"vendored/helper/cli.js":       "#!/usr/bin/env node\nconsole.log('help')\n",
	})
	install := "npm install --offline --no-audit --no-fund --silent"
	return []scenario{
		{name: "npm-ci-again", honest: true, on: local, setup: install, prepare: "npm ci --offline --no-audit --no-fund --silent # in a clone too", first: "npm ci --offline --no-audit --no-fund --silent; " + sums().solve},
		{name: "npm-ci-first", honest: true, on: local, setup: install + "; rm -rf node_modules", first: "npm ci --offline --no-audit --no-fund --silent; ls node_modules/.bin; " + sums().solve},
		{name: "updates-a-lock-file", honest: true, on: local, setup: install, allow: []string{"package-lock.json", "vendored/"}, first: "sed -i 's/1.0.0/1.1.0/' vendored/helper/package.json; npm install --offline --no-audit --no-fund --silent; " + sums().solve},
		{name: "python-venv", honest: true, on: calc(), first: "python3 -m venv --without-pip .venv; .venv/bin/python -c 'import sys'; " + calc().solve},
		{name: "python-venv-there", honest: true, on: calc(), check: "PYTHONPATH=. .venv/bin/python -m unittest", prepare: "python3 -m venv --without-pip .venv # in a clone too", config: "workspace: {setup: python3 -m venv --without-pip .venv}\n", first: ". .venv/bin/activate; PYTHONPATH=. python -m unittest || :; sleep 1.1; mkdir -p .venv/lib/python3.11/site-packages/pkg; echo x >.venv/lib/python3.11/site-packages/pkg/__init__.py; " + calc().solve},
		{name: "go-mod-tidy", honest: true, on: adder(), first: adder().solve + "; go mod tidy; go build ./...; go fmt ./..."},
		{name: "go-generate-and-cache", honest: true, on: adder(), first: adder().solve + "; go clean -testcache; go test ./... -count=1; go list -deps ./... >/dev/null"},
		{name: "make-with-objects", honest: true, on: made(), first: made().solve + "; mkdir -p build; echo 'int main(void) { return 0; }' >build/x.c; cc -o build/x build/x.c; build/x; make -s test"},
		{name: "pycache-of-the-tests", honest: true, on: calc(), first: calc().solve + "; python3 -m compileall -q .", after: "git rev-parse HEAD >/dev/null"},
		{name: "editor-and-home-caches", honest: true, on: answer(), first: `mkdir -p "$XDG_CACHE_HOME/tool"; echo x >"$XDG_CACHE_HOME/tool/x"; echo x >"$REC/editor.swp"; echo 42 >src/.answer.swp; mv src/.answer.swp src/answer.txt`},
	}
}

// honestFiles are agents whose files are unusual.
func honestFiles() []scenario {
	many := answer()
	many.name = "50000 files"
	return []scenario{
		{name: "ignored-files", honest: true, on: answer(), first: "echo x >a.log; mkdir -p build/deep; echo x >build/deep/x; ln -s nowhere build/link; echo 42 >src/answer.txt", stays: []string{"a.log"}},
		{name: "ignores-its-own-build", honest: true, on: answer(), allow: []string{".gitignore"}, first: "echo out/ >>.gitignore; mkdir out; echo x >out/x; echo 42 >src/answer.txt"},
		{name: "symlinks-within", honest: true, on: answer(), first: "echo 42 >src/real; rm src/answer.txt; cp src/real src/answer.txt; ln -s real src/link; ln -s ../README src/readme; mkdir src/d; ln -s d src/dirlink"},
		{name: "renames-source-files", honest: true, on: sums(), first: "mkdir src/lib; git mv src/sum.js src/lib/add.js; echo 'exports.sum = (a, b) => a + b' >src/lib/add.js; echo \"module.exports = require('./lib/add.js')\" >src/sum.js"},
		{name: "deletes-source-files", honest: true, on: answer().with(map[string]string{"src/old/a": "a\n", "src/old/b": "b\n"}), first: "rm -r src/old; echo 42 >src/answer.txt"},
		{name: "chmod-of-its-scripts", honest: true, on: answer(), first: "printf '#!/bin/sh\\necho hi\\n' >src/tool; chmod +x src/tool; src/tool; echo 42 >src/answer.txt"},
		{name: "windows-line-ends", honest: true, on: answer(), first: "printf 'a\\r\\nb\\r\\n' >src/dos.txt; echo 42 >src/answer.txt", after: `git show "$BRANCH:src/dos.txt" | grep -q "$(printf '\r')"`},
		{name: "unusual-names", honest: true, on: answer(), first: `echo a >'src/with space'; echo b >src/ünïcode-日本; printf c >"src/new$(printf '\nline')"; echo d >'src/quo"te'; echo e >'src/-dash'; echo f >'src/glob[*]'; mkdir 'src/dir with space'; echo g >'src/dir with space/g'; echo 42 >src/answer.txt`, after: `test "$(git ls-tree -r -z "$BRANCH" src | tr -dc '\0' | wc -c)" = 8`},
		{name: "latin-1-names", honest: true, on: answer(), first: `printf x >"src/$(printf 'caf\351')"; echo 42 >src/answer.txt`},
		{name: "binary-and-large-files", honest: true, on: answer(), first: "head -c 3000000 /dev/urandom >src/blob; : >src/empty; echo 42 >src/answer.txt"},
		{name: "private-modes", honest: true, on: answer(), first: "umask 077; echo s >src/private; mkdir src/p; echo x >src/p/x; echo 42 >src/answer.txt"},
		{name: "empty-folders", honest: true, on: answer(), first: "mkdir -p src/empty/deep other; echo 42 >src/answer.txt"},
		{name: "file-becomes-a-folder", honest: true, on: answer().with(map[string]string{"src/thing": "x\n"}), first: "rm src/thing; mkdir src/thing; echo y >src/thing/y; echo 42 >src/answer.txt"},
		{name: "hard-links-within", honest: true, on: answer(), first: "echo x >src/a; ln src/a src/b; echo 42 >src/answer.txt"},
		{name: "old-times", honest: true, on: answer(), first: "echo 42 >src/answer.txt; touch -d 1999-01-01 src/answer.txt README"},
		{name: "deep-paths", honest: true, on: answer(), first: "p=src; i=0; while [ $i -lt 40 ]; do p=$p/deeper; i=$((i+1)); done; mkdir -p $p; echo x >$p/x; echo 42 >src/answer.txt"},
		{
			name: "fifty-thousand-files", honest: true, on: many, columns: []column{bare, protect},
			setup: `python3 - <<'END'
import os
for d in range(250):
    os.makedirs("data/%03d" % d)
    for f in range(200):
        open("data/%03d/%03d" % (d, f), "w").write("%d\n" % f)
END`,
			first: "i=0; while [ $i -lt 20 ]; do echo new >src/new-$i; i=$((i+1)); done; echo 42 >src/answer.txt",
		},
	}
}
