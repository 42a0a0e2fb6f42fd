package main

import (
	"context"
	"errors"
	"os"
	"strings"
)

// unoptimized has go compile for systems on which nobody runs the result, the dependencies included. go vet needs the
// same flag to find in go's cache what go build has compiled.
const unoptimized = "-gcflags=all=-N -l -dwarf=false"

// crossBuild builds the program for the other systems, and vets every package for them, tests included. What differs
// between the processors of a system is in the dependencies: there, the build is enough.
func crossBuild(ctx context.Context, r *run) error {
	var errs []error
	for _, system := range []string{"darwin/arm64", "darwin/amd64", "windows/amd64"} {
		env := systemEnv(system)
		err := r.runQuiet(ctx, env, "go", "build", unoptimized, "-ldflags=-s -w", "-o", os.DevNull, "./cmd/mulligan", "./cmd/mulligan-keeper")
		if err == nil && system != "darwin/amd64" {
			err = r.runQuiet(ctx, env, "go", "vet", unoptimized, "./...")
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// systemEnv returns the environment in which go builds for a system.
func systemEnv(system string) []string {
	goos, goarch, _ := strings.Cut(system, "/")
	return []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
}
