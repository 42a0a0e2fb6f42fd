package web

import (
	"slices"
	"time"

	"mulligan/history"
	"mulligan/view"
	"mulligan/view/insights"
)

// An Insights is the page of what past sessions have in common.
type Insights struct {
	Frame
	Tables       []insights.Table
	Lines        []string
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

// NewInsights returns the page of these sessions; repository is "" for all.
func NewInsights(f Frame, sessions []history.Session, repository, window string) Insights {
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
	figures := history.Examine(chosen)
	p.Tables = insights.Tables(figures, repository == "" && len(p.Repositories) > 1)
	p.Lines = insights.Lines(figures)
	return p
}

// SetMissing says which sessions could not be read.
func (p *Insights) SetMissing(err error) {
	if err != nil {
		p.Note = view.Line(err.Error())
	}
}
