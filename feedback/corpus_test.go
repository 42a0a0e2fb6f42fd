package feedback

import (
	"bytes"
	"testing"

	"mulligan/test/corpus"
)

// What the distiller has to keep whole of the items that fit, in per cent, where the output is
// longer than the limit: of all items, and in the mean of the cases. A change that keeps more
// raises these.
const (
	seenItems, seenMean   = 98.5, 99.0
	apartItems, apartMean = 96.5, 97.0
)

// F5a: an item kept is kept whole. `make distill` prints the figures.
func TestCorpus(t *testing.T) {
	for folder, floor := range map[string]struct{ items, mean float64 }{
		corpus.Seen:  {seenItems, seenMean},
		corpus.Apart: {apartItems, apartMean},
	} {
		t.Run(folder, func(t *testing.T) {
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
			if share, mean := long.Share(long.Kept), long.Mean(long.Kept); share < floor.items || mean < floor.mean {
				t.Errorf("the distiller keeps %.1f %% of the items whole, %.1f %% in the mean of the cases, and had %.1f %% and %.1f %%: see make distill",
					share, mean, floor.items, floor.mean)
			}
		})
	}
}
