package plot

import "fmt"

// maxBars is how many rows a picture has; the table has all of them.
const maxBars = 8

const (
	barHeight = 22.0
	barStep   = 32.0
	labelRoom = 132.0
)

// A bar is a row of a picture: a name, parts of a whole, and words at its end.
type bar struct {
	name  string
	parts []part
	words string
}

// total returns the sum of a bar's parts.
func (b bar) total() float64 {
	sum := 0.0
	for _, p := range b.parts {
		sum += p.value
	}
	return sum
}

// drawBars draws rows of stacked bars on one scale, with room for words at their ends; it returns where they end.
// With equal set every bar has the whole width: only the shares are compared.
func drawBars(c *canvas, top float64, bars []bar, wordsRoom float64, equal bool) float64 {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.total())
	}
	room := width - labelRoom - wordsRoom
	for i, b := range bars {
		y := top + float64(i)*barStep
		c.text(labelRoom-8, y+15, end, ink, fit(b.name, labelRoom-12))
		scale := room / max(most, 1e-9)
		if equal {
			scale = room / max(b.total(), 1e-9)
		}
		x := labelRoom
		for _, p := range b.parts {
			w := p.value * scale
			c.rect(x, y, max(0, w-1), barHeight, p.css(), fmt.Sprintf("%s, %s: %s", b.name, p.name, p.words))
			if s := inside(p, w); s != "" {
				color := paper
				if p.fade > 0.4 {
					color = ink
				}
				c.strong(x+w/2, y+15, middle, color, s)
			}
			x += w
		}
		if equal {
			x = labelRoom + room
		}
		c.text(x+6, y+15, start, muted, b.words)
	}
	return top + float64(len(bars))*barStep
}

// inside returns the words of a part that fit into it.
func inside(p part, room float64) string {
	for _, s := range []string{p.sign, p.words} {
		if s != "" && textWidth(s)*1.06+4 <= room {
			return s
		}
	}
	return ""
}
