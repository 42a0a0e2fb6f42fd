package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// A step is one thing to run. Its error means that it failed; what the machine lacks goes to
// run.notRun, which is no failure.
type step struct {
	name  string
	doc   string
	extra bool // runs only when it is named
	early bool // starts at once, beside the steps before it: it waits more than it works
	tests bool // runs the tests
	spare bool // runs beside the tests
	timed bool // works for a given time; the other spare steps leave the processors to the tests
	do    func(context.Context, *run) error
}

// steps returns the steps in the order of their cost, so that the cheap mistakes show first. Tests wait a good part of their
// time; what only computes is done meanwhile.
func steps() []step {
	return []step{
		{name: "gofumpt", doc: "the files are formatted", do: checkFormat},
		{name: "tidy", doc: "go mod tidy changes nothing", do: checkTidy},
		{name: "vet", doc: "go vet", do: runVet},
		{name: "agents", doc: "the real agent programs, installed for the tests", early: true, do: installAgents},
		{name: "managers", doc: "package managers, installed for the tests", early: true, do: installManagers},
		{name: "examiner", doc: "what the page is examined with, installed for the tests", early: true, do: installExaminer},
		{name: "packages", doc: "the system's packages that tests need", early: true, do: installPackages},
		{name: "test", doc: "the tests; with the race detector where it can find something", tests: true, do: runTests},
		{name: "staticcheck", doc: "staticcheck", spare: true, do: runStaticcheck},
		{name: "exhaustive", doc: "switches name every constant, or have a default", spare: true, do: checkSwitches},
		{name: "deadcode", doc: "no function is unused", spare: true, do: findDeadCode},
		{name: "cross", doc: "builds for darwin and windows, tests included", spare: true, do: crossBuild},
		{name: "fuzz", doc: "every fuzz target, for a moment", spare: true, timed: true, do: runFuzz},
		{name: "audit", doc: "known vulnerabilities (govulncheck)", extra: true, do: runAudit},
	}
}

func checkFormat(ctx context.Context, r *run) error {
	gofumpt, err := r.buildTool(ctx, "gofumpt", "mvdan.cc/gofumpt")
	if err != nil {
		return err
	}
	out, err := r.newCommand(ctx, nil, gofumpt, "-l", ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("gofumpt: %w\n%s", err, out)
	}
	if len(out) > 0 {
		return fmt.Errorf("not formatted (run .tools/bin/gofumpt -w on them):\n%s", strings.TrimRight(string(out), "\n"))
	}
	return nil
}

func runVet(ctx context.Context, r *run) error {
	return errors.Join(
		r.runQuiet(ctx, nil, "go", "vet", "./..."),
		r.runQuiet(ctx, nil, "go", "-C", "tools", "vet", "./..."),
	)
}

func runStaticcheck(ctx context.Context, r *run) error {
	path, err := r.buildTool(ctx, "staticcheck", "honnef.co/go/tools/cmd/staticcheck")
	if err != nil {
		return err
	}
	return r.runQuiet(ctx, []string{rareCollections}, path, "./...")
}

// rareCollections has a program that reads all sources leave garbage: to collect it takes up to a third of its time.
const rareCollections = "GOGC=300"

// checkSwitches fails where a switch over one of our own enumerations neither names all its
// constants nor has a default.
func checkSwitches(ctx context.Context, r *run) error {
	path, err := r.buildTool(ctx, "switches", "./switches")
	if err != nil {
		return err
	}
	return r.runQuiet(ctx, nil, "go", "vet", "-vettool="+path, "./...")
}

// findDeadCode fails where a function is reached by no program and no test. It looks at the files
// for Linux, wherever it runs; a function that only another system needs is in a file for it.
// As go vet does with packages, it does not examine the same sources twice.
func findDeadCode(ctx context.Context, r *run) error {
	path, err := r.buildTool(ctx, "deadcode", "golang.org/x/tools/cmd/deadcode")
	if err != nil {
		return err
	}
	sources, err := hashSources(ctx, r)
	if err != nil {
		return err
	}
	if isRemembered("deadcode", sources) {
		return nil
	}
	var errs []error
	for _, module := range []string{".", "tools"} {
		cmd := r.newCommand(ctx, []string{"GOOS=linux", "CGO_ENABLED=0", rareCollections}, path, "-test", "./...")
		cmd.Dir = filepath.Join(r.root, module)
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("deadcode in %s: %w\n%s", module, err, out))
		case len(out) > 0:
			errs = append(errs, fmt.Errorf("unused functions in %s:\n%s", module, strings.TrimRight(string(out), "\n")))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return remember("deadcode", sources)
}

// runAudit looks for known vulnerabilities. govulncheck ends with 3 only if it found one; another
// failure is a database that cannot be reached.
func runAudit(ctx context.Context, r *run) error {
	path, err := r.buildTool(ctx, "govulncheck", "golang.org/x/vuln/cmd/govulncheck")
	if err != nil {
		return err
	}
	err = r.runQuiet(ctx, nil, path, "./...")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != 3 {
		return r.notRun("govulncheck", lastLine(err.Error()))
	}
	return err
}
