package plot

import (
	"fmt"
	"math"
	"strings"
	"time"

	"mulligan/history"
	"mulligan/internal/text"
	"mulligan/view"
)

// Strategies draws how often retries with each strategy passed, with the interval that the true share lies in.
func Strategies(sessions []history.Session) Picture {
	all := history.SumStrategies(sessions)
	p := Picture{
		Title: "What strategies did", Says: "The share of retries that passed; the line is where the true share lies with 95 % likelihood.",
		Figures: "share of retries, " + windowOf(sessions),
		Header:  []string{"strategy", "tried", "passed", "share", "from", "to"},
	}
	for _, s := range all {
		p.Rows = append(p.Rows, []string{s.Strategy, fmt.Sprint(s.Tried), fmt.Sprint(s.Worked), formatShare(s.Share), formatShare(s.Low), formatShare(s.High)})
	}
	if len(all) == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	shown := all[:min(len(all), maxBars)]
	const room = width - labelRoom - 82
	bottom := top + 6 + float64(len(shown))*28
	for _, share := range []float64{0, 0.5, 1} {
		x := labelRoom + share*room
		c.line(x, top, x, bottom, rule, 1, false)
		c.text(x, bottom+15, middle, muted, formatShare(share))
	}
	for i, s := range shown {
		y := top + 18 + float64(i)*28
		c.text(labelRoom-10, y+4, end, ink, fit(s.Strategy, labelRoom-14))
		c.line(labelRoom+s.Low*room, y, labelRoom+s.High*room, y, accent, 3, false)
		c.dot(labelRoom+s.Share*room, y, 6, accent, fmt.Sprintf("%s: %s of %s passed", s.Strategy, formatCount(s.Worked), text.Count(s.Tried, "retry")))
		c.text(width, y+4, end, muted, fmt.Sprintf("%s of %s", formatCount(s.Worked), formatCount(s.Tried)))
	}
	return c.finish("strategies", bottom+22, p)
}

// Costs draws what a verified step costs, by agent and model.
func Costs(sessions []history.Session) Picture {
	p := Picture{
		Title: "Cost of a verified step", Says: "All that was spent with an agent and a model, over the steps that it verified.",
		Figures: "USD per verified step, " + windowOf(sessions),
		Header:  []string{"agent", "model", "cost", "verified steps", "per step", "turns"},
	}
	var bars []bar
	for _, cost := range history.SumCosts(sessions) {
		per, any := cost.PerStep()
		words := "none verified"
		if any {
			words = formatMoney(per, cost.Estimated)
		}
		p.Rows = append(p.Rows, []string{cost.Agent, cost.Model, formatMoney(cost.CostUSD, cost.Estimated), fmt.Sprint(cost.Verified), words, fmt.Sprint(cost.Turns)})
		if cost.CostUSD > 0 && len(bars) < maxBars {
			bars = append(bars, bar{
				strings.TrimSpace(cost.Agent + " " + cost.Model),
				[]part{{name: "per verified step", color: accent, value: per, words: words}},
				words + ", n = " + formatCount(cost.Verified),
			})
		}
	}
	if len(bars) == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	for i := range bars { // the words stand at the bar's end
		bars[i].parts[0].words = ""
	}
	bottom := drawBars(&c, top, bars, 120, false)
	return c.finish("costs", bottom, p)
}

// maxTrends is how many steps a picture of trends has: each has a colour of its own.
const maxTrends = 4

