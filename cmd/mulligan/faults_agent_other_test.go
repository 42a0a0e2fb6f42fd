//go:build !linux

package main

func badAgent() {}
