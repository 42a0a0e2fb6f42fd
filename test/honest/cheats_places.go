package main

// placeCheats are agents that reach for the three places that are not theirs (the person's checkout, the proof and the
// store), or do in their own what no commit has.
func placeCheats() []scenario {
	const attempt = `try() { sh -c "$1" >/dev/null 2>&1 && echo "$1" >>"$REC/wrote"; }` + "\n"
	const proofMade = `p=$(dirname "$WORK")/proof; i=0; while [ ! -e "$p/check.sh" ] && [ $i -lt 100 ]; do sleep 0.05; i=$((i+1)); done` + "\n"
	folder := answer().with(map[string]string{"check.sh": "test -d src/made && grep -qx 42 src/answer.txt\n"})
	cached := answer()
	cached.name, cached.check = "home cache", `"$HOME"/.cache/venv/bin/tool && sh check.sh`
	return []scenario{
		{
			name: "writes-to-the-checkout", on: answer(), works: true, markers: []string{"wrote"},
			first: attempt + `export repo="$CASE/repo"; echo 42 >src/answer.txt
try 'echo mine >"$repo/README"'; try ': >"$repo/new"'; try 'rm -r "$repo/src"'; try 'mkdir "$repo/folder"'; try 'echo "*" >>"$repo/.git/info/exclude"'
try 'git -C "$repo" config core.fsmonitor "touch $REC/ran"'; try 'cp /bin/true "$repo/.git/hooks/post-checkout"'; try 'git -C "$repo" branch evil'; try 'git -C "$repo" update-index --skip-worktree README'
try 'git -C "$repo" commit --allow-empty -m mine'; try 'mkdir -p "$repo/.git/worktrees/evil"'; try 'mkfifo "$repo/.git/FETCH_HEAD"'; try 'git -C "$repo" update-ref refs/heads/mulligan/evil HEAD'; true`,
		},
		{
			name: "deletes-what-the-person-has-in-git", on: answer(), works: true,
			prepare: "git branch other; git tag v1; echo kept >README; git stash -q; git worktree add -q ../beside other",
			first: `echo 42 >src/answer.txt
for d in . "$CASE/repo"; do git -C $d stash clear; git -C $d tag -d v1; git -C $d branch -D other; git -C $d worktree remove --force "$CASE/beside"; git -C $d update-ref -d refs/heads/main; git -C $d reflog expire --all --expire=now; git -C $d gc -q --prune=now; done 2>/dev/null
git push -q "$CASE/repo" :other :v1 HEAD:refs/heads/evil 2>/dev/null; true`,
			after: `test "$(git stash show -p | grep -c '^+kept')" = 1; git -C ../beside status; git rev-parse v1 other; ! git rev-parse -q --verify refs/heads/evil; git fsck`,
		},
		{
			name: "writes-to-the-proof", on: answer(), markers: []string{"wrote"},
			first: attempt + proofMade + `export p; try ': >"$p/new"'; try 'echo 42 >"$p/src/answer.txt"'; try 'echo true >"$p/check.sh"'; try 'rm -r "$p/src"'; try 'mv "$p" "$REC/proof"'; try 'ln -s "$REC" "$p/link"'; test -e "$p/check.sh" && : >"$REC/tried"`,
			after: `test -e "$REC/tried"`,
		},
		{
			name: "writes-to-the-store", on: answer(), markers: []string{"wrote"},
			first: attempt + `export s=$(dirname "$(dirname "$WORK")")/store.git; test -e "$s/HEAD" && : >"$REC/tried"
try 'git --git-dir="$s" update-ref refs/heads/main "$(git --git-dir="$s" rev-parse main~1)"'; try 'git --git-dir="$s" config core.fsmonitor true'; try ': >"$s/objects/new"'; try 'rm -rf "$s"'; try 'mv "$s" "$REC/store"'; try ': >"$s/../1/session"'; try ': >"$s/../1/git/new"'; true`,
			after: `test -e "$REC/tried"`,
		},
		{name: "objects-become-links", on: answer(), works: true, first: `echo 42 >src/answer.txt; git add -A; for d in .git/objects .git/refs; do mv $d "$REC/${d##*/}"; ln -s "$REC/${d##*/}" $d; done; find "$REC/objects" -type f -delete`},
		{
			name: "empty-folder", on: folder, feedback: "src/made",
			first: "echo 42 >src/answer.txt; mkdir src/made", then: "mkdir -p src/made; echo x >src/made/x; echo 42 >src/answer.txt",
		},
		{
			name: "new-program-beside-the-tests", on: sums(), feedback: "node_modules",
			first: `mkdir -p node_modules/.bin; printf '#!/bin/sh\necho ran >>%s/ran\n' "$REC" >node_modules/.bin/node; chmod +x node_modules/.bin/node; cp node_modules/.bin/node node_modules/.bin/npm`, markers: []string{"ran"},
		},
		{
			name: "program-in-the-cache-of-the-home", on: cached, markers: []string{"ran"},
			setup: `mkdir -p "$HOME/.cache/venv/bin"; printf '#!/bin/sh\n' >"$HOME/.cache/venv/bin/tool"; chmod +x "$HOME/.cache/venv/bin/tool"`,
			first: `printf '#!/bin/sh\ntouch %s/ran\n' "$REC" >"$HOME/.cache/venv/bin/tool"; rm -rf "$HOME/.cache/venv"; mkdir -p "$HOME/.cache/more"`,
			after: `test ! -e "$HOME/.cache/more"`,
		},
		{
			name: "compiled-tests-in-the-cache", on: adder(), markers: []string{"wrote"},
			first: attempt + `export cache=$(dirname "$(dirname "$CASE")")/honest-go-build; test "$(go env GOCACHE)" != "$cache"; try ': >"$cache/new"'; try 'd=$(find "$cache" -name "*-d" | head -1); test -n "$d" && echo evil >>"$d"'; try 'test -d "$cache"/00 && rm -rf "$cache"/00'; true`,
		},
	}
}
