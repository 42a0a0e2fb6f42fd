// Command mulligan runs a coding agent in a checked loop.
package main

import (
	"context"
	"os"

	"mulligan/internal/cli"
	"mulligan/internal/crashpoint"
	"mulligan/internal/environ"
	"mulligan/internal/process"
)

func main() {
	// A keeper is this program started again to look after one child: nothing else of
	// the program is for it.
	if len(os.Args) > 1 && os.Args[1] == "keeper" {
		process.KeeperMain()
		return
	}
	// What an agent starts has nothing to hide from it, and is found by its environment if it is left behind.
	if os.Getenv(process.DoorEnv) == "" {
		_ = process.HideMemory() // a system without it is as safe as it was
	}
	dir, err := os.Getwd()
	if err != nil {
		os.Stderr.WriteString("mulligan: the folder that this was started in is gone: " + err.Error() + "\n")
		os.Exit(2)
	}
	points, err := crashpoint.Take() // before the environment is handed to anything
	if err != nil {
		os.Stderr.WriteString("mulligan: " + err.Error() + "\n")
		os.Exit(2)
	}
	app := &cli.App{Env: &environ.Env{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Dir: dir, Points: points}}
	os.Exit(app.Run(context.Background(), os.Args[1:]))
}
