package modeltest

import "strings"

// pickTurn chooses the turn that answers a request and counts it in used, or returns -1 if none
// fits.
func pickTurn(turns []Turn, used []int, r Request) int {
	newest, all := r.Newest(), r.Conversation()
	best, nearest, next := -1, -1, -1
	for i, t := range turns {
		if t.Bare != r.Side || !isLeft(t, used[i]) || !strings.Contains(all, t.In) {
			continue
		}
		if t.When == "" {
			if next < 0 {
				next = i
			}
			continue
		}
		if at := strings.LastIndex(newest, t.When); at > nearest {
			best, nearest = i, at
		}
	}
	if best < 0 {
		best = next
	}
	if best >= 0 {
		used[best]++
	}
	return best
}

// isLeft reports whether a turn that has been given so often may be given again.
func isLeft(t Turn, used int) bool {
	return t.Times < 0 || used < max(t.Times, 1)
}
