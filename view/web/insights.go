package web

import (
	"slices"
	"time"

	"mulligan/history"
	"mulligan/view"
	"mulligan/view/plot"
)

// An Insights is the page of what past sessions have in common.
type Insights struct {
	Frame
	Pictures     []plot.Picture
	Empty        bool
	Note         string // what is missing
	Repository   string
	Repositories []string
	Window       string
	Windows      []Window
}

// A Window is a time that figures are of.
type Window struct {
	Name string
	Text string
	Long time.Duration // 0: all
}

// Windows returns the times that figures can be of.
func Windows() []Window {
	const day = 24 * time.Hour
	return []Window{{"", "the last 90 days", 90 * day}, {"30d", "the last 30 days", 30 * day}, {"7d", "the last 7 days", 7 * day}, {"all", "all time", 0}}
}

// NewInsights returns the page of these sessions; repository is "" for all. threshold is the failure rate from
// which on retry is adaptive.
func NewInsights(f Frame, sessions []history.Session, repository, window string, threshold float64) Insights {
	p := Insights{Frame: f, Repository: repository, Window: window, Windows: Windows()}
	var chosen []history.Session
	for _, s := range sessions {
		name := RepositoryName(s.Root)
		if !slices.Contains(p.Repositories, name) {
			p.Repositories = append(p.Repositories, name)
		}
		if repository == "" || name == repository {
			chosen = append(chosen, s)
		}
	}
	slices.Sort(p.Repositories)
	if p.Empty = len(chosen) == 0; p.Empty {
		return p
	}
	p.Pictures = []plot.Picture{
		plot.Verdicts(chosen, f.Now), plot.Attempts(chosen), plot.Failures(chosen, threshold), plot.Times(chosen),
		plot.Costs(chosen), plot.Strategies(chosen), plot.Gates(chosen),
	}
	return p
}

// SetMissing says which sessions could not be read.
func (p *Insights) SetMissing(err error) {
	if err != nil {
		p.Note = view.Line(err.Error())
	}
}
