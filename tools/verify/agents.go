package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// installAgents installs the real agent programs that tests run.
func installAgents(ctx context.Context, r *run) error {
	return installPins(ctx, r, "agents", "the agents")
}

// installManagers installs the package managers that tests make projects with.
func installManagers(ctx context.Context, r *run) error {
	return installPins(ctx, r, "projects", "the package managers")
}

// installExaminer installs what tests run inside a browser.
func installExaminer(ctx context.Context, r *run) error {
	return installPins(ctx, r, "browser", "what the page is examined with")
}

// installPins installs what a folder of test pins. The agents are about 1 GB, so they are kept until the pinned versions
// change, in the clone and for other clones of the machine. Without them the tests are skipped, and the summary lists them.
func installPins(ctx context.Context, r *run, folder, what string) error {
	dir := filepath.Join(r.root, "test", folder)
	want, err := hashPins(dir)
	if err != nil {
		return err
	}
	modules := filepath.Join(dir, "node_modules")
	stamp := filepath.Join(modules, ".stamp")
	have, err := os.ReadFile(stamp)
	if err == nil && string(have) == want {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(modules); err != nil {
		return err
	}
	kept := keptInstall(folder, strings.TrimSpace(want))
	if linkTree(kept, modules) == nil {
		return os.WriteFile(stamp, []byte(want), 0o644)
	}
	if err := os.RemoveAll(modules); err != nil { // or tests would run what was linked before that failed
		return err
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return r.notRun("installing "+what, "it needs npm")
	}
	cmd := r.newCommand(ctx, nil, npm, "ci")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return r.notRun("installing "+what, fmt.Sprintf("npm ci in test/%s: %v: %s", folder, err, npmErrors(string(out))))
	}
	if err := keepInstall(modules, kept); err != nil {
		fmt.Fprintf(r.out, "%s are not kept for other clones: %v\n", what, err)
	}
	return os.WriteFile(stamp, []byte(want), 0o644)
}

// hashPins returns a hash of what is to be installed. It is stored only after a complete install,
// so that an install that broke off begins anew.
func hashPins(dir string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.GOOS, runtime.GOARCH)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
	}
	return fmt.Sprintf("%x\n", sum.Sum(nil)), nil
}

// npmErrors returns the first errors that npm printed. Its last lines only name a log.
func npmErrors(out string) string {
	var said []string
	for line := range strings.Lines(out) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "npm error "); ok && len(said) < 3 {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return lastLine(out)
	}
	return strings.Join(said, "; ")
}
