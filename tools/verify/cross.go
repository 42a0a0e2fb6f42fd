package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// crossBuild builds the program for the other systems, and vets every package for them, tests included. What differs
// between the processors of a system is in the dependencies: there, crossvet's check of their types is enough.
// Nobody runs what is built, so nothing of it is optimized, the dependencies included.
func crossBuild(ctx context.Context, r *run) error {
	crossvet := filepath.Join(r.root, ".tools", "bin", "crossvet")
	if r.runQuiet(ctx, nil, "go", "-C", "tools", "build", "-o", crossvet, "./crossvet") != nil {
		return crossCompile(ctx, r) // its module is out of reach
	}
	var errs []error
	for _, system := range []string{"darwin/arm64", "darwin/amd64", "windows/amd64"} {
		env := systemEnv(system)
		err := r.runQuiet(ctx, append(env, rareCollections), crossvet)
		if err == nil && system != "darwin/amd64" {
			err = r.runQuiet(ctx, env, "go", "build", "-gcflags=all=-N -l -dwarf=false", "-ldflags=-s -w", "-o", os.DevNull, "./cmd/mulligan")
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// crossCompile does what crossBuild does with go alone, which takes longer. It vets because go build leaves the test
// files out.
func crossCompile(ctx context.Context, r *run) error {
	var errs []error
	for _, system := range []string{"darwin/arm64", "darwin/amd64", "windows/amd64"} {
		env := systemEnv(system)
		err := r.runQuiet(ctx, env, "go", "build", "./...")
		if err == nil && system != "darwin/amd64" {
			err = r.runQuiet(ctx, env, "go", "vet", "./...")
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