// Failures draws how often steps failed, week by week, with the rate above which adaptive retry counts one as high; 0
// draws no such line.
func Failures(sessions []history.Session, threshold float64) Picture {
	weeks, trends := history.StepTrends(sessions)
	p := Picture{
		Title: "Failure rate by step", Says: "In how many of the sessions that reached a step it ended unverified, week by week.",
		Figures: "share of sessions, " + windowOf(sessions),
		Header:  []string{"step", "week of", "reached", "failed", "rate"},
	}
	for _, t := range trends {
		for i, week := range weeks {
			if t.Reached[i] > 0 {
				p.Rows = append(p.Rows, []string{t.Step, week.Format(time.DateOnly), fmt.Sprint(t.Reached[i]), fmt.Sprint(t.Failed[i]), formatShare(float64(t.Failed[i]) / float64(t.Reached[i]))})
			}
		}
	}
	if len(trends) == 0 {
		return p
	}
	var c canvas
	top := c.heading(p.Title, p.Figures)
	trends = trends[:min(len(trends), maxTrends)]
	plane := plane{top: top + 4, high: 160, left: 44, right: width - 104, count: len(weeks), most: chooseMost(trends, threshold)}
	plane.drawAxes(&c, weeks)
	var labels []float64
	if threshold > 0 {
		c.line(plane.left, plane.y(threshold), plane.right, plane.y(threshold), ink, 1, true)
		labels = []float64{plane.y(threshold) + 4}
		c.text(plane.right+8, labels[0], start, ink, "high: > "+formatShare(threshold))
	}
	plane.drawTrends(&c, trends, weeks, labels)
	return c.finish("failures", plane.top+plane.high+24, p)
}

// A plane is where shares are drawn over weeks.
type plane struct {
	top, high, left, right float64
	count                  int
	most                   float64 // the share at its upper edge
}

// chooseMost returns a share that no rate of the trends exceeds.
func chooseMost(trends []history.StepTrend, threshold float64) float64 {
	highest := threshold * 1.2
	for _, t := range trends {
		for i, reached := range t.Reached {
			if reached > 0 {
				highest = max(highest, float64(t.Failed[i])/float64(reached))
			}
		}
	}
	return min(1, max(0.25, math.Ceil(highest*4)/4))
}

func (p plane) x(i int) float64 {
	if p.count < 2 {
		return (p.left + p.right) / 2
	}
	return p.left + float64(i)*(p.right-p.left)/float64(p.count-1)
}

func (p plane) y(share float64) float64 { return p.top + p.high*(1-share/p.most) }

func (p plane) drawAxes(c *canvas, weeks []time.Time) {
	for share := 0.0; share <= p.most; share += 0.25 {
		c.line(p.left, p.y(share), p.right, p.y(share), rule, 1, false)
		c.text(p.left-6, p.y(share)+4, end, muted, formatShare(share))
	}
	c.text(p.left, p.top+p.high+18, start, muted, "week of "+weeks[0].Format("2 Jan"))
	if len(weeks) > 1 {
		c.text(p.right, p.top+p.high+18, end, muted, weeks[len(weeks)-1].Format("2 Jan"))
	}
}

// drawTrends draws a line for each step, and names it where it ends. labels are the heights of the names that are there.
func (p plane) drawTrends(c *canvas, trends []history.StepTrend, weeks []time.Time, labels []float64) {
	for i, t := range trends {
		color := []Color{accent, failed, verified, limit}[i]
		fromX, fromY := -1.0, 0.0
		for week, reached := range t.Reached {
			if reached == 0 {
				continue
			}
			x, y := p.x(week), p.y(float64(t.Failed[week])/float64(reached))
			if fromX >= 0 {
				c.line(fromX, fromY, x, y, color, 2, false)
			}
			c.dot(x, y, 3, color, fmt.Sprintf("%s, week of %s: %d of %d failed", t.Step, weeks[week].Format("2 Jan"), t.Failed[week], reached))
			fromX, fromY = x, y
		}
		label := placeLabel(fromY+4, labels)
		labels = append(labels, label)
		c.strong(p.right+8, label, start, color, fit(view.Line(t.Step), width-p.right-10))
	}
}

// placeLabel returns a height near the given one at which no other label stands.
func placeLabel(y float64, taken []float64) float64 {
	const apart = 14
	for offset := 0.0; offset < 200; offset += 2 {
		for _, at := range []float64{y - offset, y + offset} {
			free := at > 50 && at < 216
			for _, other := range taken {
				free = free && math.Abs(at-other) >= apart
			}
			if free {
				return at
			}
		}
	}
	return y
}
