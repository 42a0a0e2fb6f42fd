package main

import (
	"slices"
	"testing"
)

func TestFindMissing(t *testing.T) {
	packages := []systemPackage{{"git-lfs", "git-lfs"}, {"bubblewrap", "bwrap"}}
	tests := []struct {
		name string
		has  []string
		want []string
	}{
		{"all", []string{"git-lfs", "bwrap"}, nil},
		{"the package's name is not the program's", []string{"git-lfs", "bubblewrap"}, []string{"bubblewrap"}},
		{"none", nil, []string{"git-lfs", "bubblewrap"}},
	}
	for _, tt := range tests {
		got := findMissing(packages, func(program string) bool { return slices.Contains(tt.has, program) })
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
