//go:build !linux

package main

// memoryFolder returns a folder in memory; none is known on this system.
func memoryFolder(string) string { return "" }
