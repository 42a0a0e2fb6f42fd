package markup

import (
	"strconv"
	"strings"
)

// A look is how text is to be shown. Colours are counted from 1, in the order of colorNames; 0 is the
// terminal's own.
type look struct {
	color, ground                                  int8
	bold, dim, italic, underline, inverse, crossed bool
}

// colorNames are the sixteen colours of terminals; the last eight are the bright ones.
var colorNames = [...]string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"gray", "bright-red", "bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan", "bright-white",
}

// classes returns the classes of a look, "" if it is the plain one.
func (l look) classes() string {
	var list []string
	for _, on := range []struct {
		set  bool
		name string
	}{{l.bold, "a-bold"}, {l.dim, "a-dim"}, {l.italic, "a-italic"}, {l.underline, "a-underline"}, {l.inverse, "a-inverse"}, {l.crossed, "a-crossed"}} {
		if on.set {
			list = append(list, on.name)
		}
	}
	if l.color > 0 {
		list = append(list, "a-"+colorNames[l.color-1])
	}
	if l.ground > 0 {
		list = append(list, "a-on-"+colorNames[l.ground-1])
	}
	return strings.Join(list, " ")
}

// change returns the look after a sequence "select graphic rendition" with the given parameters.
func (l look) change(params string) look {
	codes := strings.FieldsFunc(params, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		return look{}
	}
	for i := 0; i < len(codes); i++ {
		code, err := strconv.Atoi(codes[i])
		if err != nil {
			return l // a private sequence
		}
		if code == 38 || code == 48 {
			color, used := readColor(codes[i+1:])
			i += used
			if code == 38 {
				l.color = color
			} else {
				l.ground = color
			}
			continue
		}
		l = l.apply(code)
	}
	return l
}

// apply returns the look after one parameter.
func (l look) apply(code int) look {
	switch {
	case code == 0:
		return look{}
	case code == 1:
		l.bold = true
	case code == 2:
		l.dim = true
	case code == 3:
		l.italic = true
	case code == 4:
		l.underline = true
	case code == 7:
		l.inverse = true
	case code == 9:
		l.crossed = true
	case code == 22:
		l.bold, l.dim = false, false
	case code == 23:
		l.italic = false
	case code == 24:
		l.underline = false
	case code == 27:
		l.inverse = false
	case code == 29:
		l.crossed = false
	case code >= 30 && code <= 37:
		l.color = int8(code - 29)
	case code == 39:
		l.color = 0
	case code >= 40 && code <= 47:
		l.ground = int8(code - 39)
	case code == 49:
		l.ground = 0
	case code >= 90 && code <= 97:
		l.color = int8(code - 81)
	case code >= 100 && code <= 107:
		l.ground = int8(code - 91)
	}
	return l
}

// readColor reads a colour out of 256, or of red, green and blue, as the nearest of the sixteen; and returns how
// many parameters it took.
func readColor(codes []string) (color int8, used int) {
	number := func(i int) int {
		if i >= len(codes) {
			return 0
		}
		n, _ := strconv.Atoi(codes[i])
		return min(max(n, 0), 255)
	}
	switch {
	case len(codes) >= 2 && codes[0] == "5":
		return nearestOfTable(number(1)), 2
	case len(codes) >= 4 && codes[0] == "2":
		return nearestColor(number(1), number(2), number(3)), 4
	}
	return 0, len(codes)
}

// nearestOfTable returns the nearest of the sixteen to a colour of the table of 256.
func nearestOfTable(n int) int8 {
	switch {
	case n < 16:
		return int8(n + 1)
	case n < 232: // a cube of 6 × 6 × 6
		n -= 16
		return nearestColor(n/36*51, n/6%6*51, n%6*51)
	}
	gray := (n - 232) * 255 / 23
	return nearestColor(gray, gray, gray)
}

// nearestColor returns the nearest of the sixteen to a colour, by which of its parts are strong.
func nearestColor(r, g, b int) int8 {
	strongest := max(r, g, b)
	switch {
	case strongest < 48:
		return 1
	case strongest-min(r, g, b) < 32 && strongest < 160:
		return 9
	}
	bits := 0
	for i, part := range [...]int{r, g, b} {
		if part*3 >= strongest*2 {
			bits |= 1 << i
		}
	}
	if strongest > 224 {
		bits += 8
	}
	return int8(bits + 1)
}
