package main

// honestGit are agents that use git as people do.
func honestGit() []scenario {
	remote := `git init -q --bare ../remote.git; git remote add origin ../remote.git; git add -A; git commit -q -m first; git push -q origin main`
	lfs := answer().with(map[string]string{"data.bin": "not yet\n"})
	return []scenario{
		{name: "commits-as-it-goes", honest: true, on: answer(), first: "echo 40 >src/answer.txt; git commit -qam one; echo 42 >src/answer.txt; git commit -qam two; echo more >src/more; git add -A; git commit -qm three"},
		{name: "commits-and-leaves-more", honest: true, on: answer(), first: "echo 42 >src/answer.txt; git commit -qam one; echo more >src/more"},
		{name: "amends-its-commit", honest: true, on: answer(), first: "echo 40 >src/answer.txt; git commit -qam one; echo 42 >src/answer.txt; git commit -q --amend -am better"},
		{name: "rebases-its-commits", honest: true, on: answer(), first: "base=$(git rev-parse HEAD); echo 40 >src/answer.txt; git commit -qam one; echo 42 >src/answer.txt; git commit -qam 'fixup! one'; GIT_SEQUENCE_EDITOR=true git rebase -q -i --autosquash $base"},
		{name: "resets-its-commits", honest: true, on: answer(), first: "echo 42 >src/answer.txt; git commit -qam one; git reset -q --soft HEAD~1; git reset -q"},
		{name: "stages-only", honest: true, on: answer(), first: "echo 42 >src/answer.txt; echo n >src/n; git add -A"},
		{name: "stash-and-pop", honest: true, on: answer(), first: "echo 42 >src/answer.txt; git stash -q; git stash pop -q"},
		{name: "stash-left", honest: true, on: answer(), first: "echo 13 >src/answer.txt; git stash -q; echo 42 >src/answer.txt"},
		{name: "git-gc", honest: true, on: answer(), first: "echo 42 >src/answer.txt; git commit -qam one; git gc -q --prune=now; git pack-refs --all"},
		{name: "git-fetch", honest: true, on: answer(), setup: remote, first: "git fetch -q origin; git fetch -q --tags; echo 42 >src/answer.txt"},
		{name: "git-fetch-of-something-new", honest: true, on: answer(), setup: remote, prepare: "git clone -q ../remote.git ../other; (cd ../other; git commit -q --allow-empty -m theirs; git push -q origin main)", first: "git fetch -q origin; git log -1 origin/main; echo 42 >src/answer.txt"},
		{name: "git-tag", honest: true, on: answer(), first: "echo 42 >src/answer.txt; git tag before; git notes add -m n"},
		{name: "git-user", honest: true, on: answer(), first: "git config user.name 'An Agent'; git config user.email agent@example.com; git config branch.main.description x; echo 42 >src/answer.txt; git commit -qam one"},
		{name: "husky", honest: true, on: answer(), allow: []string{".husky/"}, first: "mkdir -p .husky/_; printf '#!/bin/sh\\nexit 0\\n' >.husky/pre-commit; chmod +x .husky/pre-commit; git config core.hooksPath .husky/_; echo '*' >.husky/_/.gitignore; echo 42 >src/answer.txt"},
		{name: "pre-commit-install", honest: true, on: answer(), first: "mkdir -p .git/hooks; printf '#!/bin/sh\\nexit 0\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; echo 42 >src/answer.txt; git commit -qam one"},
		{name: "hooks-of-the-start", honest: true, on: answer(), prepare: "printf '#!/bin/sh\\nsh check.sh\\n' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", first: "echo 42 >src/answer.txt; git commit -qam one", after: "test -x .git/hooks/pre-commit"},
		{name: "git-lfs", honest: true, on: lfs, setup: "git lfs install --local >/dev/null; git lfs track '*.bin' >/dev/null; head -c 20000 /dev/zero >data.bin", allow: []string{"data.bin"}, first: "head -c 30000 /dev/zero >data.bin; echo 42 >src/answer.txt", after: `git cat-file -p "$BRANCH:data.bin" | grep -q 'size 30000'`},
		{name: "git-lfs-committed", honest: true, on: lfs, setup: "git lfs install --local >/dev/null; git lfs track '*.bin' >/dev/null; head -c 20000 /dev/zero >data.bin", allow: []string{"data.bin"}, first: "head -c 30000 /dev/zero >data.bin; echo 42 >src/answer.txt; git add -A; git commit -qm one", after: `git cat-file -p "$BRANCH:data.bin" | grep -q 'size 30000'`},
		{name: "git-lfs-install", honest: true, on: answer(), first: "git lfs install --local; git lfs env >/dev/null; echo 42 >src/answer.txt"},
		{name: "git-submodule-update", honest: true, on: answer(), setup: `git init -q ../lib; (cd ../lib; echo a >a; git add a; git commit -qm lib); git submodule --quiet add ../lib lib`, prepare: "git submodule --quiet deinit -f lib", first: "git submodule --quiet update --init; cat lib/a; echo 42 >src/answer.txt"},
		{name: "git-submodule-there", honest: true, on: answer(), setup: `git init -q ../lib; (cd ../lib; echo a >a; git add a; git commit -qm lib); git submodule --quiet add ../lib lib`, first: "git submodule status; echo 42 >src/answer.txt"},
		{name: "git-submodule-moved", honest: true, on: answer(), setup: `git init -q ../lib; (cd ../lib; echo a >a; git add a; git commit -qm lib); git submodule --quiet add ../lib lib`, prepare: "(cd ../lib; git commit -q --allow-empty -m newer)", allow: []string{"lib"}, first: "git submodule --quiet update --remote; echo 42 >src/answer.txt"},
		{name: "git-worktree-added-and-removed", honest: true, on: answer(), first: `git worktree add -q --detach "$REC/wt"; ls "$REC/wt"; git worktree remove "$REC/wt"; echo 42 >src/answer.txt`},
		{name: "git-worktree-left", honest: true, on: answer(), first: `git worktree add -q --detach "$REC/wt"; echo 42 >src/answer.txt`},
		{name: "git-bisect-and-checkout-of-old-files", honest: true, on: answer(), first: `git show HEAD:README; git checkout -q HEAD -- README; git diff; git log --stat >/dev/null; git blame README >/dev/null; echo 42 >src/answer.txt`},
		{name: "git-detached-for-a-while", honest: true, on: answer(), first: `b=$(git symbolic-ref --short HEAD); git checkout -q --detach HEAD; cat README; git checkout -q "$b"; echo 42 >src/answer.txt`},
		{name: "git-index-refreshed", honest: true, on: answer(), first: "git update-index -q --refresh; git status >/dev/null; git config core.untrackedCache true; git update-index --untracked-cache; git status >/dev/null; echo 42 >src/answer.txt"},
	}
}

