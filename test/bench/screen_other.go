//go:build !linux

package main

import "errors"

func measureScreen(*site, *table) error {
	return errors.New("the screen is measured on Linux alone")
}

func printAtPace(string) error { return errors.New("only on Linux") }
