package block

import "bytes"

// measureWrapper returns how many bytes of a line were put there by a program that passes on
// the output of another one: docker's `#12 0.345 `, a time stamp, `web-1  | `, valgrind's
// `==123== `, a frame of box characters.
func measureWrapper(p []byte) int {
	n := 0
	for range 3 {
		m := measureOneWrapper(p[n:])
		if m == 0 {
			break
		}
		n += m
	}
	return n
}

func measureOneWrapper(p []byte) int {
	if len(p) < 3 {
		return 0
	}
	switch c := p[0]; {
	case c == '#':
		return measureBuildkit(p)
	case c == '=' && p[1] == '=':
		n := countDigits(p[2:])
		if n > 0 && hasPrefix(p[2+n:], "==") {
			n += 4
			if n < len(p) && p[n] == ' ' {
				n++
			}
			return n
		}
	case c == 0xE2 && (hasPrefix(p, "│") || hasPrefix(p, "║")):
		return 3
	case c == '[':
		return measureBracket(p)
	case isDigit(c):
		return measureTime(p)
	case isLetter(c):
		return measureService(p)
	}
	return 0
}

// measureBuildkit reads `#12 0.345 `.
func measureBuildkit(p []byte) int {
	n := countDigits(p[1:])
	if n == 0 || 1+n >= len(p) || p[1+n] != ' ' {
		return 0
	}
	return 2 + n + measureSeconds(p[2+n:])
}

// measureSeconds reads `0.345 `.
func measureSeconds(p []byte) int {
	n := countDigits(p)
	if n == 0 || n >= len(p) || p[n] != '.' {
		return 0
	}
	m := countDigits(p[n+1:])
	if end := n + 1 + m; m >= 2 && m <= 3 && end < len(p) && p[end] == ' ' {
		return end + 1
	}
	return 0
}

// measureTime reads a time stamp, `2026-01-02T03:04:05.678Z ` or `12.345 `.
func measureTime(p []byte) int {
	if len(p) > 20 && p[4] == '-' && p[7] == '-' && (p[10] == 'T' || p[10] == ' ') && p[13] == ':' && p[16] == ':' {
		n := 19
		for n < len(p) && p[n] != ' ' && n < 36 {
			n++
		}
		if n < len(p) && p[n] == ' ' {
			return n + 1
		}
		return 0
	}
	return measureSeconds(p)
}

// measureBracket reads `[0] `, `[12:30:45] ` and `[xUnit.net 00:00:01.23] `.
func measureBracket(p []byte) int {
	i := bytes.IndexByte(p[:min(len(p), 40)], ']')
	if i < 2 || i+1 >= len(p) || p[i+1] != ' ' {
		return 0
	}
	inner := p[1:i]
	if hasPrefix(inner, "xUnit.net ") || isDigit(inner[0]) && (countDigits(inner) == len(inner) || bytes.IndexByte(inner, ':') > 0) {
		return i + 2
	}
	return 0
}

// measureService reads `web-1  | `, as docker compose prints it.
func measureService(p []byte) int {
	i := bytes.IndexByte(p[:min(len(p), 40)], '|')
	if i < 3 || i+1 < len(p) && p[i+1] != ' ' || p[i-1] != ' ' {
		return 0
	}
	name := bytes.TrimRight(p[:i], " ")
	if bytes.IndexByte(name, ' ') >= 0 || !isDigit(name[len(name)-1]) || !bytes.ContainsAny(name, "-_") {
		return 0
	}
	return min(i+2, len(p))
}
