package bytescan

import "golang.org/x/sys/cpu"

var hasVector = cpu.X86.HasAVX2 && cpu.X86.HasBMI1

// findVector returns the first of n places from p on at which a word may begin, or n. n is a multiple of 16, and
// the three bytes after the places must be readable.
//
//go:noescape
func findVector(tables *[2 * window][32]byte, p *byte, n int) int
