// Command switches fails where a switch over one of our own enumerations neither names all its constants nor has a
// default. Those of other modules have more than we know. It is exhaustive in the form that go vet runs, so that only
// what has changed is examined again:
//
//	go vet -vettool=SWITCHES ./...
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/nishanths/exhaustive/passes/exhaustive"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"
)

func main() {
	analyzer, err := newAnalyzer()
	if err != nil {
		fmt.Fprintln(os.Stderr, "switches:", err)
		os.Exit(2)
	}
	unitchecker.Main(analyzer)
}

// newAnalyzer returns the analyzer with the options that its own program would take as flags.
func newAnalyzer() (*analysis.Analyzer, error) {
	analyzer := exhaustive.Analyzer
	needs, err := exhaustive.Requires("switch")
	if err != nil {
		return nil, err
	}
	analyzer.Requires = needs
	return analyzer, errors.Join(
		analyzer.Flags.Set("d", "true"), // a default names the rest
		analyzer.Flags.Set("typeonly", `^mulligan[/.]`),
	)
}
