package modeltest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mvdan.cc/sh/v3/syntax"

	"mulligan/internal/process"
)

// findNode returns the path of the interpreter of JavaScript programs: the one that test/agents pins for this system, else
// the one on PATH, which is the only program that is taken from there.
func findNode(root string) (string, error) {
	pinned := filepath.Join(root, "test", "agents", "node_modules", "node-"+npmSystem(), "bin", "node")
	if _, err := os.Stat(pinned); err == nil {
		return pinned, nil
	}
	path, err := process.Find("node", "/", os.Environ())
	if err != nil {
		return "", errors.New("it needs Node.js, and no node is on PATH")
	}
	return path, nil
}

// provideNode puts an interpreter into a folder of programs. It keeps what it compiles beside the agents, so that each
// program is compiled once for all tests, and not at each of its starts. A confined agent may only read it there.
func provideNode(bin string) error {
	root, err := findCheckout()
	if err != nil {
		return err
	}
	path, err := findNode(root)
	if err != nil {
		return err
	}
	words := make([]string, 2)
	for i, word := range []string{path, filepath.Join(root, "test", "agents", "node_modules", ".cache", "node")} {
		if words[i], err = syntax.Quote(word, syntax.LangPOSIX); err != nil {
			return err
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nNODE_COMPILE_CACHE=%s exec %s \"$@\"\n", words[1], words[0])
	return os.WriteFile(filepath.Join(bin, "node"), []byte(script), 0o755)
}
