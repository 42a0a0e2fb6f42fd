// Command crossvet checks the types of all packages below a folder, of their tests and of what they import, and vets the
// packages, for the system that GOOS and GOARCH name. It reads the sources, where go vet would compile everything
// first, for each system anew.
//
//	crossvet [folder]
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	if err := vetSource(context.Background(), root, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// vetSource checks and vets the packages below a folder. Its environment is this process's and env.
func vetSource(ctx context.Context, root string, env []string) error {
	config := &packages.Config{Context: ctx, Mode: packages.LoadAllSyntax, Tests: true, Dir: root, Env: append(os.Environ(), env...)}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return err
	}
	if err := findLoadErrors(loaded); err != nil {
		return err
	}
	graph, err := checker.Analyze(vet.Suite, loaded, nil)
	if err != nil {
		return err
	}
	var errs []error
	for action := range graph.All() {
		if !action.IsRoot {
			continue // it only tells about what is imported
		}
		errs = append(errs, action.Err)
		for _, d := range action.Diagnostics {
			errs = append(errs, fmt.Errorf("%s: %s", action.Package.Fset.Position(d.Pos), d.Message))
		}
	}
	return errors.Join(errs...)
}

// findLoadErrors returns what is wrong with the packages or with what they import.
func findLoadErrors(loaded []*packages.Package) error {
	if len(loaded) == 0 {
		return errors.New("there are no packages")
	}
	var errs []error
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, err := range p.Errors {
			errs = append(errs, err)
		}
	})
	return errors.Join(errs...)
}
