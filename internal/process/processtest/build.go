package processtest

import (
	"context"
	"os"
	"path/filepath"

	"mulligan/internal/process"
)

// BuildProgram builds mulligan and its keeper's program into a new folder, for the tests of a package two levels below the repository's
// root. The caller removes the folder of the returned path.
func BuildProgram() (path string, err error) {
	dir, err := os.MkdirTemp("", "mulligan-built-")
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "mulligan")
	_, err = process.Tool{
		Dir: filepath.Join("..", ".."), Argv: []string{"go", "build", "-o", dir, "./cmd/mulligan", "./cmd/mulligan-keeper"},
	}.Output(context.Background())
	return path, err
}
