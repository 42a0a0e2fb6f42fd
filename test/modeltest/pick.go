package modeltest

import "strings"

// pick chooses the turn that answers a request and uses it up; -1 where none fits.
// used counts how often each has been given.
func pick(turns []Turn, used []int, r Request) int {
	newest, all := r.Newest(), r.Conversation()
	best, nearest, next := -1, -1, -1
	for i, t := range turns {
		if !left(t, used[i]) || !strings.Contains(all, t.In) {
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

func left(t Turn, used int) bool {
	return t.Times < 0 || used < max(t.Times, 1)
}