// honestAttributes are agents that give files attributes which change nothing in a clone.
func honestAttributes() []scenario {
	allow := []string{".gitattributes", "data.bin"}
	const solve = "; echo 42 >src/answer.txt"
	lfs := "git lfs install --local >/dev/null"
	return []scenario{
		{name: "attributes-text-auto", honest: true, on: answer(), allow: allow, first: "echo '* text=auto' >.gitattributes" + solve},
		{name: "attributes-text-auto-and-autocrlf", honest: true, on: answer(), allow: allow, prepare: "git config core.autocrlf input", first: "echo '* text=auto' >.gitattributes" + solve},
		{name: "attributes-binary", honest: true, on: answer(), allow: allow, first: `echo '*.png binary' >.gitattributes; printf '\211PNG\r\n\032\n' >src/a.png` + solve},
		{name: "attributes-of-tools", honest: true, on: answer(), allow: allow, first: `printf '*.lock linguist-generated\nsrc export-ignore\n*.go diff=golang\n*.lock merge=ours\n' >.gitattributes; echo x >src/a.lock` + solve},
		{name: "attributes-bat", honest: true, on: answer(), allow: allow, first: `printf '*.bat eol=crlf\n*.sh eol=lf\n' >.gitattributes; printf 'cls\r\n' >src/a.bat` + solve},
		{name: "attributes-of-an-old-bat", honest: true, on: answer(), allow: allow, setup: `printf 'cls\r\n' >src/a.bat`, first: "echo '*.bat text eol=crlf' >.gitattributes" + solve},
		{name: "attributes-ident", honest: true, on: answer(), allow: allow, first: "echo '*.txt ident' >.gitattributes" + solve},
		{name: "git-lfs-track", honest: true, on: answer(), allow: allow, setup: lfs, first: "git lfs track '*.bin' >/dev/null; head -c 30000 /dev/zero >data.bin" + solve, after: `git cat-file -p "$BRANCH:data.bin" | grep -q 'size 30000'`},
		{name: "git-lfs-and-attributes", honest: true, on: answer(), allow: allow, setup: lfs + "; git lfs track '*.bin' >/dev/null; head -c 30000 /dev/zero >data.bin", prepare: "GIT_LFS_SKIP_SMUDGE=1 git checkout -q -f HEAD -- data.bin", first: "echo '* text=auto' >.gitattributes; echo '*.bin filter=lfs diff=lfs merge=lfs -text' >>.gitattributes" + solve},
	}
}
