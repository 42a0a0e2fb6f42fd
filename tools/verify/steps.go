package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// A step is one thing to run. An error is a step that failed; what the machine lacks is
// told to run.notRun, which is no failure.
type step struct {
	name  string
	doc   string
	extra bool // only when asked for
	early bool // begins at once, beside the steps before it: it waits more than it works
	do    func(context.Context, *run) error
}

// steps are in the order of their cost, so that the cheap mistakes show first.
func steps() []step {
	return []step{
		{name: "gofumpt", doc: "the files are formatted", do: format},
		{name: "vet", doc: "go vet", do: vet},
		{name: "staticcheck", doc: "staticcheck", do: staticcheck},
		{name: "agents", doc: "the real agent programs, installed for the tests", early: true, do: agents},
		{name: "test", doc: "the tests, with the race detector", do: test},
		{name: "fuzz", doc: "every fuzz target, for a moment", do: fuzz},
		{name: "cross", doc: "builds for darwin and windows, tests included", do: cross},
		{name: "audit", doc: "known vulnerabilities (govulncheck)", extra: true, do: audit},
	}
}

func format(ctx context.Context, r *run) error {
	gofumpt, err := r.tool(ctx, "gofumpt", "mvdan.cc/gofumpt")
	if err != nil {
		return err
	}
	out, err := r.command(ctx, nil, gofumpt, "-l", ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("gofumpt: %w\n%s", err, out)
	}
	if len(out) > 0 {
		return fmt.Errorf("not formatted (run .tools/bin/gofumpt -w on them):\n%s", strings.TrimRight(string(out), "\n"))
	}
	return nil
}

func vet(ctx context.Context, r *run) error {
	return errors.Join(
		r.must(ctx, nil, "go", "vet", "./..."),
		r.must(ctx, nil, "go", "-C", "tools", "vet", "./..."),
	)
}

func staticcheck(ctx context.Context, r *run) error {
	path, err := r.tool(ctx, "staticcheck", "honnef.co/go/tools/cmd/staticcheck")
	if err != nil {
		return err
	}
	// A third of its time is the collection of garbage that it could leave.
	return r.must(ctx, []string{"GOGC=300"}, path, "./...")
}

// cross also vets, because go build leaves the test files out.
func cross(ctx context.Context, r *run) error {
	var errs []error
	for _, system := range []string{"darwin/arm64", "darwin/amd64", "windows/amd64"} {
		goos, goarch, _ := strings.Cut(system, "/")
		env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
		err := r.must(ctx, env, "go", "build", "./...")
		if err == nil && system != "darwin/amd64" {
			err = r.must(ctx, env, "go", "vet", "./...")
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// audit tells a database that cannot be reached from a vulnerability: govulncheck ends
// with 3 for the latter only.
func audit(ctx context.Context, r *run) error {
	path, err := r.tool(ctx, "govulncheck", "golang.org/x/vuln/cmd/govulncheck")
	if err != nil {
		return err
	}
	err = r.must(ctx, nil, path, "./...")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != 3 {
		return r.notRun("govulncheck", lastLine(err.Error()))
	}
	return err
}
