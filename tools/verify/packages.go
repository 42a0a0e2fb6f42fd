package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// A systemPackage is a Debian package that tests need, and the program that it brings.
type systemPackage struct{ name, program string }

// systemPackages are what tests drive beside git and Go: filters, confinement, a terminal, a browser, test runners and build
// tools.
var systemPackages = []systemPackage{
	{"git-lfs", "git-lfs"},
	{"bubblewrap", "bwrap"},
	{"tmux", "tmux"},
	{"python3-pytest", "/usr/bin/pytest"},
	{"cmake", "cmake"},
	{"rake", "rake"},
	{"phpunit", "phpunit"},
	{"chromium", "/usr/bin/chromium"},
}

// installPackages installs the system's packages that tests need, as root alone. Without them their tests
// are skipped, and the summary lists them.
func installPackages(ctx context.Context, r *run) error {
	missing := findMissing(systemPackages, func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	})
	if len(missing) == 0 {
		return nil
	}
	what := "installing " + strings.Join(missing, " and ")
	apt, err := exec.LookPath("apt-get")
	switch {
	case err != nil:
		return r.notRun(what, "it needs apt-get; install them with the system's own tool")
	case os.Geteuid() != 0:
		return r.notRun(what, "it needs root: sudo apt-get install "+strings.Join(missing, " "))
	}
	env := []string{"DEBIAN_FRONTEND=noninteractive"}
	install := append([]string{apt, "install", "-y", "--no-install-recommends"}, missing...)
	if r.newCommand(ctx, env, install...).Run() == nil {
		return nil // the lists of packages were new enough
	}
	for _, args := range [][]string{{apt, "update"}, install} {
		if out, err := r.newCommand(ctx, env, args...).CombinedOutput(); err != nil {
			return r.notRun(what, fmt.Sprintf("apt-get %s: %v: %s", args[1], err, lastLine(string(out))))
		}
	}
	return nil
}

// findMissing returns the names of the packages whose program is not there.
func findMissing(packages []systemPackage, there func(program string) bool) []string {
	var missing []string
	for _, p := range packages {
		if !there(p.program) {
			missing = append(missing, p.name)
		}
	}
	return missing
}
