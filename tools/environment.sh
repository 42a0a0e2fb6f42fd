# Sourced where tests are run: how go compiles for them, and where they write.

# What go compiles does not depend on where the clone is, so that another one finds it in go's cache, and what it links holds
# nothing for debuggers. There is no C in it, which the race detector alone needs. A program with that detector sleeps a
# second at its exit unless told not to.
GOFLAGS="-trimpath -ldflags=-w $(go env GOFLAGS)"
export GOFLAGS CGO_ENABLED=0 GORACE=atexit_sleep_ms=0

# describe_machine prints what tests find on the machine.
describe_machine() {
	id -u
	uname -srm
	for program in git python3 node npm make $(system_packages | cut -d' ' -f2); do
		ls -lL "$(command -v "$program" || echo "$program")" 2>&1
	done
	cat test/*/node_modules/.stamp 2>&1
}

# system_packages prints the Debian packages that tests need, each with its program: filters, confinement, a terminal, test
# runners, build tools, a browser.
system_packages() {
	cat <<-END
		git-lfs git-lfs
		bubblewrap bwrap
		tmux tmux
		curl curl
		gcc cc
		libc6-dev /usr/include/stdio.h
		python3-pytest /usr/bin/pytest
		cmake cmake
		rake rake
		phpunit phpunit
		cargo cargo
	END
	[ -n "${QUICK:-}" ] || echo chromium /usr/bin/chromium
}

# has_memory reports whether files of tests fit into memory: they take up to 1 GB at a time, and the tests themselves and what
# they build some more.
has_memory() {
	local free limit
	free=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
	[ "${free:-0}" -gt 8000000 ] || return 1
	limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null) # of a container
	case $limit in '' | max) ;; *) [ "$limit" -gt 12000000000 ] ;; esac
}

# choose_temp sets TMPDIR to a folder, in memory where this process has mounts of its own: tests make some hundred thousand
# files. Its name is a hash of the machine: go, which remembers the result of a test for the variables that it has read, runs
# the tests again where a program that they drive has changed. It is short, because sockets are made below it.
choose_temp() {
	local parent=${TMPDIR:-/tmp}
	find "$parent" -maxdepth 1 -name 'm-????????' -user "$(id -u)" -mmin +1440 -exec rm -rf {} + 2>/dev/null
	TMPDIR=$parent/m-$(describe_machine | git hash-object --stdin | cut -c1-8)
	mkdir -p "$TMPDIR" && [ -O "$TMPDIR" ] || { echo "$TMPDIR cannot be used"; return 1; }
	find "$TMPDIR" -mindepth 1 -maxdepth 1 -mmin +240 -exec rm -rf {} + # of a run that was killed
	export TMPDIR
	if [ -n "${MULLIGAN_TEST_MOUNTS:-}" ] && has_memory && mount -t tmpfs -o mode=0755,size=50% none "$TMPDIR" 2>/dev/null; then
		echo "what tests write is in memory"
	else
		echo "what tests write is in $TMPDIR"
	fi
}
