# Sourced by tools/test.sh: installs what tests drive. What cannot be installed is listed as left out.

# announce says what is going to be downloaded.
announce() {
	local what=()
	[ -n "$(missing_packages)" ] && [ "$(id -u)" = 0 ] && what+=("Debian packages: $(missing_packages | xargs)")
	if [ -z "${QUICK:-}" ]; then
		is_installed agents || what+=("the agents' own programs, about 1 GB, into test/agents")
		is_installed projects || what+=("package managers, 250 MB, into test/projects")
		is_installed browser || what+=("axe-core, 3 MB, into test/browser")
	fi
	[ -d .tools/bin ] || what+=("the tools of tools/go.mod, and Go modules that go has not cached")
	[ ${#what[@]} = 0 ] && return
	echo "This run first downloads, unless this user's caches have it:"
	printf '  %s\n' "${what[@]}"
	echo "That takes some minutes, and the tests about a quarter of an hour on two processors; later runs repeat only what has changed."
	[ -n "${QUICK:-}" ] || echo "make test QUICK=1 leaves out the real agents, the package managers and the browser."
}

missing_packages() {
	system_packages | while read -r package program; do
		command -v "$program" >/dev/null || [ -e "$program" ] || echo "$package"
	done
}

# install_packages installs the system's packages, as root alone.
install_packages() {
	local missing
	missing=$(missing_packages | xargs)
	[ -n "$missing" ] || return 0
	if ! command -v apt-get >/dev/null; then
		not_run "installing $missing: it needs apt-get; install them with the system's own tool"
	elif [ "$(id -u)" != 0 ]; then
		not_run "installing $missing: it needs root: sudo apt-get install $missing"
	else
		local install="apt-get install -y --no-install-recommends $missing" out
		export DEBIAN_FRONTEND=noninteractive
		$install >/dev/null 2>&1 && return # the lists of packages were new enough
		out=$(apt-get update 2>&1 && $install 2>&1) || not_run "installing $missing: apt-get: $(tail -n 1 <<<"$out")"
	fi
}

# hash_pins prints a hash of what a folder of test pins.
hash_pins() { (go env GOOS GOARCH && cd "test/$1" && tail -n +1 package.json package-lock.json .npmrc 2>&1) | git hash-object --stdin; }

is_installed() { [ "$(cat "test/$1/node_modules/.stamp" 2>/dev/null)" = "$(hash_pins "$1")" ]; }

# install_pins installs what a folder of test pins, and keeps it, as hard links, for other clones of this user.
install_pins() {
	is_installed "$1" && return
	local modules=test/$1/node_modules hash kept out
	hash=$(hash_pins "$1")
	kept=${XDG_CACHE_HOME:-$HOME/.cache}/mulligan-test/$1
	rm -rf "$modules"
	if ! cp -al "$kept/$hash" "$modules" 2>/dev/null; then
		rm -rf "$modules"
		if ! command -v npm >/dev/null; then
			not_run "installing test/$1: it needs npm"
			return
		fi
		if ! out=$(cd "test/$1" && npm ci 2>&1); then
			not_run "installing test/$1: npm ci: $(grep -m 3 '^npm error' <<<"$out" | xargs -d '\n')"
			return
		fi
		rm -rf "$kept" && mkdir -p "$kept" && cp -al "$modules" "$kept/partial" && mv "$kept/partial" "$kept/$hash" ||
			rm -rf "$kept"
	fi
	echo "$hash" >"$modules/.stamp"
}

install_all() {
	install_packages
	if [ -n "${QUICK:-}" ]; then
		not_run "the real agents, the package managers and the browser: QUICK=1"
		return
	fi
	for folder in agents projects browser; do install_pins "$folder"; done
}
