#!/usr/bin/env bash
# Runs what a change has to pass: every step, or those that are named. Its end is what failed, what could not run on this
# machine, and the line "N passed, N failed". With CI=true nothing may be left out.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ "$(id -u)" = 0 ] && [ -z "${DISK:-}${MULLIGAN_TEST_MOUNTS:-}" ] && unshare --mount true 2>/dev/null; then
	MULLIGAN_TEST_MOUNTS=private exec unshare --mount tools/test.sh "$@" # so that choose_temp may mount
fi
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
results=$(mktemp -d) && mkdir -p .tools || exit 2
trap 'rm -rf "$results"' EXIT
touch "$results"/{failed,flaky,left-out,passed}
. tools/environment.sh
. tools/install.sh

not_run() { echo "$*" >>"$results/left-out"; }

# tool NAME PACKAGE builds a pinned tool. It does not hold the commit, or go vet would take one of ours for another tool after
# each commit.
tool() {
	local out
	out=$(go -C tools build -buildvcs=false -o "../.tools/bin/$1" "$2" 2>&1) && return
	not_run "$1: it could not be built: $(tail -n 1 <<<"$out")"
	return 1
}

# says_nothing runs a command that fails where it prints something.
says_nothing() {
	local out
	out=$("$@" 2>&1) && [ -z "$out" ] || { echo "$*: $out"; return 1; }
}

gofumpt() { tool gofumpt mvdan.cc/gofumpt || return 0; says_nothing .tools/bin/gofumpt -l .; }

# tidy also reads the tests of dependencies, whose modules may be neither in the cache nor on the network.
tidy() {
	local module diff code=0
	for module in . tools; do
		diff=$(go -C $module mod tidy -diff 2>.tools/tidy) && continue
		if [ -n "$diff" ]; then
			echo "not tidy (run go -C $module mod tidy):"$'\n'"$diff"
			code=1
		else
			not_run "go -C $module mod tidy -diff: $(tail -n 1 .tools/tidy)"
		fi
	done
	return $code
}

vet() { go vet ./... && go -C tools vet ./...; }

staticcheck() { tool staticcheck honnef.co/go/tools/cmd/staticcheck || return 0; GOGC=300 .tools/bin/staticcheck ./...; }

exhaustive() { tool switches ./switches || return 0; go vet -vettool="$PWD/.tools/bin/switches" ./...; }

# deadcode looks at the files for Linux, wherever it runs; a function that only another system needs is in a file for it. It
# does not examine the same sources twice.
deadcode() {
	tool deadcode golang.org/x/tools/cmd/deadcode || return 0
	local sources module
	sources=$( (go version; git ls-files -co --exclude-standard -- '*.go' '*go.mod' '*go.sum' | xargs tail -n +1) 2>&1 | git hash-object --stdin)
	[ "$(cat .tools/deadcode 2>/dev/null)" != "$sources" ] || return 0
	for module in . tools; do
		(cd $module && says_nothing env GOOS=linux GOGC=300 "$OLDPWD/.tools/bin/deadcode" -test ./...) || return 1
	done
	echo "$sources" >.tools/deadcode
}

# builds compiles the program for the other systems, on which nobody runs the result.
builds() {
	local system
	for system in darwin windows; do
		GOOS=$system go build -gcflags='all=-N -l -dwarf=false' -ldflags='-s -w' -o /dev/null ./cmd/... || return
	done
}

# audit looks for known vulnerabilities. govulncheck ends with 3 only if it found one; otherwise its database is out of reach.
audit() {
	tool govulncheck golang.org/x/vuln/cmd/govulncheck || return 0
	.tools/bin/govulncheck ./...
	case $? in 0) ;; 3) return 1 ;; *) not_run "govulncheck: see above" ;; esac
}

