#!/usr/bin/env bash
# Runs every fuzz target for FUZZTIME, so many at once as there are processors divided by two.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/environment.sh
choose_temp || exit 2

# fuzz_one runs a target, a line "file:func FuzzName". Go sometimes takes the end of its time for a failure
# (go.dev/issue/75804): a real one has an input, a panic or another message.
fuzz_one() {
	local name=${1#*:func } dir out
	dir=$(dirname "${1%%:*}")
	if out=$(go test -vet=off -run='^$' -fuzz="^$name\$" -fuzztime="${FUZZTIME:-60s}" -parallel=2 "./$dir" 2>&1) ||
		{ grep -q '^ *context deadline exceeded$' <<<"$out" && ! grep -qE 'Failing input written to|panic' <<<"$out"; }; then
		echo "ok      $dir $name"
	else
		echo "$out"
		echo "failed  $dir $name"
		return 1
	fi
}
export -f fuzz_one

git grep -oE --untracked '^func Fuzz[[:alnum:]_]+' -- '*_test.go' |
	xargs -P $((($(getconf _NPROCESSORS_ONLN) + 1) / 2)) -I{} bash -c 'fuzz_one "$1"' _ {}
