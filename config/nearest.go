package config

import "fmt"

// Nearest returns the name that was probably meant, or "" if none is near.
func Nearest(word string, names []string) string {
	best, least := "", max(1, len([]rune(word))/3)+1
	for _, n := range names {
		if d := editDistance(word, n, least); d < least {
			best, least = n, d
		}
	}
	return best
}

// didYouMean returns the hint for a word that is none of the names, or "" if none is near.
func didYouMean(word string, names []string) string {
	if n := Nearest(word, names); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return ""
}

// editDistance returns how many letters must be changed, added, dropped or swapped with their
// neighbour to make b of a, or limit if they differ more in length.
func editDistance(a, b string, limit int) int {
	s, t := []rune(a), []rune(b)
	if max(len(s), len(t))-min(len(s), len(t)) >= limit {
		return limit
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
