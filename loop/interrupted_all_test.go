//go:build !race

package loop_test

import (
	"testing"
	"testing/synctest"
)

// interruptedStories are what TestInterruptedAnywhere interrupts.
var interruptedStories = []story{
	{},
	{loop: true},
	{fails: true},
	{loop: true, fails: true},
	{spoils: true},
	{loop: true, spoils: true},
	{breaks: true},
	{loop: true, breaks: true},
	{now: true},
	{loop: true, now: true},
}

// TestKilledWhileItEnds (P10, J2): the same where the interrupted session is killed before it has ended, as
// it is when a person interrupts it twice.
func TestKilledWhileItEnds(t *testing.T) {
	for _, st := range []story{{}, {loop: true}} {
		t.Run(st.String(), func(t *testing.T) {
			for n, more := 1, true; more; n += 3 { // of these there are many
				for kill, ended := 0, false; !ended; kill++ {
					synctest.Test(t, func(t *testing.T) { more, ended = interruptedAt(t, st, n, kill) })
				}
			}
		})
	}
}