# concurrent_packages prints the packages in which something happens at the same time: in the others the race detector has
# nothing to find, and their tests take up to seven times as long with it. The program's own scripts run with it in make race.
concurrent_packages() {
	git ls-files -co --exclude-standard -- '*.go' | grep -vE '^(cmd|test|tools|internal/layout)/' |
		xargs grep -lE '\<go (func|[[:alnum:]_.]+)\(|\.(Go|AfterFunc|Parallel|Serve|ListenAndServe)\(|^(import|[[:space:]])[[:space:]]*"(net|net/http/httptest|os/exec|sync/atomic|mulligan/internal/process|mulligan/.*(agent|journal|process)test)"|\<sync\.[MRWCP]' |
		xargs -n 1 dirname | sort -u | sed 's,^,./,'
}

# tests runs the tests. Most of what those of the program do is to start it, which takes many times as long with the race
# detector, so that they run without it. Tests that compute much are in files that are not built with it, and run without it
# alone. Go runs again only what has changed, but in CI.
tests() {
	choose_temp && tool runtests ./runtests || return 1
	local all raced sequential heavy heavy_packages race=-race
	all=$(git ls-files -co --exclude-standard -- '*_test.go' | grep -v '^tools/' | grep -vE '(^|/)testdata/' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
	raced=$(comm -12 <(concurrent_packages) <(echo "$all"))
	sequential=$(comm -23 <(echo "$all") <(concurrent_packages))
	heavy=$(git ls-files -co --exclude-standard -- '*_test.go' | xargs grep -l '^//go:build !race$')
	heavy_packages=$(comm -12 <(xargs -n 1 dirname <<<"$heavy" | sort -u | sed 's,^,./,') <(echo "$raced"))
	heavy=$(xargs grep -ohE '^func Test\w+' <<<"$heavy" | cut -d' ' -f2 | paste -sd'|' -)
	if ! command -v "$(go env CC)" >/dev/null; then
		not_run "the race detector: it needs a C compiler"
		race=
	fi
	local go_test=(go test -json -vet=off -timeout=60m -p=2)
	[ "${CI:-}" != true ] || go_test+=(-count=1)
	# What takes longest comes first.
	.tools/bin/runtests "$results" \
		-- "${go_test[@]}" ./cmd/mulligan $sequential \
		-- "${go_test[@]}" $race ./journal/jetstream $raced \
		-- "${go_test[@]}" -run="^($heavy)\$" $heavy_packages \
		-- go -C tools test -json ./...
	local code=$?
	[ $code -le 1 ] && return 0 # the failures are in the results
	return $code
}

# run STEP ... runs steps one after the other, with a line about each.
run() {
	local name began out state
	for name; do
		began=$SECONDS state=ok
		"$name" || { state=failed && echo "$name" >>"$results/failed"; }
		printf '%-12s %-7s %4d s\n' "$name" $state $((SECONDS - began))
	done
}

summarize() {
	local passed failed
	echo
	sed 's/^/failed: /' "$results/failed"
	sed 's/^/flaky: /; s/$/ failed (above), and passed when it ran again by itself/' "$results/flaky"
	if [ -s "$results/left-out" ]; then
		echo "not run on this machine:"
		sed 's/^/  /' "$results/left-out"
		[ "${CI:-}" != true ] || echo "failed: everything has to run here (CI=true)"
	fi
	echo "the product has $(git ls-files '*.go' | grep -vE '_test\.go$|^(test|tools)/|test/[^/]*$' | xargs cat | wc -l) lines of Go"
	passed=$(awk '{n += $1} END {print n + 0}' "$results/passed")
	failed=$(wc -l <"$results/failed")
	echo "$passed passed, $((failed)) failed"
	[ "$failed" = 0 ] || return 1
	[ "${CI:-}" != true ] || [ ! -s "$results/left-out" ]
}

[ -z "${QUICK:-}" ] || export MULLIGAN_TEST_QUICK=1
if [ $# -gt 0 ]; then
	run "$@"
	summarize
	exit
fi
announce
install_all &
run gofumpt tidy vet
wait # for the installation
# Tests wait a good part of their time; what only computes is done meanwhile.
(renice -n 19 $BASHPID >/dev/null; run staticcheck exhaustive deadcode builds) &
run tests
wait
summarize
