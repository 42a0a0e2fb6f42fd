package feedback

import (
	"bytes"
	"testing"

	"mulligan/test/corpus"
)

// What the distiller has to keep whole of the items that fit, in per cent, where the output is
// longer than the limit. A change that keeps more raises these.
const (
	seenFloor  = 57.5
	apartFloor = 54.5
)

// F5a: an item kept is kept whole. `make distill` prints the figures.
func TestCorpus(t *testing.T) {
	for folder, floor := range map[string]float64{corpus.Seen: seenFloor, corpus.Apart: apartFloor} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			cases, err := corpus.Load("testdata/corpus", folder)
			if err != nil {
				t.Fatal(err)
			}
			var long corpus.Tally
			for _, c := range cases {
				for _, fault := range c.CheckItems() {
					t.Error(fault)
				}
				made, err := Distill(bytes.NewReader(c.Output), DefaultLimit, "")
				if err != nil {
					t.Fatal(err)
				}
				if c.IsLong(DefaultLimit) {
					long.Add(c, made.Text, DefaultLimit)
				}
			}
			if share := long.Share(long.Kept); share < floor {
				t.Errorf("the distiller keeps %d of %d items whole (%.1f %%), fewer than %.1f %%: see make distill", long.Kept, long.Fitting, share, floor)
			}
		})
	}
}
