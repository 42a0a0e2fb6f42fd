//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func terminalSetup(*testscript.Env) {}

func terminalCommands() map[string]func(*testscript.TestScript, bool, []string) { return nil }

func ontty() {}
