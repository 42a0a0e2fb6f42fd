package mulligan

// BaselineStarted is the intent to run a step's checks before its first attempt, on the given tree.
type BaselineStarted struct {
	Step string `json:"step"`
	Tree Tree   `json:"tree"`
}

// BaselineChecked is what one of these checks found.
type BaselineChecked struct {
	Step    string  `json:"step"`
	Index   int     `json:"index"` // in the step's list
	Verdict Verdict `json:"verdict"`
}

// BaselineEnded records that all of them have run.
type BaselineEnded struct {
	Step string `json:"step"`
}

func (BaselineStarted) Kind() string { return "baseline.started" }
func (BaselineChecked) Kind() string { return "baseline.checked" }
func (BaselineEnded) Kind() string   { return "baseline.ended" }
