package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// checkTidy fails where go mod tidy would change a go.mod or a go.sum. Tidy also reads the tests
// of dependencies; where their modules are neither in the module cache nor on the network, it is
// listed as not run.
func checkTidy(ctx context.Context, r *run) error {
	var untidy []error
	var notRun error
	for _, module := range []string{".", "tools"} {
		cmd := r.newCommand(ctx, nil, "go", "-C", module, "mod", "tidy", "-diff")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		diff, err := cmd.Output()
		switch {
		case len(diff) > 0:
			untidy = append(untidy, fmt.Errorf("not tidy (run go -C %s mod tidy):\n%s", module, bytes.TrimRight(diff, "\n")))
		case err != nil:
			notRun = r.notRun("go -C "+module+" mod tidy -diff", lastLine(stderr.String()))
		}
	}
	if untidy != nil {
		return errors.Join(untidy...)
	}
	return notRun
}
