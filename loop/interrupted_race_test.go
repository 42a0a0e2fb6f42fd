//go:build race

package loop_test

// interruptedStories are two of those that are interrupted without the race detector: in all of them the same things happen
// at the same time.
var interruptedStories = []story{{now: true}, {loop: true, fails: true}}
